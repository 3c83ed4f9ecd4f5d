import { AppError } from '#shared/contract/errors.ts';
import type { Process } from './machine.ts';
import { type OwnerNotes, type When, whenOf } from './notes.ts';
import { nowhere, type Owner } from './owners.ts';
import type { Handed } from './post.ts';
import type { Random } from './random.ts';
import type { Temper } from './scenario.ts';
import type { WorldTime } from './time.ts';

/** Something that somebody does because of a mail, so many milliseconds after it came. */
export type Reaction = { name: string; owner: Owner; afterMs: number; run: (web: Process) => Promise<void> };

const minuteMs = 60_000;
const dayMs = 86_400_000;

type Options = {
  owners: readonly Owner[];
  time: WorldTime;
  random: Random;
  complain: (what: string) => void;
  checkInByLink: (web: Process, owner: Owner, token: string) => Promise<void>;
};

/** People who read what the post brings: owners, their contacts, and those to whom they wrote. */
export function createReaders({ owners, time, random, complain, checkInByLink }: Options) {
  /** Links on which a decision was taken and answered. */
  const decided = new Set<string>();

  /** At once, a little later, or days later. */
  const patience = () =>
    random.pick([0, random.below(3 * minuteMs), random.below(3 * dayMs), random.below(20 * dayMs)]);

  function says(temper: Temper): 'confirms' | 'cancels' | null {
    if (temper === 'torn') return random.pick(['confirms', 'cancels', null]);
    return temper === 'vanishes' ? null : temper;
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
    if (decided.has(token)) complain(`the link of ${email} has acted twice`);
    decided.add(token);
    const isDead = owner.activity.moment > sent.moment && owner.activity.moment < time.moment;
    if (isDead) complain(`a link of ${email} has acted after the owner came back`);
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
    if (contact && invitation && random.chance(0.9)) {
      const accept = random.chance(0.95);
      return later(`${mail.to} ${accept ? 'accepts' : 'declines'}`, async ({ services }) => {
        await services.contacts.answerInvitation({ token: invitation, accept, origin: nowhere });
        contact.confirmed = accept ? (contact.confirmed ?? whenOf(time)) : null;
      });
    }
    const portal = path(mail.text, 'trusted-contact-admin');
    const word = contact && portal ? says(contact.temper) : null;
    if (contact && portal && word) {
      const press = (web: Process) =>
        decide(web, owner, { token: portal, email: contact.email, sent, confirmed: word === 'confirms' });
      const afterMs = patience();
      const presses = random.chance(0.15) ? 3 : 1;
      return Array.from({ length: presses }, () => later(`${mail.to} ${word}`, press, afterMs)).flat();
    }
    const letter = path(mail.text, 'message');
    const isFirst = mail.kind === 'letter';
    if (letter && random.chance(0.7)) {
      return later(`${mail.to} reads`, (web) => open(web, owner, { token: letter, reader: mail.to, sent, isFirst }));
    }
    const checkIn = path(mail.text, 'check-in');
    if (checkIn && mail.to === owner.email && random.chance(owner.plan.attention)) {
      return later(`${mail.to} checks in`, (web) => checkInByLink(web, owner, checkIn));
    }
    return [];
  };
}

/** Whose silence counts: the one that was there when this moment began, if the owner came back in it. */
export function silencesOf(owner: OwnerNotes, moment: number) {
  return owner.before && owner.activity.moment === moment ? [owner.before, owner] : [owner];
}
