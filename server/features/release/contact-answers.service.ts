import type { Executor } from '#server/platform/db/database.ts';
import { canAskAgainMs, noAnswerFor } from './emergency.rules.ts';
import { contactRefusedEmail } from './release-contacts.emails.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';
import type { Ignored } from './release-events.rules.ts';
import type { Situation } from './release-situation.service.ts';
import { dateOf } from './release-state.ts';

type Refused = { contactId: string; ignored: Ignored; before: readonly Date[]; at: Date };

/**
 * The emergency form was filled in with the address of a contact, and nothing begins: the contact hears why and when
 * to try again, at their own registered address, since the form itself says the same to everybody. Once a day at most.
 */
export function createContactAnswers({ notifications, baseUrl }: ReleaseDependencies) {
  return async function tellContact(tx: Executor, situation: Situation, refused: Refused): Promise<void> {
    const { owner, contacts, facts, reading } = situation;
    const { contactId, ignored, before, at } = refused;
    const contact = contacts.find(({ id }) => id === contactId);
    const time = { now: at.getTime(), healthyMs: reading.healthyMs };
    const about = { contactId, ignored, requestedMs: before.map((each) => each.getTime()), time };
    const reason = noAnswerFor(facts, about);
    if (!contact || !reason) return;

    const kind = 'release.request-refused';
    const ownerName = [owner.firstName, owner.lastName].filter(Boolean).join(' ') || owner.email;
    const people = { contactName: contact.name, ownerName, ownerFirstName: owner.firstName || ownerName, baseUrl };
    await notifications.enqueue(tx, {
      channel: 'email',
      kind,
      userId: owner.id,
      subjectId: contactId,
      dedupeKey: `request-refused:${contactId}:${at.toISOString().slice(0, 10)}`,
      at,
      to: { address: contact.email, name: contact.name },
      mail: contactRefusedEmail({ ...people, reason, againAt: dateOf(canAskAgainMs(facts, about)) }),
    });
  };
}
