import type {
  Channel,
  ContactTopic,
  Mark,
  Outcome,
  OwnerTopic,
  PastRequest,
  Request,
  Says,
  Terms,
  WaitingLetter,
} from './model.rules.ts';

/** Action of a person, outcome of a mail, or visit by the clock. */
export type Command =
  | { kind: 'visit' }
  /** A finished sign-in, a check-in, a change by the owner, a text that counts, or "Stop" in a mail. */
  | { kind: 'life'; isStop?: boolean }
  /** The account is to be deleted. */
  | { kind: 'close' }
  /** `isOwnerNotified`: the owner was notified of the form within the last day. */
  | { kind: 'emergency'; contactId: string; isOwnerNotified?: boolean }
  | { kind: 'trustee'; contactId: string }
  /** `isByAccount`: a trustee, who may have no link. */
  | { kind: 'answer'; contactId: string; says: Says; isByAccount?: true }
  /** "I did not ask", by the contact in whose name an emergency was asked for. */
  | { kind: 'did_not_ask'; contactId: string }
  | { kind: 'take_back'; contactId: string }
  /** The contact is none any more: `contacts` is without them. */
  | { kind: 'left'; contactId: string }
  | { kind: 'notice_ended'; notice: number; channel: Channel; outcome: 'accepted' | 'tried' }
  | { kind: 'notice_bounced'; notice: number; channel: Channel }
  | { kind: 'letter_ended'; letterId: string; outcome: 'accepted' | 'opened' | 'failed' }
  /** A sign-in after the first letter has left, and the answers to its question. */
  | { kind: 'signed_in' }
  | { kind: 'is_owner'; takesBack: boolean }
  | { kind: 'is_not_owner' }
  /** The database comes from a backup, or the clock was corrected: every window restarts. */
  | { kind: 'begin_anew' };

/** One change of a world. The state consists of nothing but these, in order. */
export type Event =
  | { kind: 'owner_told'; notice: number; topic: OwnerTopic }
  | { kind: 'contact_told'; notice: number; contactId: string; topic: Exclude<ContactTopic, 'question'> }
  | { kind: 'first_reminder_written'; notice: number; terms: Terms }
  | { kind: 'last_reminder_written'; notice: number }
  | { kind: 'notice_withdrawn'; notice: number }
  | { kind: 'silence_ended' }
  | { kind: 'request_opened'; cause: Request['cause']; terms: Terms; isSilenceOver: boolean; askedBy: string | null }
  /**
   * A wait is never shortened if the owner was notified of it (`keepsWait`) or contacts alone were notified of its day
   * (`toldFrom`).
   */
  | { kind: 'request_taken_over'; terms: Terms; keepsWait: boolean; toldFrom: Mark | null }
  /**
   * `untilMs`: the first announced day of delivery, if earlier questions named none. `isForNews`: they said that the
   * owner is alive. Their earlier links are dead, and the answer time restarts.
   */
  | {
      kind: 'contact_asked';
      notice: number;
      contactId: string;
      isRepeat: boolean;
      untilMs?: number;
      isForNews?: true;
    }
  | { kind: 'asking_told'; notice: number }
  /** A reminder bounced while contacts are asked. `usedMs`: how much of the answer time has passed. */
  | { kind: 'answer_time_stopped'; usedMs: number }
  | { kind: 'answer_time_resumed'; usedMs: number }
  /** The announced day of delivery has come, and the delivery is later. */
  | { kind: 'delivery_delayed'; untilMs: number }
  | { kind: 'answer_given'; contactId: string; says: Says }
  /** `isGone`: they left the role, so they are asked again if they come back. */
  | { kind: 'answer_voided'; contactId: string; isGone: boolean }
  | { kind: 'paused'; by: string }
  | { kind: 'asked_anew' }
  | { kind: 'contacts_fewer'; notice: number | null }
  | { kind: 'contacts_enough' }
  | { kind: 'needed_lowered'; to: number }
  | { kind: 'wait_began'; notice: number; days: number; needsNotice: boolean }
  | { kind: 'wait_left' }
  | { kind: 'request_ended'; why: EndOfRequest; past: PastRequest | null }
  /** `later`: those with a day of their own. */
  | { kind: 'released'; letters: readonly string[]; later: readonly WaitingLetter[] }
  /** The day of these letters has come, and they are queued. */
  | { kind: 'letters_due'; letters: readonly string[] }
  /** Before any letter had left. */
  | { kind: 'release_undone' }
  | { kind: 'letter_ended'; letterId: string; outcome: 'accepted' | 'opened' | 'failed' }
  | { kind: 'release_done' }
  /**
   * A restore lost which letters have left. The owner is notified, and unsent letters wait for the days of that notice.
   */
  | { kind: 'letters_held'; notice: number }
  /** The notice of a restore has waited for its days: letters leave again. */
  | { kind: 'letters_let_go' }
  | { kind: 'question_opened' }
  | { kind: 'question_ended' }
  | { kind: 'release_closed'; takesBack: boolean; past: PastRequest | null }
  | { kind: 'notice_ended'; notice: number; channel: Channel; outcome: Outcome['kind'] }
  | { kind: 'notice_bounced'; notice: number; channel: Channel }
  | { kind: 'windows_began_anew' };

export type EndOfRequest =
  | 'owner_back'
  | 'closed'
  | 'no'
  | 'alive'
  | 'did_not_ask'
  | 'nobody_answered'
  | 'too_few_contacts'
  | 'begun_anew';

/** Reason why a command had no effect. */
export type Refusal =
  | 'nothing_open'
  | 'too_late'
  | 'link_dead'
  | 'already_answered'
  | 'already_asked'
  | 'not_verified'
  | 'frozen'
  | 'not_a_contact'
  | 'contact_too_new'
  | 'nothing_ready'
  | 'paused'
  | 'budget_spent'
  | 'stopped_before';

export type Decision = {
  events: readonly Event[];
  refused: Refusal | null;
};

/** Reason why a due step is not taken. */
export type Blocker =
  | 'not_verified'
  | 'frozen'
  | 'nothing_ready'
  | 'no_contact'
  | 'owner_not_told'
  | 'no_said'
  | 'breaker'
  | 'early_review';

/** One thing that an event tells one person: `owner`, or a contact by their id. */
export type Told = { notice: number; to: string; topic: OwnerTopic | ContactTopic };

/** Recipient and topic of the notice that an event sends. Null if it sends none. */
export function toldBy(event: Event): Told | null {
  switch (event.kind) {
    case 'owner_told':
      return { notice: event.notice, to: 'owner', topic: event.topic };
    case 'contact_told':
      return { notice: event.notice, to: event.contactId, topic: event.topic };
    case 'first_reminder_written':
      return { notice: event.notice, to: 'owner', topic: 'first_reminder' };
    case 'last_reminder_written':
      return { notice: event.notice, to: 'owner', topic: 'last_reminder' };
    case 'contact_asked':
      return { notice: event.notice, to: event.contactId, topic: 'question' };
    case 'asking_told':
      return { notice: event.notice, to: 'owner', topic: 'asked' };
    case 'contacts_fewer':
      return event.notice === null ? null : { notice: event.notice, to: 'owner', topic: 'fewer_contacts' };
    case 'wait_began':
      return { notice: event.notice, to: 'owner', topic: 'wait' };
    case 'letters_held':
      return { notice: event.notice, to: 'owner', topic: 'letters_wait' };
    default:
      return null;
  }
}
