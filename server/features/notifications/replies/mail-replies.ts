import type { App } from '#server/app.ts';
import { SealBrokenError } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { findBounced } from '../bounces.repository.ts';
import { unsealPayload } from '../notifications.payload.ts';
import { countWritten, findAccepted, findNewestReplies, storeReply } from './mail-replies.repository.ts';

/** An accepted mail of ours that an email answers. */
export type AnsweredMail = {
  id: string;
  kind: string;
  userId: string;
  contactId: string | null;
  notice: number | null;
  writtenAt: Date;
  /** Null once the payload of the mail is deleted. */
  to: { address: string; name?: string | undefined } | null;
};

/** The accepted mail to an owner, or about one, that a return path or a Message-ID names. */
export async function findAnsweredMail(
  app: App,
  executor: Executor,
  named: { key: string; series: number | null },
): Promise<AnsweredMail | null> {
  const found = await findBounced(executor, named);
  const row = found && (await findAccepted(executor, found.id));
  if (!row?.userId) return null;
  const { id, kind, userId, contactId, notice, payload, createdAt } = row;
  return { id, kind, userId, contactId, notice, writtenAt: createdAt, to: recipientOf(app, id, payload) };
}

/** Records that an answer came. False if one came before. */
export function noteReply(tx: Executor, mailId: string, at: Date): Promise<boolean> {
  return storeReply(tx, mailId, at);
}

/** Time of the newest reply to a mail of these kinds, per owner. */
export function newestReplies(
  executor: Executor,
  asked: { userIds: readonly string[]; kinds: readonly string[] },
): Promise<ReadonlyMap<string, Date>> {
  return findNewestReplies(executor, asked);
}

/** Number of messages of these kinds about an owner since then. */
export function countWrittenSince(
  executor: Executor,
  of: { owner: string; kinds: readonly string[]; since: Date },
): Promise<number> {
  return countWritten(executor, of);
}

function recipientOf({ serviceKeys }: App, id: string, payload: Buffer | null): AnsweredMail['to'] {
  try {
    const opened = payload && unsealPayload(serviceKeys, id, payload);
    return opened?.channel === 'email' ? opened.to : null;
  } catch (error) {
    if (error instanceof SealBrokenError) return null;
    throw error;
  }
}
