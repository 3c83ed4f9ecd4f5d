import type { DeliverOn } from '#shared/rules/deliver-on.ts';
import { dayMs, type ReleaseMethod } from '#shared/rules/inactivity.ts';

/**
 * Everything the core knows about one owner. The shell reads a world from rows under the owner's lock. Only `decide`
 * produces events, and only `evolve` applies them.
 */
export type World = {
  owner: Owner;
  /** Active and confirmed contacts, one for each address, without the owner's own. */
  contacts: readonly Contact[];
  /** Letters that a release would deliver, one per message and recipient. */
  readyLetters: readonly string[];
  /** Chosen days of the letters that have a day of their own. */
  ownDays?: ReadonlyMap<string, DeliverOn>;
  /** Letters of closed releases that were left as they are: each leaves on its day, whatever else is open. */
  waitingLetters: readonly WaitingLetter[];
  /**
   * Notice to the owner after a restore, which lost which letters have left. Every waiting letter of any release waits
   * until three days after it.
   */
  restart: number | null;
  visibleDocuments: number;
  stops: Stops;
  silence: Silence | null;
  request: Request | null;
  release: Release | null;
  /** Every mail and text about open silences, requests and releases, by its number. A retry is a new one. */
  notices: readonly Notice[];
  /** The number of the next notice. */
  nextNotice: number;
  /** Earlier early requests that still limit a new one. */
  past: readonly PastRequest[];
};

export type Owner = {
  lastActivityMs: number;
  /** "I am on a journey until": silence is counted from the later of this and the last activity. */
  awayUntilMs: number | null;
  inactivityDays: number;
  method: ReleaseMethod;
  quorum: number;
  answerDays: number;
  waitingDays: number;
  isVerified: boolean;
  hasPhone: boolean;
};

export type Contact = {
  id: string;
  /** Time at which they accepted the role. */
  confirmed: Mark;
  /**
   * True if the mailbox is under review: it confirmed early for too many owners in a day. Its early confirmations do
   * not count until the operator has checked.
   */
  isUnderReview?: boolean;
};

/** Stops of forward steps. Reminders to the owner continue under all of them. */
export type Stops = {
  /** Frozen by the operator or a restore: all owners, or this one by name. */
  isFrozen: boolean;
  /** The account is being deleted: nothing goes forward but letters that wait for a day of their own. */
  isClosing?: boolean;
  /** True if the breaker has stopped steps by silence alone. */
  isSilenceStopped: boolean;
  /** An early release would write to many new mailboxes, so it waits for the operator. Silence does not. */
  isEarlyStopped?: boolean;
  /** End of the latest stop. Frozen mails became due at that time. */
  resumed?: Mark | null;
  /** End of the newest outage. */
  outageEndedMs?: number | null;
};

/** A moment by the clock and in healthy time: wall time less outages, from which every window is measured. */
export type Mark = { atMs: number; healthyMs: number };

/** Announced numbers, fixed when the first reminder of a silence is written or an early request opens. */
export type Terms = { inactivityDays: number; needed: number; answerDays: number; waitingDays: number };

/** An owner's time without activity, from the first reminder on. */
export type Silence = { terms: Terms; firstNotice: number; lastNotice: number | null };

/** A question to people whether the letters may go. At most one is open for an owner. */
export type Request = {
  cause: 'silence' | 'emergency' | 'trustee';
  terms: Terms;
  opened: Mark;
  /**
   * The silence had ended, and the owner had been notified of it, when the request opened or was taken over: there is
   * no wait.
   */
  isSilenceOver: boolean;
  /** Contact who asked for it. Null for a request by silence. */
  askedBy: string | null;
  /** Time from which silence asks: the opening, or when it took the request over. The answer time never begins earlier. */
  silenceAsks: Mark | null;
  /** Null unless a reminder bounced while silence asks contacts. */
  answerTime: AnswerTime | null;
  /** Latest announced day of delivery by silence. Null if it is still the first one. */
  toldUntilMs: number | null;
  asks: readonly Ask[];
  answers: readonly Answer[];
  /** The notice to the owner that contacts are asked. */
  ownerNotice: number | null;
  /** Fewer contacts are left than must confirm: since when, and the notice that tells the owner so. */
  shrunk: { since: Mark; notice: number | null } | null;
  phase: Asking | Paused | Holding;
};
/** Stopped answer time, with its used part; or a resumed one, which counts as if it began at `from`. */
export type AnswerTime = { name: 'stopped'; at: Mark; usedMs: number } | { name: 'resumed'; from: Mark };

export type Asking = { name: 'asking'; began: Mark };
export type Paused = { name: 'paused'; by: string; pause: Window };
/**
 * Owner's waiting days. They begin with the acceptance of their notice. `from` is set if they run without it, because
 * no mail reaches the owner.
 */
export type Holding = { name: 'holding'; notice: number; days: number; from: Mark | null };

/** A link of one contact. The newest one of a contact is the only one that takes an answer. */
export type Ask = {
  contactId: string;
  notice: number;
  /** Sent again to a contact who had a link already. The answer time does not restart. */
  isRepeat: boolean;
  /**
   * From before a pause that has ended, or of a former contact. The link opens nothing, but its holder knows of the
   * request.
   */
  isRevoked: boolean;
};

/** `alive`: the owner is alive and can't answer. It counts as a no, and its contact is asked again. */
export type Says = 'yes' | 'no' | 'alive';

export type Answer = {
  contactId: string;
  says: Says;
  at: Mark;
  /** The ask that it answers. */
  notice: number;
  /** Withdrawn by the contact, voided by leaving the role, or from before a pause that has ended. */
  isVoid: boolean;
};

export type Release = {
  began: Mark;
  /** Request that led to it. Until the first letter has left, the request can continue. */
  request: Request;
  letters: readonly Letter[];
  /** A sign-in since letters left, whose person has not answered yet: nothing more leaves. */
  question: Mark | null;
  /** Every letter that was due has ended, and the contacts are notified. */
  isDone: boolean;
  /** Contacts whom a mail about its letters has reached: that one could not be delivered, was damaged, or was never opened. */
  heard: readonly string[];
};
/** A message for one of its people, known by the id of that recipient. */
export type Letter = { id: string; state: 'waiting' | 'accepted' | 'opened' | 'failed' } | WaitingLetter;
/** A letter whose own day has not come. A release can be done without it. */
/** `isDeclined`: its reader wants no more letters, so it waits past its day for the word of the reader or a contact. */
export type WaitingLetter = { id: string; state: 'later'; dueAtMs: number; isDeclined?: true };

export type PastRequest = {
  contactId: string;
  opened: Mark;
  /** "I did not ask": not counted. */
  wasForeign: boolean;
  /** Time of the owner's Stop. */
  stopped: Mark | null;
};

export type Channel = 'email' | 'text';
export type OwnerTopic =
  | 'first_reminder'
  | 'last_reminder'
  | 'asked'
  | 'early_request'
  | 'new_request'
  | 'another_request'
  | 'fewer_contacts'
  | 'delayed'
  | 'paused'
  | 'alive_again'
  | 'wait'
  | 'wait_goes_on'
  | 'request_ended'
  | 'releasing'
  | 'letters_wait'
  | 'welcome_back'
  | 'sign_in'
  | 'not_owner';
export type ContactTopic =
  | 'question'
  | 'yes_kept'
  | 'delayed'
  | 'paused'
  | 'alive_again'
  | 'nothing_was_sent'
  | 'request_ended'
  | 'sign_in'
  | 'not_owner'
  | 'done'
  | 'taken_back';

/** One message to one person, by mail and, for an owner with a phone, by text. */
export type Notice = {
  id: number;
  /** `owner`, or the id of a contact. */
  to: string;
  topic: OwnerTopic | ContactTopic;
  /** Channels that the notice was written for. */
  channels: readonly Channel[];
  written: Mark;
  outcomes: Partial<Record<Channel, Outcome>>;
  /** True if a reminder had not reached the owner when it was written, so it names no day on which silence alone delivers. */
  isDayless?: true;
};
export type Outcome = {
  /**
   * Accepted by the mail server or delivered as a text; tried at a closed mailbox or a wrong number; or withdrawn
   * unsent.
   */
  kind: 'accepted' | 'tried' | 'withdrawn';
  at: Mark;
  /** True if the mail bounced after its acceptance, which then no longer counts. */
  isBounced?: true;
};

/** Window of whole days in healthy time: no outage, wrong clock or failed mail server uses it up. */
export type Window = { from: Mark; days: number };

/** Earliest end of a window, by the clock. */
export function endOf({ from, days }: Window, now: Mark): number {
  return now.atMs + Math.max(0, days * dayMs - (now.healthyMs - from.healthyMs));
}

export function isOver(window: Window, now: Mark): boolean {
  return endOf(window, now) <= now.atMs;
}

/** Numbers of days. They are healthy days unless the comment says otherwise. */
export const pauseDays = 30;
export const askAgainDays = 30;
/** Days after which a refused question delays nothing. */
export const refusedQuestionDays = 7;
/** An early request without enough answers ends. */
export const earlyRequestDays = 14;
/** Days of trouble with the owner's mail after which contacts are asked anyway. */
export const troubleDays = 30;
/** Days that silence alone waits in addition if no channel accepted a reminder. */
export const unreachedDays = 90;
/** Days in which a new contact does not count for an early release. */
export const newContactDays = 3;
/** Days after a Stop before the contact of that request can ask again. */
export const afterStopDays = 30;
export const earlyRequestsMax = 3;
export const earlyRequestsWindowMs = 7 * dayMs;
/** A day that falls into an outage comes with the first healthy hour. */
export const healthyHourMs = 3_600_000;
/** Days after their notice that letters wait if a restore lost whether they left. */
export const restartDays = 3;
/** Days that an unanswered sign-in after delivery stops letters. */
export const questionDays = 30;
