import type { DeliverOn } from '#shared/rules/deliver-on.ts';
import { dayMs, type ReleaseMethod } from '#shared/rules/inactivity.ts';

/**
 * What the core knows of one owner. A world is read from rows under the owner's lock; `decide` says what happens, `evolve`
 * makes it so, and nothing else decides anything.
 */
export type World = {
  owner: Owner;
  /** Active and confirmed contacts, one for each address, without the owner's own. */
  contacts: readonly Contact[];
  /** What a release would hand over, one for each of those a message is for, and whether contacts would see a document. */
  readyLetters: readonly string[];
  /** When those of them go that have a day of their own. */
  ownDays?: ReadonlyMap<string, DeliverOn>;
  /** Letters of releases that are closed and were left as they are: each goes on its day, whatever else is open. */
  waitingLetters: readonly WaitingLetter[];
  /** After a restore nobody knows what has left: whatever waits, of any release, goes three days after this notice to the owner. */
  restart: number | null;
  visibleDocuments: number;
  stops: Stops;
  silence: Silence | null;
  request: Request | null;
  release: Release | null;
  /** Every mail and text of what is open, by its number. A retry is a new one. */
  notices: readonly Notice[];
  /** The number of the next notice. */
  nextNotice: number;
  /** What was asked for early before, as far as it limits what may be asked for now. */
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
  /** When they accepted the role. */
  confirmed: Mark;
  /** Their mailbox confirmed early for too many owners in a day: until the operator has looked, it counts for nobody early. */
  isHeld?: boolean;
};

/** What holds forward steps. Reminders to the owner go on under all of them. */
export type Stops = {
  /** Frozen by the operator or a restore: for everybody, or this owner by name. */
  isFrozen: boolean;
  /** The account is being deleted: nothing goes forward but letters that wait for a day of their own. */
  isClosing?: boolean;
  /** The breaker has stopped what silence alone would do. */
  isSilenceStopped: boolean;
  /** An early release would write to many new mailboxes, so it waits for the operator. Silence does not. */
  isEarlyStopped?: boolean;
  /** When what was stopped last went on: what had been held until then has been on its way since. */
  resumed?: Mark | null;
  /** When the newest outage was over. */
  outageEndedMs?: number | null;
};

/** A moment by the clock and in healthy time: wall time less outages, from which every window is measured. */
export type Mark = { atMs: number; healthyMs: number };

/** What people were told, fixed when the first reminder of a silence is written or an early request opens. */
export type Terms = { inactivityDays: number; needed: number; answerDays: number; waitingDays: number };

/** An owner's time without activity, from the first reminder on. */
export type Silence = { terms: Terms; firstNotice: number; lastNotice: number | null };

/** A question to people whether the letters may go. At most one is open for an owner. */
export type Request = {
  cause: 'silence' | 'emergency' | 'trustee';
  terms: Terms;
  opened: Mark;
  /** The silence was over, and the owner had been told of it, when the request opened or was taken over: nothing is waited for. */
  isSilenceOver: boolean;
  /** Who asked for it; `null` where silence did. */
  askedBy: string | null;
  /** Since when silence asks, be it from the beginning or because it took the request over: no answer time begins before. */
  silenceAsks: Mark | null;
  /** Null unless a reminder bounced while silence asks contacts. */
  answerTime: AnswerTime | null;
  /** The day of delivery by silence that people were last told of; null if it is still the first one. */
  toldUntilMs: number | null;
  asks: readonly Ask[];
  answers: readonly Answer[];
  /** The notice to the owner that contacts are asked. */
  ownerNotice: number | null;
  /** Fewer contacts are left than must confirm: since when, and the notice that tells the owner so. */
  shrunk: { since: Mark; notice: number | null } | null;
  phase: Asking | Paused | Holding;
};
/** The answer time stands still, with so much of it used; or it has gone on, and counts as if it began at `from`. */
export type AnswerTime = { name: 'stopped'; at: Mark; usedMs: number } | { name: 'resumed'; from: Mark };

export type Asking = { name: 'asking'; began: Mark };
export type Paused = { name: 'paused'; by: string; pause: Window };
/**
 * The owner's own days. They begin with the acceptance of the notice that tells of them; `from` where they run without it,
 * since no mail reaches the owner.
 */
export type Holding = { name: 'holding'; notice: number; days: number; from: Mark | null };

/** A link of one contact. The newest one of a contact is the only one that takes an answer. */
export type Ask = {
  contactId: string;
  notice: number;
  /** Sent again to whoever had one already: nobody's time to answer begins anew. */
  isAgain: boolean;
  /** From before a pause that is over, or of somebody who has left since: it opens nothing, but who holds it knows of the request. */
  isDead: boolean;
};

export type Answer = {
  contactId: string;
  says: 'yes' | 'no';
  at: Mark;
  /** The ask that it answers. */
  notice: number;
  /** Taken back by the contact, voided by leaving the role, or from before a pause that is over. */
  isVoid: boolean;
};

export type Release = {
  began: Mark;
  /** The request that led to it: until the first letter has left, it can go on. */
  request: Request;
  letters: readonly Letter[];
  /** Somebody has signed in since letters left, and has not said who they are: nothing more leaves. */
  question: Mark | null;
  /** Every letter that was due has ended, and the contacts are told. */
  isDone: boolean;
  /** Contacts whom a mail about its letters has reached: that one could not be delivered, was damaged, or was never opened. */
  heard: readonly string[];
};
/** A message for one of its people, known by the id of that recipient. */
export type Letter = { id: string; state: 'waiting' | 'accepted' | 'opened' | 'failed' } | WaitingLetter;
/** One with a day of its own, which has not come: it keeps nothing open, and counts as nothing that was to be done. */
export type WaitingLetter = { id: string; state: 'later'; dueAtMs: number };

export type PastRequest = {
  contactId: string;
  opened: Mark;
  /** "I did not ask": not counted. */
  wasForeign: boolean;
  /** When the owner stopped it. */
  stopped: Mark | null;
};

export type Channel = 'email' | 'text';
export type OwnerTopic =
  | 'first_reminder'
  | 'last_reminder'
  | 'asked'
  | 'early_request'
  | 'another_request'
  | 'fewer_contacts'
  | 'delayed'
  | 'paused'
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
  | 'nothing_was_sent'
  | 'request_ended'
  | 'sign_in'
  | 'not_owner'
  | 'done'
  | 'taken_back';

/** One thing that one person is told, by mail and, an owner with a phone, by text. */
export type Notice = {
  id: number;
  /** `owner`, or the id of a contact. */
  to: string;
  topic: OwnerTopic | ContactTopic;
  /** By which it was written. */
  channels: readonly Channel[];
  written: Mark;
  outcomes: Partial<Record<Channel, Outcome>>;
  /** True if a reminder had not reached the owner when it was written, so it names no day on which silence alone delivers. */
  isDayless?: true;
};
export type Outcome = {
  /** Taken by the mail server, or delivered as a text; tried in vain at a closed mailbox or a wrong number; or taken back unsent. */
  kind: 'accepted' | 'tried' | 'withdrawn';
  at: Mark;
  /** A delivery status notification came after the acceptance: it counts for nothing any more. */
  isBounced?: true;
};

/** A window of whole days, measured in healthy time: no outage, no wrong clock and no dead mail server can eat it. */
export type Window = { from: Mark; days: number };

/** When a window is over at the earliest, by the clock. */
export function endOf({ from, days }: Window, now: Mark): number {
  return now.atMs + Math.max(0, days * dayMs - (now.healthyMs - from.healthyMs));
}

export function isOver(window: Window, now: Mark): boolean {
  return endOf(window, now) <= now.atMs;
}

/** Days, all healthy ones unless it says otherwise. */
export const pauseDays = 30;
export const askAgainDays = 30;
/** A question that is still refused holds up nothing after so long. */
export const refusedQuestionDays = 7;
/** An early request without enough answers ends. */
export const earlyRequestDays = 14;
/** Mail to the owner in trouble for so long: contacts are asked all the same. */
export const troubleDays = 30;
/** Where no channel took a reminder, silence alone waits so much longer. */
export const unreachedDays = 90;
/** A contact who accepted within so long does not count for an early release. */
export const newContactDays = 3;
/** A contact whose request the owner stopped can ask again after so long. */
export const afterStopDays = 30;
export const earlyRequestsMax = 3;
export const earlyRequestsWindowMs = 7 * dayMs;
/** A day that falls into an outage comes with the first healthy hour. */
export const healthyHourMs = 3_600_000;
/** Letters of which a restore has forgotten whether they left wait so long behind their notice. */
export const restartDays = 3;
/** A sign-in after delivery that nobody explains holds letters for so long. */
export const questionDays = 30;
