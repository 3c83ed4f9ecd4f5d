import { eq } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import type { MailboxPlace } from '#server/platform/mail/bounce-mailbox.ts';
import { bounceMailbox } from '#server/schema/bounces.tables.ts';

export type MailboxRow = typeof bounceMailbox.$inferSelect;

const isTheRow = eq(bounceMailbox.id, 1);

/** Row of this mailbox. A new mailbox gets one. */
export async function findMailbox(executor: Executor, mailboxKey: string, at: Date): Promise<MailboxRow> {
  const fresh = { mailboxKey, uidValidity: null, lastUid: null, unread: [], readAt: at };
  await executor
    .insert(bounceMailbox)
    .values({ id: 1, ...fresh })
    .onConflictDoNothing();
  const [row] = await executor.select().from(bounceMailbox).where(isTheRow);
  if (row?.mailboxKey === mailboxKey) return row;
  await executor.update(bounceMailbox).set(fresh).where(isTheRow);
  return { id: 1, ...fresh };
}

export async function keepPlace(executor: Executor, { uidValidity, uid, unread }: MailboxPlace): Promise<void> {
  await executor.update(bounceMailbox).set({ uidValidity, lastUid: uid, unread }).where(isTheRow);
}

export async function keepReadAt(executor: Executor, readAt: Date): Promise<void> {
  await executor.update(bounceMailbox).set({ readAt }).where(isTheRow);
}
