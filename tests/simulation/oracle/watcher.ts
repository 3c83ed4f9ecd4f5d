import { type OwnerNotes, type When, whenOf } from '#tests/simulation/people/notes.ts';
import type { Handed } from '#tests/simulation/people/post.ts';
import type { WorldTime } from '#tests/simulation/time.ts';
import { createGrounds, type RequestSeen } from './grounds.ts';
import { isSameMail } from './mail-days.ts';

/** A request that is open, or has led to a release, as the watcher is shown it. */
export type UnderWay = {
  requestId: string;
  userId: string;
  isOpen: boolean;
  isBySilence: boolean;
  isReleased: boolean;
  /** Number of times that its letters were queued: until one has left, a first no or a withdrawn yes undoes that. */
  releases: number;
  /** Number of times that contacts were asked in it. */
  asked: number;
};

type Options = {
  owners: readonly OwnerNotes[];
  time: WorldTime;
  handed: readonly Handed[];
  /** Since which moment the operator has everything stopped, or this owner; null while it runs. */
  frozenSince: (owner: OwnerNotes | undefined) => number | null;
  /** True to also check mail that is queued during a freeze. */
  watchesHeld: boolean;
  answerDaysDefault: number;
  /** The last moment in which a process died, or the database was lost: what it had in hands may leave again. */
  diedIn: () => number;
  complain: (what: string) => void;
};

/** Never more than one attempt a minute for one mail, less what a turn or two take. */
const retryMs = 59_000;
/** A question that was on its way as its request ended may arrive a little later. */
const lateQuestionMs = 60 * 60_000;
const dayMs = 86_400_000;
/** A sign-in after letters had left holds the others for so long, and a restore for so long after its notice. */
const questionMs = 30 * dayMs;
const restartMs = 3 * dayMs;
/** An address that no one else can agree on waits so long. */
const aloneMs = 7 * dayMs;

const isTaken = ({ answer }: Handed) => answer === 'accepted' || answer === 'lost';

/**
 * Checks the promises from outside. It knows the answers to people, accepted mail and real time, but none of the
 * rules that decided.
 */
export function createWatcher(options: Options) {
  const { owners, time, handed, frozenSince, watchesHeld, diedIn, complain } = options;
  const grounds = createGrounds(options);
  let seenMails = 0;
  let releases = 0;
  const requests = new Map<string, RequestSeen & UnderWay>();
  const contactsBefore = new Map<string, number>();
  /** In which moment an early request of an owner was last seen to be open. */
  const earlyIn = new Map<string, number>();
  const releasesToday = { day: '', owners: new Set<string>() };
  /** Letters by their link, and mails by their Message-ID: a repeated one must be the same one. */
  const messageIdOfLink = new Map<string, string>();
  const mailOfMessageId = new Map<string, Handed>();

  const ownerOf = (userId: string) => owners.find((each) => each.userId === userId);

  /** Presses in the trustee's panel belong to the request that is open after the moment. */
  function placePresses(underWay: readonly UnderWay[]): void {
    const open = new Map(underWay.flatMap(({ isOpen, userId, requestId }) => (isOpen ? [[userId, requestId]] : [])));
    for (const owner of owners) {
      for (const said of owner.said) said.requestId ??= open.get(owner.userId) ?? 'nobody knows';
    }
  }

  function seen(open: UnderWay): RequestSeen & UnderWay {
    const before = requests.get(open.requestId);
    const owner = ownerOf(open.userId);
    const now = whenOf(time);
    const contacts = owner ? grounds.contactsOf(owner) : 0;
    const silenceSince = open.isBySilence ? (before?.silenceSince ?? now) : null;
    const isNewlySilent = open.isBySilence && !before?.silenceSince;
    const wasOver = isNewlySilent ? owner !== undefined && !grounds.ofSilence(owner) : (before?.wasOver ?? false);
    const fewest = Math.min(before?.fewestContacts ?? contactsBefore.get(open.userId) ?? contacts, contacts);
    const isUndone = open.releases > (before?.releases ?? 0) && !open.isReleased;
    const request = { ...open, opened: before?.opened ?? now, silenceSince, wasOver, fewestContacts: fewest, isUndone };
    requests.set(open.requestId, request);
    if (open.isOpen && !open.isBySilence) earlyIn.set(open.userId, time.moment);
    return request;
  }

  function watchRelease(owner: OwnerNotes, request: RequestSeen): void {
    releases += 1;
    owner.releases.push(whenOf(time));
    const missing = grounds.ofRelease(owner, request);
    if (missing) complain(`${owner.plan.name} was released ${missing}`);
    // Enough confirmations can't be the effect of a wrong clock.
    if (!grounds.isConfirmed(owner, request)) countForBreaker(owner);
  }

  /** Counts the owners that fall due per day: the breaker must stop a mass event before its end. */
  function countForBreaker(owner: OwnerNotes): void {
    const day = new Date(time.wallMs()).toISOString().slice(0, 10);
    if (releasesToday.day !== day) Object.assign(releasesToday, { day, owners: new Set() });
    releasesToday.owners.add(owner.plan.name);
    const limit = Math.max(10, owners.length * 0.02);
    if (releasesToday.owners.size > limit) complain(`${releasesToday.owners.size} owners were released on one day`);
  }

  /** During a freeze of all or of this owner no contact is asked and nothing is released; reminders continue. */
  function watchStep(open: UnderWay): void {
    const before = requests.get(open.requestId);
    const request = seen(open);
    const owner = ownerOf(open.userId);
    if (!owner) return;
    const isNews = open.releases > (before?.releases ?? 0);
    if (isNews) watchRelease(owner, request);
    if (open.isOpen && !open.isReleased && (isNews || before?.isReleased)) owner.undone = whenOf(time);
    const { name } = owner.plan;
    if (isNews && owner.deleted && owner.deleted.moment < time.moment)
      complain(`${name} was released after they had gone`);
    const frozen = frozenSince(owner);
    if (frozen === null || frozen >= time.moment) return;
    const isAsked = open.asked > (before?.asked ?? 0);
    if (isAsked || isNews) complain(`${name} was ${isAsked ? 'asked about' : 'released'} while it is frozen`);
  }

  const ownerOfMail = ({ to }: Handed) =>
    owners.find(
      ({ contacts, letters, addresses, email }) =>
        to === email ||
        contacts.some(({ email, phone }) => to === email || to === phone) ||
        letters.some(({ recipient }) => recipient === to) ||
        addresses.some(({ address }) => address === to),
    );

  /** Mail that advances a release waits during a freeze; mail in progress at its start may still arrive. */
  function watchHeld(mail: Handed): void {
    const carriesOn = mail.kind === 'ask' || /\/(message|new-address)\//.test(mail.text);
    if (!carriesOn || mail.kind === 'unreachable') return;
    const frozen = frozenSince(ownerOfMail(mail));
    if (frozen === null || mail.moment <= frozen) return;
    complain(`${mail.to} was sent "${mail.subject}" while it is frozen`);
  }

  function isAskedEarly({ userId, lastEarly }: OwnerNotes): boolean {
    const isOpen = time.moment - (earlyIn.get(userId) ?? Number.NEGATIVE_INFINITY) <= 1;
    return isOpen || (lastEarly !== null && time.upMs - lastEarly.upMs < lateQuestionMs);
  }

  function watchAsk(mail: Handed): void {
    const owner = owners.find(({ contacts }) =>
      contacts.some(({ email, phone }) => mail.to === email || mail.to === phone),
    );
    if (!owner || isAskedEarly(owner)) return;
    const missing = grounds.ofQuestion(owner);
    if (missing) complain(`${mail.to} was asked about ${owner.plan.name} ${missing}`);
  }

  /** Reason why no letter of this owner may leave; null if it may. */
  function whyNotToLeave(owner: OwnerNotes, { moment }: Handed): string | null {
    const { activity, releases, undone, leftAsItIs, question, deleted, restored, plan } = owner;
    const release = releases.at(-1);
    if (!release) return 'without a release';
    if (undone && undone.moment >= release.moment && undone.moment < moment) return 'after its release was undone';
    const isBack = activity.moment < moment && activity.moment > release.moment && leftAsItIs !== releases.length;
    if (isBack) return `after ${plan.name} had shown life`;
    if (deleted && deleted.moment < moment) return 'after the account was to be deleted';
    const isAsked = question && question.moment < moment && time.upMs - question.upMs < questionMs;
    if (isAsked) return 'while a sign-in is not explained';
    // After a restore that erased departures, the owner is waited for first.
    const isForgotten = restored && restored.moment > release.moment && restored.moment < moment;
    return isForgotten && !wasToldOfWait(owner, restored) ? 'too soon after a restore' : null;
  }

  /** Three days before, a mail or text had told the owner that their letters wait; or their mailbox had refused it. */
  function wasToldOfWait({ email, plan }: OwnerNotes, { moment }: When): boolean {
    const told = handed.filter((mail) => mail.moment > moment && [email, plan.phone].includes(mail.to));
    return told.some(
      ({ subject, text, upMs, bounced, answer }) =>
        /messages wait for you/.test(`${subject} ${text}`) &&
        answer !== 'later' &&
        !bounced &&
        time.upMs - upMs >= restartMs,
    );
  }

  /** Reason why a letter may not go to another address than its owner gave; null if it may, or if it is that one. */
  function whyNotTo(owner: OwnerNotes, { to }: Handed): string | null {
    const { addresses, letters, contacts, email } = owner;
    if (letters.some(({ recipient }) => recipient === to)) return null;
    const known = addresses.filter(({ address }) => address === to);
    if (to === email) return "at the owner's own address";
    if (known.some(({ by }) => new Set(by).size > 1)) return null;
    const isOwn = contacts.some((contact) => contact.email === to);
    const isOld = known.some(({ proposed }) => time.upMs - proposed.upMs >= aloneMs);
    return isOwn || !isOld ? 'at an address on which nobody had agreed' : null;
  }

  function watchLetter(mail: Handed): void {
    const owner = owners.find(
      ({ letters, addresses }) =>
        letters.some(({ recipient }) => recipient === mail.to) || addresses.some(({ address }) => address === mail.to),
    );
    const link = /\/message\/([\w-]+)/.exec(mail.text)?.[1] ?? '';
    if (!owner) {
      complain(`${mail.to} got a letter, and nobody wrote to them`);
      return;
    }
    // A refused mail was handed over too.
    const wrong = whyNotToLeave(owner, mail) ?? whyNotTo(owner, mail);
    if (wrong) complain(`${mail.to} got a letter ${wrong}`);
    if (!isTaken(mail)) return;
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
      const isKnownToArrive = known?.answer === 'accepted' && !known.bounced && diedIn() < known.moment;
      if (isKnownToArrive) complain(`a mail that ${mail.to} had got was sent again`);
      mailOfMessageId.set(mail.messageId, mail);
    }
    if (watchesHeld) watchHeld(mail);
    if (mail.kind === 'letter') watchLetter(mail);
    if (mail.kind === 'ask' && isTaken(mail)) watchAsk(mail);
  }

  return {
    /** After every moment: new rows of the database, and new mails. */
    look(underWay: readonly UnderWay[]): void {
      placePresses(underWay);
      for (const open of underWay) watchStep(open);
      for (const mail of handed.slice(seenMails)) watchMail(mail);
      seenMails = handed.length;
      for (const owner of owners) contactsBefore.set(owner.userId, grounds.contactsOf(owner));
    },
    releases: () => releases,
  };
}
