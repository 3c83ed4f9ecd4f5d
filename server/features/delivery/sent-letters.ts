import type { App } from '#server/app.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { readTitles } from '#server/features/messages/letters.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { statusForOwner } from './delivery.rules.ts';
import { openPerson } from './delivery.sealing.ts';
import { leavingAmong } from './halts.ts';
import { listForSeveral, listSent, type Page } from './sent-letters.repository.ts';

export { noLetters, readSentFacts, type SentFacts } from './sent-letters.repository.ts';

/** Letter of a release as its owner sees it. */
export type SentLetter = {
  messageId: string;
  /** Null if the owner deleted the message. */
  title: string | null;
  /** Name, or else address. Empty if that is damaged. */
  recipient: string;
  /** True if the message goes to others as well. */
  hasOthers: boolean;
  status: string;
  deliveredAt: Date | null;
  accessedAt: Date | null;
  /** Set only for a letter that waits for a day of its own, which has not come. */
  waitsUntil?: Date;
};

/**
 * Returns the outcome of letters of a release, newest first: those of one page, and opens no other. `may_arrive`: stopped
 * while it was being sent.
 */
export async function listSentLetters(
  app: App,
  executor: Executor,
  { requestId, at, ...page }: { requestId: string; at: Date } & Page,
): Promise<SentLetter[]> {
  const rows = await listSent(executor, requestId, page);
  const [first] = rows;
  if (!first) return [];
  const ids = [...new Set(rows.map(({ messageId }) => messageId))];
  const stopped = rows.filter(({ status }) => status === 'cancelled').map(({ mailId }) => mailId);
  const leaving = await leavingAmong(executor, stopped);
  const forSeveral = await listForSeveral(executor, requestId, ids);
  const titles = await readTitles(app, executor, first.userId, ids);
  const vault = await openVault(app, executor, first.userId);
  return rows.map((row) => {
    const status = statusForOwner({ ...row, dueAtMs: row.dueAt?.getTime() ?? null }, at.getTime());
    const reader = unlessBroken(() => openPerson(vault, row));
    return {
      messageId: row.messageId,
      title: titles.get(row.messageId)?.title ?? null,
      recipient: reader?.name ?? reader?.address ?? '',
      hasOthers: forSeveral.has(row.messageId),
      status: leaving.has(row.mailId) && status === 'cancelled' ? 'may_arrive' : status,
      deliveredAt: row.deliveredAt,
      accessedAt: row.accessedAt,
      ...(status === 'waiting' && row.dueAt ? { waitsUntil: row.dueAt } : {}),
    };
  });
}
