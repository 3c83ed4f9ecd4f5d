import type { Command } from '#server/features/release-core/events.rules.ts';
import type { Owner, World } from '#server/features/release-core/model.rules.ts';
import { contact, live, plainOwner, worldOf } from '#server/features/release-core/release-core.test-world.ts';

/**
 * One number of the page "Release: from silence to delivery", with the sentence that gives it. `from`: `isSo` holds from that
 * number on, and not one unit before. `up to`: it holds up to that number, and not one unit after.
 */
export type Boundary = { page: string; number: number; is: 'from' | 'up to'; isSo: (units: number) => boolean };

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
const two = [contact('ada'), contact('ben')];
export const ada: Command = { kind: 'emergency', contactId: 'ada' };
export const says = (contactId: string, what: 'yes' | 'no'): Command => ({ kind: 'answer', contactId, says: what });

type Post = Parameters<typeof live>[1];
export function lifeOf(owner: Partial<Owner> = {}, world: Partial<World> = {}, post?: Post) {
  return live(worldOf({ owner: { ...plainOwner, ...owner }, ...world }), post);
}
export type Life = ReturnType<typeof lifeOf>;

/** True if such a step was taken by that day, within a minute. */
export function hasBy(life: Life, day: number, step: RegExp, times = 1): boolean {
  life.until(day + 1 / 1440);
  return life.lines(step).length >= times;
}
function bounces(life: Life, topic: string): void {
  const notice = life.world.notices.findLast((each) => each.topic === topic);
  life.does({ kind: 'notice_bounced', notice: notice?.id ?? 0, channel: 'email' });
}
/** A life in which contacts have been asked since day 90. */
function asking(owner: Partial<Owner> = {}, world: Partial<World> = {}, post?: Post): Life {
  const life = lifeOf(owner, world, post);
  life.until(90);
  return life;
}

const silence: Boundary[] = [
  ...[
    [90, 45],
    [91, 46],
    [180, 90],
    [365, 183],
  ].map(
    ([inactivityDays = 0, number = 0]): Boundary => ({
      page: `The first reminder goes at ⌈D/2⌉ days (D = ${inactivityDays})`,
      number,
      is: 'from',
      isSo: (day) => hasBy(lifeOf({ inactivityDays }), day, /first_reminder_written/),
    }),
  ),
  ...[
    [90, 80],
    [180, 170],
    [365, 355],
  ].map(
    ([inactivityDays = 0, number = 0]): Boundary => ({
      page: `… and the last at D − 10 days (D = ${inactivityDays})`,
      number,
      is: 'from',
      isSo: (day) => hasBy(lifeOf({ inactivityDays }), day, /last_reminder_written/),
    }),
  ),
  ...[90, 180, 365].map(
    (number): Boundary => ({
      page: `inactive for D days: every confirmed contact gets a portal link (D = ${number})`,
      number,
      is: 'from',
      isSo: (day) => hasBy(lifeOf({ inactivityDays: number }), day, /contact_asked/),
    }),
  ),
  {
    page: 'first reminder → last reminder: 7 days',
    number: 7,
    is: 'from',
    isSo: (days) =>
      hasBy(
        lifeOf({}, {}, (_, day) => (day < 78 ? 'later' : 'accepted')),
        78 + days,
        /last_reminder/,
      ),
  },
  {
    page: 'last reminder → contacts asked: 10 days',
    number: 10,
    is: 'from',
    isSo: (days) =>
      hasBy(
        lifeOf({}, {}, (_, day) => (day > 79 && day < 88 ? 'later' : 'accepted')),
        88 + days,
        /contact_asked/,
      ),
  },
  ...[0, 7, 30].map(
    (number): Boundary => ({
      page: `contacts asked → automatic delivery: the answer time, 7 or 0 to 30 days (${number})`,
      number,
      is: 'from',
      isSo: (days) => days >= 0 && hasBy(asking({ answerDays: number }), 90 + days, /^\S+ released/),
    }),
  ),
  {
    page: 'A person gets at most one reminder or question per owner and day.',
    number: 1,
    is: 'from',
    isSo: (days) => {
      const life = lifeOf();
      life.until(45);
      bounces(life, 'first_reminder');
      return hasBy(life, 45 + days, /first_reminder_written/, 2);
    },
  },
];

const answers: Boundary[] = [
  {
    page: 'A question that is still refused after 7 healthy days delays nothing.',
    number: 7,
    is: 'from',
    isSo: (days) =>
      hasBy(
        asking({ answerDays: 0 }, { contacts: two }, (to) => (to === 'ben' ? 'later' : 'accepted')),
        90 + days,
        /^\S+ released/,
      ),
  },
  {
    page: 'A contact who has not answered is asked again every 30 healthy days.',
    number: 30,
    is: 'from',
    isSo: (days) => hasBy(asking({ method: 'trusted_contact' }), 90 + days, /contact_asked/, 2),
  },
  {
    page: 'A contact who has not answered is asked again every 30 healthy days while the silence lasts (in a wait).',
    number: 30,
    is: 'from',
    isSo: (days) => {
      const post: Post = (to, day) => (to === 'owner' && day > 79 ? 'later' : 'accepted');
      const life = lifeOf({ waitingDays: 30 }, { contacts: two }, post);
      life.until(111);
      life.does(says('ada', 'yes'));
      return hasBy(life, 110 + days, /contact_asked ben/, 2);
    },
  },
  {
    page: 'Another contact’s first no starts the pause again.',
    number: 30,
    is: 'from',
    isSo: (days) => {
      const life = asking({}, { contacts: two });
      life.does(says('ada', 'no'));
      life.until(100);
      life.does(says('ben', 'no'));
      return hasBy(life, 100 + days, /asked_anew/);
    },
  },
  {
    page: 'The emergency form also sends them the link again, once a day.',
    number: 24,
    is: 'from',
    isSo: (hours) => {
      const life = asking();
      life.until(90 + hours / 24);
      return life.does(ada) === null;
    },
  },
  {
    page: 'paused → asking: 30 healthy days without activity',
    number: 30,
    is: 'from',
    isSo: (days) => {
      const life = asking();
      life.does(says('ada', 'no'));
      return hasBy(life, 90 + days, /asked_anew/);
    },
  },
  {
    page: 'A later no of the same contact stops a release by silence alone, for 30 healthy days.',
    number: 30,
    is: 'from',
    isSo: (days) => {
      const life = asking();
      life.does(says('ada', 'no'));
      life.until(121);
      life.does(says('ada', 'no'));
      return hasBy(life, 121 + days, /^\S+ released/);
    },
  },
  {
    page: 'If fewer contacts are left than the terms need, the request continues after 30 healthy days.',
    number: 30,
    is: 'from',
    isSo: (days) => {
      const life = asking({ quorum: 2, method: 'trusted_contact' }, { contacts: two });
      life.change({ contacts: [contact('ada')] });
      life.does({ kind: 'left', contactId: 'ben' });
      return hasBy(life, 90 + days, /needed_lowered/);
    },
  },
  {
    page: 'If no channel accepted a reminder, silence alone waits 90 healthy days more.',
    number: 90,
    is: 'from',
    isSo: (days) =>
      hasBy(
        asking({}, {}, (to) => (to === 'owner' ? 'tried' : 'accepted')),
        97 + days,
        /^\S+ released/,
      ),
  },
  {
    page: 'If mail to the owner is in trouble for 30 healthy days and D days are over, the contacts are asked.',
    number: 30,
    is: 'from',
    isSo: (days) =>
      hasBy(
        lifeOf({}, {}, (to, day) => (to === 'owner' && day > 79 ? 'later' : 'accepted')),
        80 + days,
        /contact_asked/,
      ),
  },
  {
    page: 'A yes then waits 14 healthy days, in which every contact has a link to say no.',
    number: 14,
    is: 'from',
    isSo: (days) => {
      const life = lifeOf({}, {}, (to, day) => (to === 'owner' && day > 79 ? 'later' : 'accepted'));
      life.until(111);
      life.does(says('ada', 'yes'));
      return hasBy(life, 111 + days, /^\S+ released/);
    },
  },
  {
    page: 'If a reminder bounces while contacts are asked, 10 days have passed since it was accepted again.',
    number: 10,
    is: 'from',
    isSo: (days) => {
      const life = asking({ answerDays: 0, method: 'trusted_contact' });
      life.until(92);
      bounces(life, 'last_reminder');
      life.change({ owner: { ...life.world.owner, method: 'inactivity' } });
      return hasBy(life, 92 + days, /^\S+ released/);
    },
  },
  {
    page: 'If a reminder bounces while contacts are asked, the answer time stops (7 days, 2 of them used).',
    number: 15,
    is: 'from',
    isSo: (days) => {
      const life = asking();
      life.until(92);
      bounces(life, 'last_reminder');
      return hasBy(life, 92 + days, /^\S+ released/);
    },
  },
  {
    page: 'If it was the first reminder, the last reminder is written again 7 days after the first was accepted again.',
    number: 7,
    is: 'from',
    isSo: (days) => {
      const life = asking({ method: 'trusted_contact' });
      life.until(92);
      bounces(life, 'first_reminder');
      return hasBy(life, 92 + days, /last_reminder_written/, 2);
    },
  },
];

export const boundaries: readonly Boundary[] = [...silence, ...answers];
