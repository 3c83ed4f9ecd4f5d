import { aliveCount } from './alive.rules.ts';
import type { Draft } from './draft.rules.ts';
import type { Command, Refusal } from './events.rules.ts';
import { isNo, isUnanswered, knowing, liveAsk, newestAsk, saidNo, yesesOf } from './facts.rules.ts';
import type { Release, Request } from './model.rules.ts';
import { isUnderWay } from './notice-facts.rules.ts';

/** Decisions about an answer of a contact, and about taking it back. */

/** A link is answered once. A trustee can answer without one, too. */
export function answer(
  draft: Draft,
  { contactId, says, isByAccount }: Extract<Command, { kind: 'answer' }>,
): Refusal | null {
  const { release, contacts } = draft.world;
  if (release && (says === 'yes' || isPastUndo(release))) return 'too_late';
  // Until the first letter has left, a first no wins every race.
  const request = draft.world.request ?? release?.request;
  if (!request) return 'nothing_open';
  if (!contacts.some(({ id }) => id === contactId)) return 'not_a_contact';
  const isAsked = isByAccount ? hasNotAnswered(request, contactId) : liveAsk(request, contactId) !== undefined;
  if (!isAsked) return isByAccount || newestAsk(request, contactId) ? 'already_answered' : 'link_dead';
  if (request.phase.name === 'paused' && says === 'yes') return 'paused';
  const isFirstNo = isNo({ says }) && !saidNo(request, contactId);
  if (release && !isFirstNo) return 'too_late';
  if (release) undo(draft);
  draft.happen({ kind: 'answer_given', contactId, says });
  if (says !== 'yes') noSaid(draft, request, { contactId, says, isFirst: isFirstNo });
  return null;
}

/** True if the contact has said neither yes nor no since they were last asked. */
function hasNotAnswered(request: Request, contactId: string): boolean {
  const ask = newestAsk(request, contactId);
  if (ask) return isUnanswered(request, ask);
  return !request.answers.some((each) => each.contactId === contactId && !each.isVoid);
}

/** A no ends an early request. It pauses a request by silence if it is that contact's first. */
function noSaid(
  draft: Draft,
  request: Request,
  { contactId, says, isFirst }: { contactId: string; says: 'no' | 'alive'; isFirst: boolean },
): void {
  if (request.cause !== 'silence') {
    draft.endRequest(says);
    return;
  }
  if (!isFirst && says === 'alive') tellOfAlive(draft, contactId);
  if (!isFirst) return;
  const others = knowing(draft.world, request).filter((id) => id !== contactId);
  // An unsent mail would arrive with a link that opens nothing.
  for (const { id } of draft.world.contacts) draft.withdrawQuestion(id);
  draft.withdrawUnsent('yes_kept');
  draft.withdrawUnsent('delayed');
  draft.happen({ kind: 'paused', by: contactId });
  draft.tellOwner('paused');
  for (const id of others) draft.tellContact(id, 'paused');
}

/** From the second time on, the owner and the other contacts are told that a contact says that the owner is alive. */
function tellOfAlive(draft: Draft, contactId: string): void {
  const { request, contacts } = draft.world;
  if (!request || aliveCount(request, contactId) < 2) return;
  draft.withdrawUnsent('alive_again');
  draft.tellOwner('alive_again');
  for (const { id } of contacts) if (id !== contactId) draft.tellContact(id, 'alive_again');
}

export function didNotAsk(draft: Draft, contactId: string): Refusal | null {
  const { request } = draft.world;
  if (!request || request.cause === 'silence' || request.askedBy !== contactId) return 'nothing_open';
  draft.endRequest('did_not_ask');
  return null;
}

/** Withdraws a yes, until the first letter has left. */
export function takeBack(draft: Draft, contactId: string): Refusal | null {
  const { release } = draft.world;
  if (release && isPastUndo(release)) return 'too_late';
  const request = draft.world.request ?? release?.request;
  if (!request || !yesesOf(draft.world, request).includes(contactId)) return 'nothing_open';
  if (release) undo(draft);
  draft.happen({ kind: 'answer_voided', contactId, isGone: false });
  return null;
}

/** Something has left, or all that was to be done is done. What failed has not left. */
function isPastUndo({ letters, isDone }: Release): boolean {
  return isDone || letters.some(({ state }) => state === 'accepted' || state === 'opened');
}

/** No letter has left yet: the letters are ready again, and the request continues from its state. */
function undo(draft: Draft): void {
  for (const { id, topic } of draft.world.notices.filter((notice) => isUnderWay(notice))) {
    if (topic === 'releasing') draft.happen({ kind: 'notice_withdrawn', notice: id });
  }
  draft.happen({ kind: 'release_undone' });
  // A contact who left the role meanwhile changed nothing in the release. In the request they count as having left.
  draft.voidWhoLeft();
}
