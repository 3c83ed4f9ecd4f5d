import { openEnvelope } from '#server/features/delivery/letter-page.ts';
import { readLetter } from '#server/features/delivery/read-letter.ts';
import { sayByLink } from '#server/features/delivery/say/say.ts';
import { answerText } from '#server/features/release-mail/text-replies.ts';
import type { ReaderSay } from '#shared/contract/letters/delivery.ts';
import type { Process } from '#tests/simulation/machine.ts';
import { createReadersWords } from '#tests/simulation/oracle/readers-words.ts';
import type { Random } from '#tests/simulation/random.ts';
import { happens, type Scenario } from '#tests/simulation/scenario.ts';
import type { WorldTime } from '#tests/simulation/time.ts';
import { createContactReactions } from './contacts.ts';
import { noteActivity, nowhere, type When, whenOf } from './notes.ts';
import type { Owner } from './owners.ts';
import type { Handed } from './post.ts';
import type { Reaction } from './reaction.ts';
import { createReplies, createReturns } from './returns.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

type Options = {
  owners: readonly Owner[];
  time: WorldTime;
  random: Random;
  scenario: Scenario;
  /** Lots of their own, for contacts who leave, for those who think again, and for texts. */
  quitters: Random;
  doubters: Random;
  texters: Random;
  bouncers: Random;
  repliers: Random;
  mourners: Random;
  sayers: Random;
  requestOf: (token: string) => string | null;
  complain: (what: string) => void;
  checkInByLink: (web: Process, owner: Owner, token: string) => Promise<void>;
  /** Signs in as a person who knows the password. @returns true if an observer must count it as activity. */
  stranger: (web: Process, owner: Owner, lot: number) => Promise<boolean>;
};

/** People who read what the post brings: owners, their contacts, and those to whom they wrote. */
export function createReaders(options: Options) {
  const { owners, time, random, scenario, texters, bouncers, mourners, sayers, complain, checkInByLink, stranger } =
    options;
  /** Check-in links that were answered. */
  const acted = new Set<string>();
  let texted = 0;

  /** At once, a little later, or days later. */
  const patience = (lots = random) =>
    lots.pick([0, lots.below(3 * minuteMs), lots.below(3 * dayMs), lots.below(20 * dayMs)]);
  const returnOf = createReturns({ time, random: bouncers });
  const replyTo = createReplies(options.repliers);
  const ofContacts = createContactReactions({ ...options, patience });
  const words = createReadersWords(complain);

  async function checkIn(web: Process, owner: Owner, { token, sent }: { token: string; sent: When }): Promise<void> {
    const { activity } = owner;
    await checkInByLink(web, owner, token);
    if (acted.has(token)) complain(`a check-in link of ${owner.plan.name} has acted twice`);
    acted.add(token);
    const isDead = activity.moment > sent.moment && activity.moment < time.moment;
    if (isDead) complain(`a check-in link of ${owner.plan.name} has acted after they came back`);
  }

  /** "YES" to one of our texts. An owner who is thanked for a check-in relies on it. */
  async function replyToText({ app }: Process, owner: Owner, sid: string): Promise<void> {
    const pressed = whenOf(time);
    owner.pressedIn = pressed.moment;
    const fields = { From: owner.plan.phone ?? '', MessageSid: sid, Body: 'Yes' };
    const path = '/api/webhooks/twilio';
    const answer = await answerText(app, { fields, signature: 'signed', path, origin: nowhere });
    if (/thank you\. This is a check-in/.test(answer)) noteActivity(owner, { pressed, answered: whenOf(time) });
  }

  async function open(
    web: Process,
    owner: Owner,
    letter: { token: string; reader: string; sent: When; isFirst: boolean },
  ): Promise<void> {
    const { token, reader, sent, isFirst } = letter;
    const isOwnerSilent = owner.activity.moment < sent.moment && (owner.releases.at(-1)?.moment ?? 0) <= time.moment;
    // A reminder of the link does not make it live longer.
    const isFresh = isFirst && time.wallMs() - sent.wallMs < 29 * dayMs;
    const isMine = (recipient: string) =>
      recipient === reader || owner.addresses.some((each) => each.recipient === recipient && each.address === reader);
    try {
      await openEnvelope(web.app, token);
      const { content } = await readLetter(web.app, token);
      const note = owner.letters.find(({ text }) => text === content);
      if (!note) complain(`${reader} reads what ${owner.plan.name} never wrote`);
      else if (!isMine(note.recipient)) complain(`${reader} reads what was written to ${note.recipient}`);
      else if (note.status === 'draft' || note.status === 'deleted')
        complain(`${reader} reads a ${note.status} letter`);
    } catch (error) {
      const isPressing = owner.pressedIn === time.moment;
      if (isOwnerSilent && isFresh && !isPressing && !owner.deleted && (owner.undone?.moment ?? -1) < sent.moment)
        complain(`${reader} cannot open a fresh letter`);
      throw error;
    }
  }

  /** A reader's own say, which a second press does not change. */
  async function say(web: Process, { token, to }: { token: string; to: string }, word: ReaderSay): Promise<void> {
    await sayByLink(web.app, token, word);
    if (sayers.chance(0.2)) await sayByLink(web.app, token, word);
    words.note(token, { to, said: whenOf(time) });
  }

  const path = (text: string, name: string) => new RegExp(`/${name}/([\\w-]{20,})`).exec(text)?.[1] ?? null;

  function ownerOf({ to }: Handed): Owner | undefined {
    const number = /o(\d+)@|contact\d+\.o(\d+)@|reader\d+\.o(\d+)@/.exec(to)?.slice(1).find(Boolean);
    return owners.find(({ plan }) => (number ? plan.number === Number(number) : plan.phone === to));
  }

  function answersText(mail: Handed, owner: Owner): Reaction[] {
    const isAsked = happens(scenario, 'text replies') && mail.channel === 'sms' && /reply YES/i.test(mail.text);
    if (!isAsked || !texters.chance(owner.plan.attention)) return [];
    texted += 1;
    const sid = `SM-reply-${texted}`;
    const afterMs = texters.pick([0, texters.below(3 * minuteMs), texters.below(6 * dayMs)]);
    return [{ name: `${mail.to} answers a text`, owner, afterMs, run: (web) => replyToText(web, owner, sid) }];
  }

  /** Effects of an accepted mail: a person reacts, or it bounces. */
  function reactionsTo(mail: Handed): Reaction[] {
    const owner = ownerOf(mail);
    if (!owner) return [];
    const returned = happens(scenario, 'bounces') ? returnOf(mail, owner) : [];
    // Bounced mail has reached no person.
    if (returned.length > 0) return returned;
    const replied = happens(scenario, 'email replies') ? replyTo(mail, owner) : [];
    return [...readBy(mail, owner), ...replied];
  }

  /** A mourner who has just received the news looks at everything. */
  function mournedBy(owner: Owner): Reaction[] {
    if (!happens(scenario, 'strangers') || !mourners.chance(0.8)) return [];
    const lot = mourners.below(1_000);
    const run = async (web: Process) => {
      if (owner.deleted) return;
      const pressed = whenOf(time);
      if (await stranger(web, owner, lot)) noteActivity(owner, { pressed, answered: whenOf(time) });
    };
    return [{ name: `somebody signs in as ${owner.plan.name}`, owner, afterMs: patience(mourners), run }];
  }

  function saidBy(token: string, { to }: Handed, owner: Owner): Reaction[] {
    if (!sayers.chance(0.3)) return [];
    const word = sayers.pick(['keep', 'not-now', 'no-more'] as const);
    const run = (web: Process) => say(web, { token, to }, word);
    return [{ name: `${to} says ${word}`, owner, afterMs: patience(sayers), run }];
  }

  function readBy(mail: Handed, owner: Owner): Reaction[] {
    if (mail.channel === 'sms' && mail.to === owner.plan.phone) return answersText(mail, owner);
    const sent: When = { moment: mail.moment, wallMs: Date.parse(mail.at), upMs: mail.upMs };
    const later = (name: string, run: Reaction['run'], afterMs = patience()) => [{ name, owner, afterMs, run }];

    const ofContact = ofContacts.reactionsTo(mail, owner, sent);
    if (ofContact) return ofContact;
    const letter = path(mail.text, 'message');
    const isFirst = mail.kind === 'letter';
    if (letter) words.watch(mail);
    const said = letter && isFirst ? saidBy(letter, mail, owner) : [];
    if (letter && random.chance(0.7)) {
      const read = (web: Process) => open(web, owner, { token: letter, reader: mail.to, sent, isFirst });
      return [...later(`${mail.to} reads`, read), ...(isFirst ? mournedBy(owner) : []), ...said];
    }
    if (said.length > 0) return said;
    const checkInToken = path(mail.text, 'check-in');
    if (checkInToken && mail.to === owner.email && random.chance(owner.plan.attention)) {
      const press = (web: Process) => checkIn(web, owner, { token: checkInToken, sent });
      const [afterMs, presses] = [patience(), random.chance(0.15) ? 2 : 1];
      return Array.from({ length: presses }, () => later(`${mail.to} checks in`, press, afterMs)).flat();
    }
    return [];
  }

  return {
    reactionsTo,
    /** Links that have acted so far; the result restores them. */
    keep(): () => void {
      const kept = [...acted];
      const forget = ofContacts.keep();
      const forgetWords = words.keep();
      return () => {
        forgetWords();
        acted.clear();
        for (const token of kept) acted.add(token);
        forget();
      };
    },
  };
}
