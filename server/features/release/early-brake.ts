import type { App } from '#server/app.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { enqueueToOperator } from '#server/features/notifications/enqueue.ts';
import { confirmedOwnersMax, mailboxWindowMs } from '#server/features/release-core/emergency.rules.ts';
import {
  isContactUnderReview,
  listConfirmedBy,
  reviewMailbox,
} from '#server/features/release-health/brake.repository.ts';
import { lockHealth } from '#server/features/release-health/health.repository.ts';
import { mailboxReviewEmail } from '#server/features/release-health/operator.emails.ts';
import type { LoadedWorld } from '#server/features/release-state/release.store.ts';
import type { Executor } from '#server/platform/db/database.ts';

/**
 * Checks a contact's confirmation of an early release. If their mailbox has confirmed for too many owners, its yes waits
 * for the operator, and no other.
 */
export async function checkMailbox(
  app: App,
  tx: Executor,
  { contacts, owner, world }: LoadedWorld,
  { contactId, at }: { contactId: string; at: Date },
): Promise<void> {
  const mailbox = contacts.find(({ id }) => id === contactId)?.email;
  if (!mailbox || !world.request || world.request.cause === 'silence') return;
  // Two answers of one mailbox at the same time: the second waits here, and sees the first.
  await lockHealth(tx);
  const since = new Date(at.getTime() - mailboxWindowMs);
  const accounts = await listConfirmedBy(tx, mailbox, since);
  const wasUnderReview = await isContactUnderReview(tx, contactId);
  if (accounts.length <= confirmedOwnersMax && !wasUnderReview) return;
  await reviewMailbox(tx, mailbox, since);
  if (wasUnderReview) return;
  const resource = { resource: 'trusted_contact', resourceId: contactId };
  await recordAudit(app, tx, { userId: owner.id, action: 'release.mailbox_held', ...resource, at });
  const kind = 'operator.mailbox-held';
  await enqueueToOperator(app, tx, {
    kind,
    dedupeKey: `${kind}:${contactId}:${at.toISOString()}`,
    at,
    mail: mailboxReviewEmail({ mailbox, accounts, baseUrl: app.baseUrl }),
  });
}
