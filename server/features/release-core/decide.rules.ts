import { answer, didNotAsk, takeBack } from './contact-answers.rules.ts';
import { Draft } from './draft.rules.ts';
import type { Command, Decision, Refusal } from './events.rules.ts';
import {
  countsEarlyFrom,
  earlyRequestsOfWeek,
  isUnanswered,
  newestAsk,
  termsAtOpening,
  termsOf,
  yesesOf,
} from './facts.rules.ts';
import { afterStopDays, earlyRequestsMax, isOver, type Mark, type World } from './model.rules.ts';
import { acceptedAt, hasBounced, isUnderWay, noticeOf } from './notice-facts.rules.ts';
import { endRelease } from './owner-back.rules.ts';
import { questionFromMs } from './questions.rules.ts';
import { visit } from './visit.rules.ts';

/**
 * Result of a command: the events, or the reason why there are none. Pure: the same world, command and time give the
 * same answer, whichever worker asks. The caller runs a visit by the clock after every command.
 */
export function decide(world: World, command: Command, now: Mark): Decision {
  if (command.kind === 'visit') return { events: visit(world, now).events, refused: null };
  const draft = new Draft(world, now);
  const refused = act(draft, command);
  return refused ? { events: [], refused } : { events: draft.events, refused: null };
}

function act(draft: Draft, command: Exclude<Command, { kind: 'visit' }>): Refusal | null {
  switch (command.kind) {
    case 'life':
      return life(draft, 'owner_back', command.isStop ?? false);
    case 'close':
      return life(draft, 'closed', false);
    case 'emergency':
      return emergency(draft, command.contactId, command.isOwnerNotified ?? false);
    case 'trustee':
      return trustee(draft, command.contactId);
    case 'answer':
      return answer(draft, command);
    case 'did_not_ask':
      return didNotAsk(draft, command.contactId);
    case 'take_back':
      return takeBack(draft, command.contactId);
    case 'left':
      return left(draft, command.contactId);
    case 'notice_ended':
      if (!isKnown(draft, command.notice)) return 'nothing_open';
      draft.happen(command);
      if (command.outcome === 'accepted') lateQuestion(draft, command.notice);
      return null;
    case 'notice_bounced':
      if (!isKnown(draft, command.notice)) return 'nothing_open';
      draft.happen(command);
      holdAgain(draft, command.notice);
      return null;
    case 'letter_ended':
      if (!draft.world.release) return 'nothing_open';
      draft.happen(command);
      return null;
    case 'signed_in':
      return signedIn(draft);
    case 'is_owner':
      return endRelease(draft, { takesBack: command.takesBack, isStop: false });
    case 'is_not_owner':
      return isNotOwner(draft);
    case 'begin_anew':
      return beginAnew(draft);
  }
}

/** Never refused. After the first letter has left, it withdraws every unopened link. */
function life(draft: Draft, why: 'owner_back' | 'closed', isStop: boolean): Refusal | null {
  if (draft.world.release) return endRelease(draft, { takesBack: true, isStop });
  draft.ownerIsBack(why, isStop);
  return null;
}

function refusedEarly(
  { owner, contacts, stops, release, request, ...world }: World,
  contactId: string,
  now: Mark,
): Refusal | null {
  if (!owner.isVerified) return 'not_verified';
  const contact = contacts.find(({ id }) => id === contactId);
  if (!contact) return 'not_a_contact';
  if (stops.isFrozen || stops.isClosing) return 'frozen';
  // A request by silence counts every contact, so a new one can confirm in it by any way.
  if (request?.cause !== 'silence' && countsEarlyFrom(contact, now) > now.atMs) return 'contact_too_new';
  if (release) return 'too_late';
  if (world.readyLetters.length === 0 && world.visibleDocuments === 0) return 'nothing_ready';
  if (request?.phase.name === 'paused') return 'paused';
  if (request) return null;
  if (earlyRequestsOfWeek(world, now).length >= earlyRequestsMax) return 'budget_spent';
  const wasStopped = world.past.some(
    (past) => past.contactId === contactId && past.stopped && !isOver({ from: past.stopped, days: afterStopDays }, now),
  );
  return wasStopped ? 'stopped_before' : null;
}

/**
 * A stranger filled in the form with the addresses of the owner and this contact. The contact alone gets a link. If the
 * owner was notified of the form within the day, only a new request, or a contact who is newly asked, notifies them again
 * immediately.
 */
function emergency(draft: Draft, contactId: string, isOwnerNotified: boolean): Refusal | null {
  const refused = refusedEarly(draft.world, contactId, draft.now);
  if (refused) return refused;
  const { request } = draft.world;
  const before = request && newestAsk(request, contactId);
  if (request && yesesOf(draft.world, request).includes(contactId)) return 'already_answered';
  if (request && before && !isUnanswered(request, before)) return 'already_answered';
  if (questionFromMs(draft.world, contactId) > draft.now.atMs) return 'already_asked';
  openEarly(draft, 'emergency', contactId);
  draft.withdrawQuestion(contactId);
  draft.happen({
    kind: 'contact_asked',
    notice: draft.newNotice(),
    contactId,
    isRepeat: before !== undefined && before !== null,
  });
  if (!isOwnerNotified) draft.tellOwner('early_request');
  else if (!request) draft.tellOwner('new_request');
  else if (!before) draft.tellOwner('another_request');
  return null;
}

function openEarly(draft: Draft, cause: 'emergency' | 'trustee', askedBy: string): void {
  if (draft.world.request) return;
  const terms = termsAtOpening(termsOf(draft.world), draft.world);
  draft.happen({ kind: 'request_opened', cause, terms, isSilenceOver: false, askedBy });
}

/** A trustee's press is that contact's yes. */
function trustee(draft: Draft, contactId: string): Refusal | null {
  const refused = refusedEarly(draft.world, contactId, draft.now);
  if (refused) return refused;
  const { request } = draft.world;
  if (request && yesesOf(draft.world, request).includes(contactId)) return 'already_answered';
  openEarly(draft, 'trustee', contactId);
  draft.withdrawQuestion(contactId);
  draft.happen({ kind: 'answer_given', contactId, says: 'yes' });
  draft.tellOwner('early_request');
  return null;
}

/** Notices are deleted together with their contact. Later outcomes of their mails change nothing. */
function isKnown({ world }: Draft, notice: number): boolean {
  return world.notices.some(({ id }) => id === notice);
}

/** A contact who receives a void question is immediately notified of the present state. */
function lateQuestion(draft: Draft, id: number): void {
  const { request, release, owner } = draft.world;
  const { topic, to, written } = noticeOf(draft.world, id);
  if (topic !== 'question' || release) return;
  // “The owner is well” is sent only after activity since.
  const ended = owner.lastActivityMs >= written.atMs ? 'nothing_was_sent' : 'request_ended';
  if (!request?.asks.some(({ notice }) => notice === id)) draft.tellContact(to, ended);
  else if (request.phase.name === 'paused' && request.phase.by !== to) draft.tellContact(to, 'paused');
}

/** Leaving the role voids a yes; a no stays. */
function left(draft: Draft, contactId: string): Refusal | null {
  if (!draft.world.request || draft.world.release) return 'nothing_open';
  draft.withdrawQuestion(contactId);
  draft.happen({ kind: 'answer_voided', contactId, isGone: true });
  return null;
}

/** A sign-in after delivery withdraws nothing automatically: a mourner may know the owner's password. */
function signedIn(draft: Draft): Refusal | null {
  const { release, contacts } = draft.world;
  if (!release) return life(draft, 'owner_back', false);
  const isOpen = release.question !== null;
  draft.happen({ kind: 'question_opened' });
  if (isOpen) return null;
  draft.tellOwner('sign_in');
  for (const { id } of contacts) draft.tellContact(id, 'sign_in');
  return null;
}

/** “I am not the owner”: the sign-in was no activity. Everyone notified of it is notified of this answer. */
function isNotOwner(draft: Draft): Refusal | null {
  const { release, notices } = draft.world;
  if (!release?.question) return 'nothing_open';
  // Contacts were already notified that an earlier sign-in was not the owner's.
  const answered = notices.findLast(({ topic, to }) => topic === 'not_owner' && to === 'owner')?.id ?? 0;
  const ofSignIn = notices.filter(({ topic, id }) => topic === 'sign_in' && id > answered);
  const told = new Set(ofSignIn.filter((notice) => acceptedAt(notice)).map(({ to }) => to));
  for (const notice of ofSignIn.filter(isUnderWay)) draft.happen({ kind: 'notice_withdrawn', notice: notice.id });
  draft.happen({ kind: 'question_ended' });
  draft.tellOwner('not_owner');
  for (const id of told) draft.tellContact(id, 'not_owner');
  return null;
}

/** Restarts all windows and asks open questions again, because a restore loses the answers since the backup. */
function beginAnew(draft: Draft): Refusal | null {
  const { request } = draft.world;
  if (request && request.phase.name !== 'paused') draft.endRequest('begun_anew');
  draft.happen({ kind: 'windows_began_anew' });
  if (hasUnsent(draft.world)) draft.happen({ kind: 'letters_held', notice: draft.newNotice() });
  return null;
}

/** The notice after a restore bounced after its days had ended. Unsent letters wait for another notice. */
function holdAgain(draft: Draft, id: number): void {
  const { restart } = draft.world;
  const notice = noticeOf(draft.world, id);
  if (notice.topic !== 'letters_wait' || restart !== null || !hasBounced(notice) || !hasUnsent(draft.world)) return;
  draft.happen({ kind: 'letters_held', notice: draft.newNotice() });
}

function hasUnsent({ release, waitingLetters }: World): boolean {
  const isUnsent = release?.letters.some(({ state }) => state === 'waiting' || state === 'later');
  return isUnsent || waitingLetters.length > 0;
}
