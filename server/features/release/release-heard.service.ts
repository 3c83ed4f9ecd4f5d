import { mailKinds } from '#server/features/delivery/delivery.mail.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { acceptedKeys } from './release.repository.ts';
import type { CycleFacts } from './release-facts.rules.ts';
import { contactQuestionKind, releasedKind } from './release-keys.rules.ts';

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
