import type { App } from '#server/app.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { canAskAgainMs, noAnswerFor } from '#server/features/release-core/emergency.rules.ts';
import type { Refusal } from '#server/features/release-core/events.rules.ts';
import { isAway } from '#server/features/release-core/facts.rules.ts';
import { contactRefusedEmail } from '#server/features/release-mail/request-refused.emails.ts';
import { dateOf } from '#server/features/release-state/release.rows.ts';
import type { LoadedWorld } from '#server/features/release-state/release.store.ts';
import type { Executor } from '#server/platform/db/database.ts';

type Refused = { contactId: string; refused: Refusal; at: Date };

/**
 * Emails the contact whose address was typed into an emergency form that started nothing: the reason, and when to try
 * again. The mail goes to their registered address, because the form gives every caller the same answer. At most once a
 * day.
 */
export async function notifyRefusedContact(
  app: App,
  tx: Executor,
  loaded: LoadedWorld,
  { contactId, refused, at }: Refused,
): Promise<void> {
  const { owner, contacts, world, reading } = loaded;
  const contact = contacts.find(({ id }) => id === contactId);
  const reason = noAnswerFor(world, { contactId, refused });
  if (!contact || !reason) return;

  const now = { atMs: at.getTime(), healthyMs: reading.healthyMs };
  const kind = 'release.request-refused';
  const ownerName = [owner.firstName, owner.lastName].filter(Boolean).join(' ') || owner.email;
  const people = { contactName: contact.name, ownerName, ownerFirstName: owner.firstName || ownerName };
  const againAt = dateOf(canAskAgainMs(world, { contactId, refused }, now));
  const awayUntil = isAway(world, now) ? dateOf(world.owner.awayUntilMs) : null;
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind,
    userId: owner.id,
    subjectId: contactId,
    contactId,
    dedupeKey: `request-refused:${contactId}:${at.toISOString().slice(0, 10)}`,
    at,
    to: { address: contact.email, name: contact.name },
    mail: contactRefusedEmail({ ...people, baseUrl: app.baseUrl, reason, againAt, awayUntil }),
  });
}
