import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decide } from '#server/features/release-core/decide.rules.ts';
import type { Command, Event } from '#server/features/release-core/events.rules.ts';
import { evolve } from '#server/features/release-core/evolve.rules.ts';
import type { Mark, World } from '#server/features/release-core/model.rules.ts';
import { contact, live, plainOwner, worldOf } from '#server/features/release-core/release-core.test-world.ts';
import { stateOf } from '#server/features/release-settings/release-overview.rules.ts';
import { repository } from '#tests/architecture/sources.ts';
import { livesOf, theCore } from './lives.ts';

/** Each its own thousand years, so that a fault says where it is: `npm run simulate -- --core --one --seed N` shows it. */
const lots = Array.from({ length: 10 }, (_, index) => ({ seed: 1 + index * 100_000, years: 2_000 }));

const seen = new Set<string>();

/** Notes the states that a world passes with these events. A release of documents alone ends as it begins. */
function note(world: World, events: readonly Event[], at: Mark): World {
  const next = evolve(world, events, at);
  const isReleased = events.some(({ kind }) => kind === 'released');
  const path = [stateOf(world), ...(isReleased ? ['releasing'] : []), stateOf(next)];
  for (const [index, to] of path.slice(1).entries()) if (path[index] !== to) seen.add(`${path[index]} --> ${to}`);
  return next;
}

/** Notes what a command does to a life that goes no further. */
function noteLast(life: ReturnType<typeof live>, command: Command): void {
  const { events, refused } = decide(life.world, command, life.now);
  expect(refused).toBeNull();
  note(life.world, events, life.now);
}

const two = { contacts: [contact('ada'), contact('ben')], owner: { ...plainOwner, waitingDays: 0 } };
const no: Command = { kind: 'answer', contactId: 'ben', says: 'no' };

/** An early request of this day, whose letters are on their way. Both contacts have a link. */
function releasingEarly(day: number) {
  const life = live(worldOf(two), (to) => (to === 'owner' && life.now.atMs > day * 86_400_000 ? 'later' : 'accepted'));
  life.until(day);
  life.does({ kind: 'emergency', contactId: 'ada' });
  life.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
  life.until(day + 0.1);
  return life;
}

type Lot = (typeof lots)[number];
const livedLots = new Map<number, ReturnType<typeof livesOf>>();

/** Lives through a lot once for all tests of this file, and notes the states that it passes. */
function lived({ seed, years }: Lot): ReturnType<typeof livesOf> {
  const known = livedLots.get(seed) ?? livesOf({ ...theCore, evolve: note }, { seed, years });
  livedLots.set(seed, known);
  return known;
}

test.each(lots)('$years owner-years from seed $seed on keep every promise of a release', ({ seed, years }) => {
  const { found, releases, lives } = lived({ seed, years });
  expect(found.map(({ seed: of, fault }) => `seed ${of}: ${fault.message}`)).toEqual([]);
  // Lives in which nothing happens would show nothing.
  expect(releases).toBeGreaterThan(lives / 3);
});

/** Faults that a longer run than this one has found: the seeds of their lives. */
test.each([{ seed: 354_712 }, { seed: 21_982 }, { seed: 350_080 }, { seed: 294_488 }])(
  'the life of seed $seed keeps every promise of a release',
  ({ seed }) => {
    expect(livesOf(theCore, { seed, years: 1 }).found.map(({ fault }) => fault.message)).toEqual([]);
  },
);

test('the diagram of docs/domain.md has each transition of the core, and no other', () => {
  for (const lot of lots) lived(lot);
  // Steps that random runs rarely take.
  for (const day of [20, 60, 82]) noteLast(releasingEarly(day), no);
  const bySilence = live(worldOf({ contacts: two.contacts }));
  bySilence.until(91);
  bySilence.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
  noteLast(bySilence, { kind: 'take_back', contactId: 'ada' });
  noteLast(bySilence, no);
  const untold = live(worldOf({ contacts: two.contacts }), (to, day) =>
    to === 'owner' && day > 79 ? 'later' : 'accepted',
  );
  untold.until(111);
  untold.does({ kind: 'answer', contactId: 'ada', says: 'yes' });
  noteLast(untold, no);

  const page = readFileSync(join(repository, 'docs/domain.md'), 'utf8');
  const drawn = [...page.matchAll(/^ {2}(\w+ --> \w+)/gm)].map(([, edge = '']) => edge);
  expect(drawn.length).toBeGreaterThan(20);
  expect([...seen].sort()).toEqual(drawn.sort());
});
