import { dayMs, firstToLastReminderDays, lastReminderToAskingDays } from '#shared/rules/inactivity.ts';
import {
  confirmedContacts,
  type OwnerNotes,
  type SilenceNotes,
  unsureContacts,
  whenOf,
} from '#tests/simulation/people/notes.ts';
import type { Handed, MailKind } from '#tests/simulation/people/post.ts';
import { silencesOf } from '#tests/simulation/people/readers.ts';
import type { WorldTime } from '#tests/simulation/time.ts';
import { isSameMail } from './mail-days.ts';

/** What the watcher is shown of the database: which requests have letters on their way, and whose they are. */
export type Sighting = { requestId: string; userId: string };
/** A request that is open, whether its letters are on their way, and how often anybody was asked. */
export type UnderWay = Sighting & { isReleased: boolean; asked: number };

type Options = {
  owners: readonly OwnerNotes[];
  time: WorldTime;
  handed: readonly Handed[];
  /** Since which moment the operator has everything stopped; null while it runs. */
  frozenSince: () => number | null;
  /** Whether what is queued while everything is frozen is looked at too. */
  watchesHeld: boolean;
  answerDaysDefault: number;
  complain: (what: string) => void;
};

/** Refusals for good, on as many days, after which a reminder counts as tried. */
const refusalsOfUnreachable = 3;
/** For so long a mail is refused for now before it is given up, less what a few outages take of it. */
const givenUpMs = 27 * dayMs;
/** Never more than one attempt a minute for one mail, less what a turn or two take. */
const retryMs = 59_000;
const pauseMs = 30 * dayMs;
const probationMs = 3 * dayMs;

/** The attempt at which one and the same mail had been refused for now for weeks. */
function givenUp(mails: readonly Handed[]): Handed | undefined {
  const since = new Map<string | null, number>();
  return mails
    .filter(({ answer, channel }) => answer === 'later' && channel === 'email')
    .find(({ messageId, upMs }) => {
      if (!since.has(messageId)) since.set(messageId, upMs);
      return upMs - (since.get(messageId) ?? upMs) >= givenUpMs;
    });
}

/**
 * Looks on from outside and holds the service to its promises: it knows what people were answered, what the post
 * took, and how time really passed, and nothing of the rules that decided.
 */
export function createWatcher(options: Options) {
  const { owners, time, handed, frozenSince, watchesHeld, answerDaysDefault, complain } = options;
  let seenMails = 0;
  const seenRequests = new Set<string>();
  const stateOf = new Map<string, UnderWay>();
  const releasesToday = { day: '', owners: new Set<string>() };
  /** Letters by their link, and mails by their Message-ID: a repeated one must be the same one. */
  const messageIdOfLink = new Map<string, string>();
  const mailOfMessageId = new Map<string, Handed>();

  const mailsTo = (owner: OwnerNotes, kind: MailKind, silence: SilenceNotes) =>
    handed.filter(
      (mail) =>
        mail.kind === kind &&
        mail.moment >= silence.activity.moment &&
        (mail.to === owner.email || mail.to === owner.plan.phone),
    );

  /** When a mail to the owner was taken, or had been refused often enough. By up-time; null where neither. */
  function ended(
    owner: OwnerNotes,
    kind: MailKind,
    silence: SilenceNotes,
  ): { upMs: number; isRefused: boolean } | null {
    const mails = mailsTo(owner, kind, silence);
    const taken = mails.find(({ answer }) => answer === 'accepted' || answer === 'lost');
    if (taken) return { upMs: taken.upMs, isRefused: false };
    const refusal = mails.filter(({ answer }) => answer === 'never')[refusalsOfUnreachable - 1] ?? givenUp(mails);
    return refusal ? { upMs: refusal.upMs, isRefused: true } : null;
  }

  /** Why silence alone does not allow to ask or release; null where it does. */
  function missingOfSilence(owner: OwnerNotes, silence: SilenceNotes): string | null {
    const { wallMs, upMs } = whenOf(time);
    const silentDays = (wallMs - silence.activity.wallMs) / dayMs;
    if (silentDays < owner.settings.inactivityDays) return `after ${silentDays.toFixed(2)} days of silence`;
    const first = ended(owner, 'first_reminder', silence);
    const last = ended(owner, 'last_reminder', silence);
    if (!first || !last) return `without the ${first ? 'last' : 'first'} reminder`;
    if (last.upMs - first.upMs < firstToLastReminderDays * dayMs) return 'with both reminders too close';
    if (upMs - last.upMs < lastReminderToAskingDays * dayMs) return 'too soon after the last reminder';
    return null;
  }

  function countedContacts(owner: OwnerNotes, silence: SilenceNotes) {
    const { wallMs } = whenOf(time);
    const notSilent = missingOfSilence(owner, silence);
    return peopleOf(owner).filter(
      ({ email, confirmed }) =>
        silence.confirmed.has(email) && (!notSilent || wallMs - (confirmed?.wallMs ?? wallMs) >= probationMs),
    );
  }

  function isConfirmed(owner: OwnerNotes, silence: SilenceNotes): boolean {
    const unsure = unsureContacts(owner, time.moment);
    const people = confirmedContacts(owner).filter((each) => !unsure.includes(each));
    const needed = Math.max(1, Math.min(owner.settings.releaseQuorum, people.length));
    return countedContacts(owner, silence).length >= needed;
  }

  /** Confirmed contacts, and those of whom it is not sure whether they are. */
  function peopleOf(owner: OwnerNotes) {
    const unsure = unsureContacts(owner, time.moment);
    return [...confirmedContacts(owner).filter((each) => !unsure.includes(each)), ...unsure];
  }

  function missingOfRelease(owner: OwnerNotes, silence: SilenceNotes): string | null {
    const { settings } = owner;
    const { upMs } = whenOf(time);
    for (const [contact, at] of silence.cancelled) {
      if (upMs - at.upMs < pauseMs) return `although ${contact} has cancelled`;
    }
    const notSilent = missingOfSilence(owner, silence);
    const counted = countedContacts(owner, silence);
    if (isConfirmed(owner, silence)) {
      if (!notSilent || settings.releaseWaitingDays === 0) return null;
      const notice = ended(owner, 'holding', silence);
      const hasWaited = notice && upMs - notice.upMs >= settings.releaseWaitingDays * dayMs;
      return hasWaited ? null : 'before the waiting period was over';
    }
    if (settings.releaseMethod !== 'inactivity') return `with ${counted.length} confirmations`;
    if (notSilent) return notSilent;
    const asked = firstAsk(owner, silence);
    const answerMs = (settings.releaseAnswerDays ?? answerDaysDefault) * dayMs;
    return asked !== null && upMs - asked >= answerMs ? null : 'before the time to answer was over';
  }

  /** When the first contact was reached, or the owner alone where there is none. By up-time. */
  function firstAsk(owner: OwnerNotes, silence: SilenceNotes): number | null {
    const emails = new Set(owner.contacts.map(({ email }) => email));
    const asks = handed.filter(
      ({ kind, to, moment }) => kind === 'ask' && emails.has(to) && moment >= silence.activity.moment,
    );
    return asks[0]?.upMs ?? ended(owner, 'asked', silence)?.upMs ?? null;
  }

  /** Fine if it was fine in either of two silences that met in this moment. */
  function judge(owner: OwnerNotes, missing: (silence: SilenceNotes) => string | null): string | null {
    const found = silencesOf(owner, time.moment).map(missing);
    return found.includes(null) ? null : (found[0] ?? null);
  }

  function watchRelease({ userId, requestId }: Sighting): void {
    if (seenRequests.has(requestId)) return;
    seenRequests.add(requestId);
    const owner = owners.find((each) => each.userId === userId);
    if (!owner) return;
    owner.releases.push(whenOf(time));
    const frozen = frozenSince();
    if (frozen !== null && frozen < time.moment) complain(`${owner.plan.name} was released while everything is frozen`);
    const missing = judge(owner, (silence) => missingOfRelease(owner, silence));
    if (missing) complain(`${owner.plan.name} was released ${missing}`);
    // What enough people say is nothing that a wrong clock can do.
    if (judge(owner, (silence) => (isConfirmed(owner, silence) ? null : 'by silence'))) countForBreaker(owner);
  }

  /** However many fall due: nobody looks at a catastrophe only when it is over. */
  function countForBreaker(owner: OwnerNotes): void {
    const day = new Date(time.wallMs()).toISOString().slice(0, 10);
    if (releasesToday.day !== day) Object.assign(releasesToday, { day, owners: new Set() });
    releasesToday.owners.add(owner.plan.name);
    const limit = Math.max(10, owners.length * 0.02);
    if (releasesToday.owners.size > limit) complain(`${releasesToday.owners.size} owners were released on one day`);
  }

  /** While everything is frozen nobody is asked and nothing is released; reminders go on. */
  function watchSteps(open: UnderWay): void {
    const before = stateOf.get(open.requestId);
    stateOf.set(open.requestId, open);
    const frozen = frozenSince();
    if (frozen === null || frozen >= time.moment) return;
    const isAsked = open.asked > (before?.asked ?? 0);
    const isReleased = open.isReleased && !before?.isReleased;
    const name = owners.find(({ userId }) => userId === open.userId)?.plan.name;
    if (isAsked || isReleased)
      complain(`${name} was ${isAsked ? 'asked about' : 'released'} while everything is frozen`);
  }

  /** What carries a release on stays while everything is frozen; what was under way as it began may still arrive. */
  function watchHeld(mail: Handed): void {
    const frozen = frozenSince();
    const carriesOn = mail.kind === 'ask' || /\/(message|new-address)\//.test(mail.text);
    if (frozen === null || mail.moment <= frozen || !carriesOn || mail.kind === 'unreachable') return;
    complain(`${mail.to} was sent "${mail.subject}" while everything is frozen`);
  }

  function watchAsk(mail: Handed): void {
    const owner = owners.find(({ contacts }) =>
      contacts.some(({ email, phone }) => mail.to === email || mail.to === phone),
    );
    if (!owner) return;
    const missing = judge(owner, (silence) => (silence.lastEarly ? null : missingOfSilence(owner, silence)));
    if (missing) complain(`${mail.to} was asked about ${owner.plan.name} ${missing}`);
  }

  function watchLetter(mail: Handed): void {
    const owner = owners.find(({ letters }) => letters.some(({ recipient }) => recipient === mail.to));
    const link = /\/message\/([\w-]+)/.exec(mail.text)?.[1] ?? '';
    if (!owner) {
      complain(`${mail.to} got a letter, and nobody wrote to them`);
      return;
    }
    const release = owner.releases.at(-1);
    const isStopped = owner.activity.moment < mail.moment && owner.activity.moment > (release?.moment ?? 0);
    if (!release || isStopped) complain(`${mail.to} got a letter after ${owner.plan.name} had shown life`);
    const known = messageIdOfLink.get(link);
    if (known !== undefined && known !== mail.messageId) complain(`${mail.to} got the same link in two mails`);
    messageIdOfLink.set(link, mail.messageId ?? '');
  }

  function watchMail(mail: Handed): void {
    if (mail.messageId) {
      const known = mailOfMessageId.get(mail.messageId);
      if (known && !isSameMail(known, mail)) complain(`a repeated mail to ${mail.to} is not the same`);
      const waitedMs = known
        ? Math.max(mail.trueMs - known.trueMs, Date.parse(mail.at) - Date.parse(known.at))
        : retryMs;
      const isTooSoon = waitedMs < retryMs;
      if (isTooSoon) complain(`a mail to ${mail.to} was tried again within a minute`);
      mailOfMessageId.set(mail.messageId, mail);
    }
    if (watchesHeld) watchHeld(mail);
    if (mail.answer === 'later' || mail.answer === 'never') return;
    if (mail.kind === 'ask') watchAsk(mail);
    if (mail.kind === 'letter') watchLetter(mail);
  }

  return {
    /** After every moment: what is new in the database, and what the post was given. */
    look(sightings: readonly Sighting[], underWay: readonly UnderWay[]): void {
      for (const open of underWay) watchSteps(open);
      for (const sighting of sightings) watchRelease(sighting);
      for (const mail of handed.slice(seenMails)) watchMail(mail);
      seenMails = handed.length;
    },
    releases: () => seenRequests.size,
  };
}
