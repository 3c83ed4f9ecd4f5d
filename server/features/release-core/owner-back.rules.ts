import type { Draft } from './draft.rules.ts';
import type { Refusal } from './events.rules.ts';
import { knowing } from './facts.rules.ts';
import type { World } from './model.rules.ts';
import { acceptedAt } from './notice-facts.rules.ts';

/** Ends a release because the owner is back, and notifies everyone who knows of it. */
export function endRelease(
  draft: Draft,
  { takesBack, isStop }: { takesBack: boolean; isStop: boolean },
): Refusal | null {
  const { release, contacts } = draft.world;
  if (!release) return 'nothing_open';
  const told = new Set([...knowing(draft.world, release.request), ...release.heard, ...reachedContacts(draft.world)]);
  draft.happen({ kind: 'release_closed', takesBack, past: draft.pastOf(release.request, { isStop }) });
  draft.withdrawAll();
  if (draft.world.silence) draft.happen({ kind: 'silence_ended' });
  for (const { id } of contacts.filter((contact) => told.has(contact.id))) draft.tellContact(id, 'taken_back');
  return null;
}

/** Contacts who accepted any mail about the open request or release. */
function reachedContacts({ notices }: World): string[] {
  return notices.filter((notice) => notice.to !== 'owner' && acceptedAt(notice)).map(({ to }) => to);
}
