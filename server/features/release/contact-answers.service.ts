import { canAskAgainMs, noAnswerFor } from '#server/features/release-core/emergency.rules.ts';
import type { Refusal } from '#server/features/release-core/events.rules.ts';
import { isAway } from '#server/features/release-core/facts.rules.ts';
import { contactRefusedEmail } from '#server/features/release-mail/request-refused.emails.ts';
import { dateOf } from '#server/features/release-state/release.rows.ts';
import type { Situation } from '#server/features/release-state/release.store.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import type { Executor } from '#server/platform/db/database.ts';

type Refused = { contactId: string; refused: Refusal; at: Date };

/**
 * The emergency form was filled in with the address of a contact, and nothing begins: the contact hears why and when
 * to try again, at their own registered address, since the form itself says the same to everybody. Once a day at most.
 */
export function createContactAnswers({ notifications, baseUrl }: ReleaseDependencies) {
  return async function tellContact(tx: Executor, situation: Situation, { contactId, refused, at }: Refused) {
    const { owner, contacts, world, reading } = situation;
    const contact = contacts.find(({ id }) => id === contactId);
    const reason = noAnswerFor(world, { contactId, refused });
    if (!contact || !reason) return;

    const now = { atMs: at.getTime(), healthyMs: reading.healthyMs };
    const kind = 'release.request-refused';
    const ownerName = [owner.firstName, owner.lastName].filter(Boolean).join(' ') || owner.email;
    const people = { contactName: contact.name, ownerName, ownerFirstName: owner.firstName || ownerName, baseUrl };
    const againAt = dateOf(canAskAgainMs(world, { contactId, refused }, now));
    const awayUntil = isAway(world, now) ? dateOf(world.owner.awayUntilMs) : null;
    await notifications.enqueue(tx, {
      channel: 'email',
      kind,
      userId: owner.id,
      subjectId: contactId,
      contactId,
      dedupeKey: `request-refused:${contactId}:${at.toISOString().slice(0, 10)}`,
      at,
      to: { address: contact.email, name: contact.name },
      mail: contactRefusedEmail({ ...people, reason, againAt, awayUntil }),
    });
  };
}
