import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { App } from '#server/app.ts';
import type { Principal } from '#server/features/accounts/principal.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { messageRecipients, messages as table } from '#server/schema/messages.tables.ts';
import { releaseRequests } from '#server/schema/release.tables.ts';
import { releaseRow } from '#tests/support/request-rows.ts';
import { createMessage } from './messages.ts';
import type { MessageInput } from './messages.writing.ts';
import { settleMessages } from './ready-messages.ts';
import { nowhere } from './vault.test-world.ts';

/** A message as somebody writes it. */
export const input: MessageInput = {
  title: 'For your wedding day',
  content: 'Dear Priya,\nthe ring is in the blue box.',
  recipientEmail: 'priya@example.org',
  category: 'personal',
  status: 'draft',
  visibleToTrustedContact: false,
};

export function writeMessage(app: App, principal: Principal, change: Partial<MessageInput> = {}) {
  return createMessage(app, { principal, origin: nowhere, body: { ...input, ...change } });
}

type Delivered = { id: string; at: Date };
/** What has become of the letter of each recipient, in their order; accepted where nothing is said. */
type Fates = readonly ('accepted' | 'bounced' | 'pending' | 'unopened' | 'withdrawn')[];

/** Leaves messages as a release does whose letters have ended. */
export async function markDelivered(executor: Executor, delivered: readonly Delivered[], fates: Fates = []) {
  for (const { id, at } of delivered) {
    const [message] = await executor.select().from(table).where(eq(table.id, id));
    if (!message) throw new Error('There is no such message.');
    const { userId } = message;
    const request = releaseRow({ userId, openedAt: at, closedAt: at, outcome: 'left_as_it_is' });
    await executor.insert(releaseRequests).values(request);
    const recipients = await executor
      .select()
      .from(messageRecipients)
      .where(eq(messageRecipients.messageId, id))
      .orderBy(messageRecipients.position);
    const rows = recipients.map(({ id: recipientId }, index) => {
      const status = fates[index] ?? 'accepted';
      const derived = { personKey: randomUUID(), sayKey: randomUUID(), deliveryToken: randomUUID() };
      const letter = {
        id: randomUUID(),
        mailId: randomUUID(),
        recipientId,
        messageId: id,
        userId,
        requestId: request.id,
      };
      const times = { createdAt: at, expiresAt: at, deliveredAt: status === 'accepted' ? at : null };
      return { ...letter, ...derived, ...times, status, releaseNumber: 1, recipientEmail: 'x', recipientName: 'x' };
    });
    await executor.insert(messageDeliveries).values(rows).onConflictDoNothing();
  }
  await settleMessages(
    executor,
    delivered.map(({ id }) => id),
  );
}
