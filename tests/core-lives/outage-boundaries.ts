import type { Owner, World } from '#server/features/release-core/model.rules.ts';
import { contact } from '#server/features/release-core/release-core.test-world.ts';
import { ada, type Boundary, hasBy, type Life, lifeOf, says } from './boundaries.ts';

/** Longer than every window below, so that a window by the clock would end in it. */
const outageDays = 100;
const two = [contact('ada'), contact('ben')];
const byPeople = { method: 'trusted_contact' } as const;
/** A silence so long that no early request is taken over. */
const patient = { inactivityDays: 365 };

type Window = {
  page: string;
  number: number;
  /** Day on which the window begins. */
  begins: number;
  life: () => Life;
  hasEnded: (life: Life, day: number) => boolean;
};

const step =
  (pattern: RegExp, times = 1) =>
  (life: Life, day: number) =>
    hasBy(life, day, pattern, times);
const released = step(/^\S+ released/);

function until(day: number, ...given: Parameters<typeof lifeOf>): Life {
  const life = lifeOf(...given);
  life.until(day);
  return life;
}
const asking = (owner: Partial<Owner> = {}, world: Partial<World> = {}) => until(90, owner, world);
const unreached = (owner: Partial<Owner> = {}) =>
  lifeOf(owner, { contacts: two }, (to, day) => (to === 'owner' && day > 79 ? 'later' : 'accepted'));

function early(...answers: ReturnType<typeof says>[]): Life {
  const life = until(20, patient);
  for (const command of [ada, ...answers]) life.does(command);
  return life;
}

function delivering(): Life {
  const life = until(91, {}, { readyLetters: ['nell', 'kit'] });
  life.does(says('ada', 'yes'));
  life.does({ kind: 'letter_ended', letterId: 'nell', outcome: 'accepted' });
  return life;
}

/** “All response windows are measured in healthy time”: each window of the core, with an outage in it. */
const windows: Window[] = [
  {
    page: 'first reminder → last reminder',
    number: 7,
    begins: 78,
    life: () => lifeOf({}, {}, (_, day) => (day < 78 ? 'later' : 'accepted')),
    hasEnded: step(/last_reminder/),
  },
  {
    page: 'last reminder → contacts asked',
    number: 10,
    begins: 88,
    life: () => lifeOf({}, {}, (_, day) => (day > 79 && day < 88 ? 'later' : 'accepted')),
    hasEnded: step(/contact_asked/),
  },
  { page: 'contacts asked → automatic delivery', number: 7, begins: 90, life: asking, hasEnded: released },
  {
    page: 'A question that is still refused delays nothing',
    number: 7,
    begins: 90,
    life: () => lifeOf({ answerDays: 0 }, { contacts: two }, (to) => (to === 'ben' ? 'later' : 'accepted')),
    hasEnded: released,
  },
  {
    page: 'A contact who has not answered is asked again',
    number: 30,
    begins: 90,
    life: () => asking(byPeople),
    hasEnded: step(/contact_asked/, 2),
  },
  {
    page: 'paused → asking',
    number: 30,
    begins: 90,
    life: () => {
      const life = asking();
      life.does(says('ada', 'no'));
      return life;
    },
    hasEnded: step(/asked_anew/),
  },
  {
    page: 'A later no of the same contact stops a release by silence alone',
    number: 30,
    begins: 121,
    life: () => {
      const life = asking();
      life.does(says('ada', 'no'));
      life.until(121);
      life.does(says('ada', 'no'));
      return life;
    },
    hasEnded: released,
  },
  {
    page: 'If fewer contacts are left than the terms need, the request continues',
    number: 30,
    begins: 90,
    life: () => {
      const life = asking({ ...byPeople, quorum: 2 }, { contacts: two });
      life.change({ contacts: [contact('ada')] });
      life.does({ kind: 'left', contactId: 'ben' });
      return life;
    },
    hasEnded: step(/needed_lowered/),
  },
  {
    page: 'If no channel accepted a reminder, silence alone waits more',
    number: 97,
    begins: 90,
    life: () => lifeOf({}, {}, (to) => (to === 'owner' ? 'tried' : 'accepted')),
    hasEnded: released,
  },
  {
    page: 'If mail to the owner is in trouble, the contacts are asked',
    number: 30,
    begins: 80,
    life: unreached,
    hasEnded: step(/contact_asked/),
  },
  {
    page: 'A yes then waits',
    number: 14,
    begins: 111,
    life: () => {
      const life = unreached();
      life.until(111);
      life.does(says('ada', 'yes'));
      return life;
    },
    hasEnded: released,
  },
  {
    page: 'The contact whose early request the owner stopped can ask again',
    number: 30,
    begins: 20,
    life: () => {
      const life = early();
      life.does({ kind: 'life', isStop: true });
      return life;
    },
    hasEnded: (life, day) => {
      life.until(day);
      return life.does(ada) === null;
    },
  },
  {
    page: 'A contact who was confirmed within the last days does not count',
    number: 3,
    begins: 10,
    life: () => until(10, patient, { contacts: [contact('ada', 10)] }),
    hasEnded: (life, day) => {
      life.until(day);
      return life.does(ada) === null;
    },
  },
  {
    page: 'An early request ends without enough answers',
    number: 14,
    begins: 20,
    life: early,
    hasEnded: step(/request_ended nobody_answered/),
  },
  { page: 'The waiting period', number: 3, begins: 20, life: () => early(says('ada', 'yes')), hasEnded: released },
  {
    page: 'Without another sign-in, everything continues',
    number: 30,
    begins: 91,
    life: () => {
      const life = delivering();
      life.does({ kind: 'signed_in' });
      return life;
    },
    hasEnded: step(/question_ended/),
  },
  {
    page: 'Letters that are not known to have left wait after a notice to the owner',
    number: 3,
    begins: 91,
    life: () => {
      const life = delivering();
      life.does({ kind: 'begin_anew' });
      return life;
    },
    hasEnded: step(/letters_let_go/),
  },
];

export const outageBoundaries: readonly Boundary[] = windows.map(({ page, number, begins, life, hasEnded }) => ({
  page: `${page}, with an outage of ${outageDays} days in it (healthy days)`,
  number,
  is: 'from',
  isSo: (days) => {
    const lived = life();
    lived.until(begins + 0.25);
    lived.outage(outageDays);
    return hasEnded(lived, begins + days + outageDays);
  },
}));
