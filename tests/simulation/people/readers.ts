import { AppError } from '#shared/contract/errors.ts';
import type { Process } from '#tests/simulation/machine.ts';
import type { Random } from '#tests/simulation/random.ts';
import type { Temper } from '#tests/simulation/scenario.ts';
import type { WorldTime } from '#tests/simulation/time.ts';
import { type ContactNote, type OwnerNotes, type When, whenOf } from './notes.ts';
import { nowhere, type Owner } from './owners.ts';
import type { Handed } from './post.ts';

/** Something that somebody does because of a mail, so many milliseconds after it came. */
export type Reaction = { name: string; owner: Owner; afterMs: number; run: (web: Process) => Promise<void> };

const minuteMs = 60_000;
const dayMs = 86_400_000;

type Options = {
  owners: readonly Owner[];
  time: WorldTime;
  random: Random;
  /** Lots of their own, for contacts who leave. */
  quitters: Random;
  complain: (what: string) => void;
  checkInByLink: (web: Process, owner: Owner, token: string) => Promise<void>;
};

/** People who read what the post brings: owners, their contacts, and those to whom they wrote. */
export function createReaders({ owners, time, random, quitters, complain, checkInByLink }: Options) {
  /** Links that have done what they are for, and were answered. */
  const acted = new Set<string>();

  /** At once, a little later, or days later. */
  const patience = () =>
    random.pick([0, random.below(3 * minuteMs), random.below(3 * dayMs), random.below(20 * dayMs)]);

  function says(temper: Temper): 'confirms' | 'cancels' | null {
    if (temper === 'torn') return random.pick(['confirms', 'cancels', null]);
    return temper === 'vanishes' ? null : temper;
  }

  function actOnce(token: string, owner: Owner, { email, sent }: { email: string; sent: When }): void {
    if (acted.has(token)) complain(`the link of ${email} has acted twice`);
    acted.add(token);
    const isDead = owner.activity.moment > sent.moment && owner.activity.moment < time.moment;
    if (isDead) complain(`a link of ${email} has acted after the owner came back`);
  }

  /** A contact sees the titles that they may see and whom those letters are for, and of all others a number. */
  async function look(web: Process, owner: Owner, { token, email }: { token: string; email: string }): Promise<void> {
    const seen = await web.services.portals.read(token);
    for (const { title, recipientEmail } of seen.messages) {
      const note = owner.letters.find((letter) => letter.title === title);
      const isGone = note?.status === 'draft' || note?.status === 'deleted';
      if (!note?.isVisible || note.recipient !== recipientEmail)
        complain(`${email} sees what is not for them: ${title}`);
      if (isGone && owner.activity.moment < time.moment) complain(`${email} sees a ${note.status} letter`);
    }
    const shown = JSON.stringify(seen);
    const isOpen = owner.letters.some(
      ({ text, title, isVisible }) => shown.includes(text) || (!isVisible && shown.includes(`"${title}"`)),
    );
    if (isOpen) complain(`${email} sees more of a letter than its title`);
  }

  async function checkIn(web: Process, owner: Owner, { token, sent }: { token: string; sent: When }): Promise<void> {
    const { activity } = owner;
    await checkInByLink(web, owner, token);
    if (acted.has(token)) complain(`a check-in link of ${owner.plan.name} has acted twice`);
    acted.add(token);
    const isDead = activity.moment > sent.moment && activity.moment < time.moment;
    if (isDead) complain(`a check-in link of ${owner.plan.name} has acted after they came back`);
  }

  async function decide(
    web: Process,
    owner: Owner,
    link: { token: string; email: string; sent: When; confirmed: boolean },
  ) {
    const { token, email, sent, confirmed } = link;
    const had = owner.confirmed.has(email);
    const silence = owner.activity;
    if (confirmed) owner.confirmed.add(email);
    try {
      await web.services.portals.decide({ token, confirmed, reason: 'I spoke to the family.', origin: nowhere });
    } catch (error) {
      // A dead link did nothing. Whoever is told that they have answered already did answer.
      const isDead = error instanceof AppError && error.type === 'NOT_FOUND';
      if (isDead && confirmed && !had && owner.activity === silence) owner.confirmed.delete(email);
      throw error;
    }
    actOnce(token, owner, { email, sent });
    if (owner.activity === silence) owner.lastSaid = whenOf(time);
    if (!confirmed && owner.activity === silence) {
      // Whoever says no for the first time stops everybody.
      if (!owner.cancelled.has(email)) {
        owner.cancelled.set(email, whenOf(time));
        owner.confirmed.clear();
      }
      owner.confirmed.delete(email);
    }
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
    try {
      const { content } = await web.services.deliveries.read(token);
      const note = owner.letters.find(({ text }) => text === content);
      if (!note) complain(`${reader} reads what ${owner.plan.name} never wrote`);
      else if (note.recipient !== reader) complain(`${reader} reads what was written to ${note.recipient}`);
      else if (note.status === 'draft' || note.status === 'deleted')
        complain(`${reader} reads a ${note.status} letter`);
      await web.services.deliveries.recordOpening(token);
    } catch (error) {
      if (isOwnerSilent && isFresh && owner.activity.moment < sent.moment)
        complain(`${reader} cannot open a fresh letter`);
      throw error;
    }
  }

  /** Somebody who is asked finds the role too heavy; some of them think again. */
  function leaveRole(email: string, owner: Owner, contact: ContactNote): Reaction[] {
    const answer = (accept: boolean) => async (web: Process) => {
      const token = contact.roleToken;
      if (!token || contact.isRemoved) return;
      contact.unsureUntil = Number.POSITIVE_INFINITY;
      // Replaced by the owner meanwhile, or too old: then this link does nothing, and they stay what they are.
      const isDone = await answerRole(web, { token, accept });
      if (isDone && !accept) contact.left = whenOf(time);
      if (isDone) contact.confirmed = accept ? (contact.confirmed ?? whenOf(time)) : null;
      contact.unsureUntil = time.moment;
    };
    const leavesMs = patience();
    const leaves = { name: `${email} leaves`, owner, afterMs: leavesMs, run: answer(false) };
    if (quitters.chance(0.6)) return [leaves];
    return [leaves, { name: `${email} comes back`, owner, afterMs: leavesMs + patience(), run: answer(true) }];
  }

  async function answerRole({ services }: Process, answer: { token: string; accept: boolean }): Promise<boolean> {
    try {
      await services.contacts.answerInvitation({ ...answer, origin: nowhere });
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  const path = (text: string, name: string) => new RegExp(`/${name}/([\\w-]{20,})`).exec(text)?.[1] ?? null;

  /** What somebody will do about something that has reached them. */
  return function reactionsTo(mail: Handed): Reaction[] {
    const number = /o(\d+)@|contact\d+\.o(\d+)@|reader\d+\.o(\d+)@/.exec(mail.to)?.slice(1).find(Boolean);
    const owner = owners.find(({ plan }) => plan.number === Number(number ?? -1));
    if (!owner) return [];
    const sent: When = { moment: mail.moment, wallMs: Date.parse(mail.at), upMs: mail.upMs };
    const contact = owner.contacts.find(({ email }) => email === mail.to);
    const later = (name: string, run: Reaction['run'], afterMs = patience()) => [{ name, owner, afterMs, run }];

    const invitation = path(mail.text, 'trusted-contact-accept');
    if (contact && invitation) contact.roleToken = invitation;
    if (contact && invitation && random.chance(0.9)) {
      const accept = random.chance(0.95);
      return later(`${mail.to} ${accept ? 'accepts' : 'declines'}`, async ({ services }) => {
        await services.contacts.answerInvitation({ token: invitation, accept, origin: nowhere });
        contact.confirmed = accept ? (contact.confirmed ?? whenOf(time)) : null;
      });
    }
    const portal = path(mail.text, 'trusted-contact-admin');
    if (contact && portal && quitters.chance(0.12)) return leaveRole(mail.to, owner, contact);
    const word = contact && portal ? says(contact.temper) : null;
    if (contact && portal && word) {
      const { email } = contact;
      const press = async (web: Process) => {
        await look(web, owner, { token: portal, email });
        await decide(web, owner, { token: portal, email, sent, confirmed: word === 'confirms' });
      };
      const afterMs = patience();
      const presses = random.chance(0.15) ? 3 : 1;
      return Array.from({ length: presses }, () => later(`${mail.to} ${word}`, press, afterMs)).flat();
    }
    const letter = path(mail.text, 'message');
    const isFirst = mail.kind === 'letter';
    if (letter && random.chance(0.7)) {
      return later(`${mail.to} reads`, (web) => open(web, owner, { token: letter, reader: mail.to, sent, isFirst }));
    }
    const checkInToken = path(mail.text, 'check-in');
    if (checkInToken && mail.to === owner.email && random.chance(owner.plan.attention)) {
      const press = (web: Process) => checkIn(web, owner, { token: checkInToken, sent });
      const [afterMs, presses] = [patience(), random.chance(0.15) ? 2 : 1];
      return Array.from({ length: presses }, () => later(`${mail.to} checks in`, press, afterMs)).flat();
    }
    return [];
  };
}

/** Whose silence counts: the one that was there when this moment began, if the owner came back in it. */
export function silencesOf(owner: OwnerNotes, moment: number) {
  return owner.before && owner.activity.moment === moment ? [owner.before, owner] : [owner];
}
