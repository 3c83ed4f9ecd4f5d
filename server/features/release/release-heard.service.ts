import { mailKinds } from '#server/features/delivery/delivery.dependencies.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { acceptedKeys } from './release.repository.ts';
import type { CycleFacts } from './release-facts.rules.ts';
import { contactQuestionKind, readMailKey, releasedKind } from './release-keys.rules.ts';

const kinds = [releasedKind, contactQuestionKind, mailKinds.unreachable, mailKinds.heldBack];

/**
 * The contacts whom a mail has told how a delivery goes, or that it is done. They may never have been asked, so when
 * the owner comes back it is these mails alone that know who has to hear of it. Somebody who became a contact later
 * has heard nothing, and one whose mail was still waiting never will.
 */
export async function contactsWhoHeard(
  executor: Executor,
  { cycleId, state }: { cycleId: string; state: CycleFacts['state'] },
  contacts: readonly { id: string }[],
): Promise<string[]> {
  if (state !== 'releasing' && state !== 'released') return [];
  // The key of each such mail names the contact whom it is for.
  const keys = await acceptedKeys(executor, cycleId, kinds);
  return contacts.map(({ id }) => id).filter((id) => keys.some((key) => key.includes(id)));
}

/** The contacts whom a mail has told that somebody signed in, and by which of those mails last. */
export async function contactsWhoHeardOfQuestion(
  executor: Executor,
  cycleId: string,
): Promise<{ contactId: string; tries: number }[]> {
  const last = new Map<string, number>();
  for (const text of await acceptedKeys(executor, cycleId, [contactQuestionKind])) {
    const key = readMailKey(text);
    if (key) last.set(key.personId, Math.max(key.tries, last.get(key.personId) ?? 0));
  }
  return [...last].map(([contactId, tries]) => ({ contactId, tries }));
}
