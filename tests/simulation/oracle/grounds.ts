import {
  type ContactNote,
  confirmedContacts,
  type OwnerNotes,
  type Said,
  type SilenceNotes,
  silencesOf,
  unsureContacts,
  type When,
  whenOf,
} from '#tests/simulation/people/notes.ts';
import type { Handed, MailKind } from '#tests/simulation/people/post.ts';
import type { WorldTime } from '#tests/simulation/time.ts';

const dayMs = 86_400_000;
/** Between accepted steps, as the design of a release says. */
const firstToLastDays = 7;
const lastToAskedDays = 10;
const pauseDays = 30;
/** Additional days of silence if no channel accepted a reminder. */
const unreachedDays = 90;
/** Wait after a yes if the owner could not be notified that the silence was over. */
const untoldDays = 14;
const newContactDays = 3;
/** An owner on a journey may be well and see no mail. */
const awayWaitDays = 14;
/** Permanent refusals that speak of the mailbox, on as many days, after which a reminder counts as tried. */
const refusalsOfClosed = 3;
/** Time after which a mail to a full mailbox stops being retried, less the usual outages. */
const givenUpMs = 27 * dayMs;
/** People write down when they were answered, a little later than the service's own time of it; and we look when all is over. */
const answeredLateMs = 10 * 60_000;
const seenLateMs = answeredLateMs;

/** A request as it was seen from outside: since when it was open, and since when it is one by silence. */
export type RequestSeen = {
  requestId: string;
  userId: string;
  isBySilence: boolean;
  opened: When;
  /** Since when silence asks; null for an early one. */
  silenceSince: When | null;
  /** True if both reminders had been accepted, with their gaps, when silence opened the request. */
  wasOver: boolean;
  /** The fewest contacts there were while it was open: no more can have been asked for. */
  fewestContacts: number;
  /** True if it was released and undone in this moment: its answers came after the release. */
  isUndone: boolean;
};

type Options = { time: WorldTime; handed: readonly Handed[]; answerDaysDefault: number };
type Reached = { upMs: number; isRefused: boolean };

/**
 * Grounds for asking about an owner, or for sending letters. They come from answers to people, accepted mail, and
 * real time. The service's uptime is never less than its healthy time, so a span that has not passed in uptime has
 * not passed in healthy time.
 */
export function createGrounds({ time, handed, answerDaysDefault }: Options) {
  const isTaken = ({ answer, bounced }: Handed) => (answer === 'accepted' || answer === 'lost') && !bounced;
  const isOver = (since: { upMs: number }, days: number) => whenOf(time).upMs - since.upMs >= days * dayMs;

  const mailsTo = (owner: OwnerNotes, kind: MailKind, since: { moment: number }) =>
    handed.filter(
      (mail) =>
        mail.kind === kind && mail.moment >= since.moment && (mail.to === owner.email || mail.to === owner.plan.phone),
    );

  /** Time when a mail or text to the owner was accepted, or had been refused often enough; null if neither. */
  function ended(owner: OwnerNotes, kind: MailKind, since: { moment: number }): Reached | null {
    const mails = mailsTo(owner, kind, since);
    const taken = mails.find(isTaken);
    if (taken) return { upMs: taken.upMs, isRefused: false };
    const refusal = closed(mails) ?? givenUp(mails);
    return refusal ? { upMs: refusal.upMs, isRefused: true } : null;
  }

  /** A journey that was announced is no silence. */
  const silentSinceMs = ({ awayUntilMs }: OwnerNotes, { activity }: SilenceNotes) =>
    Math.max(activity.wallMs, awayUntilMs ?? 0);

  /** Reason why silence alone does not open a request; null if it does. */
  function missingOfSilence(owner: OwnerNotes, silence: SilenceNotes): string | null {
    const silentDays = (whenOf(time).wallMs - silentSinceMs(owner, silence)) / dayMs;
    if (silentDays < owner.settings.inactivityDays) return `after ${silentDays.toFixed(2)} days of silence`;
    const first = ended(owner, 'first_reminder', silence.activity);
    // Acceptances since the backup are forgotten, so the last reminder is written again after it.
    const since = Math.max(silence.activity.moment, (owner.restored?.moment ?? -1) + 1);
    const last = ended(owner, 'last_reminder', { moment: since });
    if (!first || !last) return `without the ${first ? 'last' : 'first'} reminder`;
    if (last.upMs - first.upMs < firstToLastDays * dayMs) return 'with both reminders too close';
    return isOver(last, lastToAskedDays) ? null : 'too soon after the last reminder';
  }

  /** Confirmed contacts, and those of whom it is not sure whether they are. */
  function peopleOf(owner: OwnerNotes): ContactNote[] {
    const unsure = unsureContacts(owner, time.moment);
    return [...confirmedContacts(owner).filter((each) => !unsure.includes(each)), ...unsure];
  }

  /** First no of each contact, and the last no of any. */
  function noesOf(silence: SilenceNotes, request: RequestSeen): { firsts: Said[]; last: Said | null } {
    const noes = silence.said.filter(
      (each) =>
        each.requestId === request.requestId && each.says === 'no' && each.isSure && !isAfter(request, each.when),
    );
    const firsts = [...new Map(noes.toReversed().map((each) => [each.email, each])).values()];
    return { firsts, last: noes.at(-1) ?? null };
  }

  /** True if it was said after a release that it has undone. */
  const isAfter = ({ isUndone }: RequestSeen, { moment }: When) => isUndone && moment === time.moment;

  /** Valid yeses, or possibly valid ones: not withdrawn, not from before a pause, and from a possible contact. */
  function yesesOf(owner: OwnerNotes, silence: SilenceNotes, request: RequestSeen): Said[] {
    const { firsts } = noesOf(silence, request);
    const pausedAt = Math.max(-1, ...firsts.map(({ when }) => when.moment));
    const people = new Map(peopleOf(owner).map((contact) => [contact.email, contact]));
    const yeses = silence.said.filter(
      (each) =>
        each.requestId === request.requestId &&
        each.says === 'yes' &&
        (!each.voided || isAfter(request, each.voided)) &&
        each.when.moment > pausedAt,
    );
    const counted = yeses.filter(({ email }) => {
      const contact = people.get(email);
      if (!contact) return false;
      return request.isBySilence || !contact.confirmed || isOld(contact.confirmed);
    });
    return [...new Map(counted.map((each) => [each.email, each])).values()];
  }

  const isOld = ({ upMs }: When) => whenOf(time).upMs - upMs >= newContactDays * dayMs - answeredLateMs;

  function neededOf(owner: OwnerNotes, { fewestContacts }: RequestSeen): number {
    return Math.max(1, Math.min(owner.settings.releaseQuorum, fewestContacts));
  }

  function isConfirmed(owner: OwnerNotes, silence: SilenceNotes, request: RequestSeen): boolean {
    return yesesOf(owner, silence, request).length >= neededOf(owner, request);
  }

  /** The owner's waiting time, with the mail that announces it. A refused mail announces nothing. */
  function hasWaited(owner: OwnerNotes, silence: SilenceNotes): boolean {
    const notices = mailsTo(owner, 'holding', silence.activity).filter(isTaken);
    const days = owner.settings.releaseWaitingDays;
    const isAway = ({ at }: Handed) => Date.parse(at) < (owner.awayUntilMs ?? 0);
    return notices.some((notice) => isOver(notice, isAway(notice) ? Math.max(days, awayWaitDays) : days));
  }

  /** Reason why the contacts' answers do not suffice; null if they do. */
  function missingOfPeople(owner: OwnerNotes, silence: SilenceNotes, request: RequestSeen): string | null {
    const yeses = yesesOf(owner, silence, request);
    const needed = neededOf(owner, request);
    if (yeses.length < needed) return `with ${yeses.length} of ${needed} confirmations`;
    if (!request.isBySilence) return hasWaited(owner, silence) ? null : 'before the waiting period was over';
    if (request.wasOver && !missingOfSilence(owner, silence)) return null;
    const last = yeses.map(({ when }) => when.upMs).sort((one, other) => one - other)[needed - 1] ?? 0;
    const days = Math.max(untoldDays, owner.settings.releaseWaitingDays);
    return isOver({ upMs: last - answeredLateMs }, days) || hasWaited(owner, silence)
      ? null
      : 'before contacts had their days to say no';
  }

  /** Time since which the last contact has had a question that was not resent; else since the owner was notified. */
  function askedSince(owner: OwnerNotes, silence: SilenceNotes, request: RequestSeen): number | null {
    const { firsts } = noesOf(silence, request);
    const since = Math.max(request.opened.moment, ...firsts.map(({ when }) => when.moment));
    const people = new Set(peopleOf(owner).map(({ email }) => email));
    const first = new Map<string, number>();
    for (const mail of handed) {
      if (mail.kind !== 'ask' || mail.moment < since || !isTaken(mail) || !people.has(mail.to)) continue;
      if (!first.has(mail.to)) first.set(mail.to, mail.upMs);
    }
    const asked =
      first.size > 0 ? Math.max(...first.values()) : (ended(owner, 'asked', silence.activity)?.upMs ?? null);
    return asked === null ? null : Math.max(asked, (request.silenceSince ?? request.opened).upMs - seenLateMs);
  }

  function wasReached(owner: OwnerNotes, silence: SilenceNotes): boolean {
    const kinds = ['first_reminder', 'last_reminder'] as const;
    return kinds.some((kind) => mailsTo(owner, kind, silence.activity).some(isTaken));
  }

  /**
   * True if the newest first or last reminder bounced during the request and was resent. The answer time was then
   * paused for at least ten days. A text may have reached an owner with a phone.
   */
  function stoodStill(owner: OwnerNotes, silence: SilenceNotes, askedUpMs: number): boolean {
    if (owner.plan.phone !== null) return false;
    const kinds = ['first_reminder', 'last_reminder'] as const;
    return kinds.some((kind) => {
      const mails = mailsTo(owner, kind, silence.activity);
      return mails.some(({ bounced, moment }) => {
        if (!bounced || bounced.upMs <= askedUpMs) return false;
        const isNewest = !mails.some((other) => other.moment > moment && other.moment <= bounced.moment);
        return isNewest && mails.some((other) => other.moment > bounced.moment);
      });
    });
  }

  /** Reason why silence alone does not suffice; null if it does. */
  function missingOfSilentRelease(owner: OwnerNotes, silence: SilenceNotes, request: RequestSeen): string | null {
    const { settings } = owner;
    if (settings.releaseMethod !== 'inactivity') return 'with too few confirmations, though people alone decide';
    if (!request.isBySilence) return 'by an early request without its people';
    const missing = missingOfSilence(owner, silence);
    if (missing) return missing;
    const { last } = noesOf(silence, request);
    if (last && !isOver(last.when, pauseDays)) return `although ${last.email} has said no`;
    const asked = askedSince(owner, silence, request);
    const answerDays = settings.releaseAnswerDays ?? answerDaysDefault;
    if (asked === null || !isOver({ upMs: asked }, answerDays)) return 'before the time to answer was over';
    if (stoodStill(owner, silence, asked) && !isOver({ upMs: asked }, answerDays + lastToAskedDays))
      return 'though a reminder came back and the time to answer stood still';
    const isLate = wasReached(owner, silence) || isOver({ upMs: asked }, answerDays + unreachedDays);
    return isLate ? null : 'too soon for an owner whom no reminder has reached';
  }

  function missingOfRelease(owner: OwnerNotes, silence: SilenceNotes, request: RequestSeen): string | null {
    const { firsts } = noesOf(silence, request);
    for (const { email, when } of firsts) {
      if (!request.isBySilence) return `although ${email} has said no`;
      if (!isOver(when, pauseDays)) return `although ${email} has just said no`;
    }
    const byPeople = missingOfPeople(owner, silence, request);
    const bySilence = byPeople && missingOfSilentRelease(owner, silence, request);
    return bySilence && `${byPeople}, and ${bySilence}`;
  }

  /** Mail to the owner has been in trouble for thirty days: people are asked all the same. */
  function isInTrouble(owner: OwnerNotes, silence: SilenceNotes): boolean {
    const kinds = ['first_reminder', 'last_reminder'] as const;
    return kinds.some((kind) => {
      const [first] = mailsTo(owner, kind, silence.activity);
      return first !== undefined && isOver(first, pauseDays);
    });
  }

  /** Reason why silence may not ask contacts; null if it may. */
  function missingOfQuestion(owner: OwnerNotes, silence: SilenceNotes): string | null {
    const missing = missingOfSilence(owner, silence);
    const isLong = whenOf(time).wallMs - silentSinceMs(owner, silence) >= owner.settings.inactivityDays * dayMs;
    return missing && isLong && isInTrouble(owner, silence) ? null : missing;
  }

  /** Fine if it was fine in either of two silences that met in this moment. */
  function judge(owner: OwnerNotes, missing: (silence: SilenceNotes) => string | null): string | null {
    const found = silencesOf(owner, time.moment).map(missing);
    return found.includes(null) ? null : (found[0] ?? null);
  }

  return {
    ofRelease: (owner: OwnerNotes, request: RequestSeen) =>
      judge(owner, (silence) => missingOfRelease(owner, silence, request)),
    ofQuestion: (owner: OwnerNotes) => judge(owner, (silence) => missingOfQuestion(owner, silence)),
    ofSilence: (owner: OwnerNotes) => judge(owner, (silence) => missingOfSilence(owner, silence)),
    isConfirmed: (owner: OwnerNotes, request: RequestSeen) =>
      silencesOf(owner, time.moment).some((silence) => isConfirmed(owner, silence, request)),
    contactsOf: (owner: OwnerNotes) => {
      const unsure = unsureContacts(owner, time.moment);
      return confirmedContacts(owner).filter((each) => !unsure.includes(each)).length;
    },
  };
}

export type Grounds = ReturnType<typeof createGrounds>;

/** The attempt at which a mailbox was known to be closed. A relay that refuses everything closes none. */
function closed(mails: readonly Handed[]): Handed | undefined {
  const refusals = mails.filter(({ answer }) => answer === 'never');
  return refusals.find(
    (_, index) => index >= refusalsOfClosed - 1 && refusals.slice(0, index + 1).some(({ isStorm }) => !isStorm),
  );
}

/** The attempt at which one and the same mail had been refused for now for weeks, since the mailbox is full. */
function givenUp(mails: readonly Handed[]): Handed | undefined {
  const since = new Map<string | null, number>();
  return mails
    .filter(({ answer, channel }) => answer === 'later' && channel === 'email')
    .find(({ messageId, upMs }) => {
      if (!since.has(messageId)) since.set(messageId, upMs);
      return upMs - (since.get(messageId) ?? upMs) >= givenUpMs;
    });
}
