import type { Owner } from '#server/features/release-core/model.rules.ts';
import { contact } from '#server/features/release-core/release-core.test-world.ts';
import { ada, type Boundary, dayMs, hasBy, type Life, lifeOf, says } from './boundaries.ts';

/** An early request of day 20 with its yes. */
function waiting(owner: Partial<Owner> = {}): Life {
  const life = lifeOf(owner);
  life.until(20);
  life.does(ada);
  life.does(says('ada', 'yes'));
  return life;
}

/** Three requests by three contacts on day 20, and any further one on `lastDay`; each ends with a no. */
function askedTimes(requests: number, lastDay: number) {
  const ids = ['ada', 'ben', 'cy', 'dee'].slice(0, requests);
  const life = lifeOf({ inactivityDays: 365 }, { contacts: ids.map((id) => contact(id)) });
  return ids.map((contactId, index) => {
    life.until(index < 3 ? 20 : lastDay);
    const refused = life.does({ kind: 'emergency', contactId });
    life.does(says(contactId, 'no'));
    return refused;
  });
}

/** Numbers of the sections "Early requests" and "Waiting". */
export const earlyBoundaries: readonly Boundary[] = [
  {
    page: 'The contact whose early request the owner stopped can ask again after 30 healthy days.',
    number: 30,
    is: 'from',
    isSo: (days) => {
      const life = lifeOf();
      life.until(20);
      life.does(ada);
      life.does({ kind: 'life', isStop: true });
      life.until(20 + days);
      return life.does(ada) === null;
    },
  },
  {
    page: 'A contact who was confirmed within the last 72 healthy hours does not count.',
    number: 72,
    is: 'from',
    isSo: (hours) => {
      const life = lifeOf({}, { contacts: [contact('ada', 10)] });
      life.until(10 + hours / 24);
      return life.does(ada) === null;
    },
  },
  {
    page: 'An early request ends with 14 healthy days without enough answers.',
    number: 14,
    is: 'from',
    isSo: (days) => {
      const life = lifeOf();
      life.until(20);
      life.does(ada);
      return hasBy(life, 20 + days, /request_ended nobody_answered/);
    },
  },
  {
    page: 'An owner has at most three early requests a week.',
    number: 3,
    is: 'up to',
    isSo: (requests) => askedTimes(requests, 20).every((refused) => refused === null),
  },
  {
    page: 'An owner has at most three early requests a week (after 7 days another one can open).',
    number: 7,
    is: 'from',
    isSo: (days) => askedTimes(4, 20 + days).at(-1) === null,
  },
  ...[0, 3, 30].map(
    (number): Boundary => ({
      page: `The waiting period is 3 days unless the owner chose 0 to 30 (${number})`,
      number,
      is: 'from',
      isSo: (days) => days >= 0 && hasBy(waiting({ waitingDays: number }), 20 + days, /^\S+ released/),
    }),
  ),
  {
    page: 'A wait that people were told of is never shortened (contacts alone were told, and a silence takes it over).',
    number: 3,
    is: 'from',
    isSo: (days) => {
      const life = lifeOf({}, {}, (to) => (to === 'owner' ? 'tried' : 'accepted'));
      life.until(88);
      life.does(ada);
      life.does(says('ada', 'yes'));
      return hasBy(life, 88 + days, /^\S+ released/);
    },
  },
  {
    page: 'We write to the owner daily by every channel.',
    number: 1,
    is: 'from',
    isSo: (days) => hasBy(waiting(), 20 + days, /wait_goes_on/),
  },
  {
    page: 'While the owner is away, the wait is at least 14 days.',
    number: 14,
    is: 'from',
    isSo: (days) => hasBy(waiting({ awayUntilMs: 60 * dayMs }), 20 + days, /^\S+ released/),
  },
];
