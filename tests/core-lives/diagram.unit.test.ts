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

test('the diagram of docs/domain.md has each transition of the core, and no other', () => {
  livesOf({ ...theCore, evolve: note }, { seed: 1, years: 2_500 });
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
