import { describe, expect, test } from 'vitest';
import { decide } from '#server/features/release-core/decide.rules.ts';
import type { Command, Event } from '#server/features/release-core/events.rules.ts';
import { evolve } from '#server/features/release-core/evolve.rules.ts';
import { allTaken } from '#server/features/release-core/forecast.rules.ts';
import type { Mark, World } from '#server/features/release-core/model.rules.ts';
import { contact, plainOwner, worldOf as plainWorld } from '#server/features/release-core/release-core.test-world.ts';
import { visit } from '#server/features/release-core/visit.rules.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { isReady, problemsOf, stateOf, timelineAfterActivity, timelineOf, toldOf } from './release-overview.rules.ts';

const day = (number: number): Mark => ({ atMs: number * dayMs, healthyMs: number * dayMs });

function worldOf({
  owner,
  ...changes
}: Partial<Omit<World, 'owner'>> & { owner?: Partial<World['owner']> } = {}): World {
  const chosen = { ...plainOwner, waitingDays: 5, ...owner };
  return plainWorld({ owner: chosen, contacts: [contact('priya')], ...changes });
}

/** Runs the core until a day. Every mail is accepted immediately, unless `outcomes` says otherwise. */
function live(from: World, untilDay: number, { fromDay = 0, outcomes = allTaken } = {}): World {
  let world = from;
  for (let number = fromDay; number <= untilDay; number += 1) {
    for (let pass = 0; pass < 5; pass += 1) {
      world = evolve(world, visit(world, day(number)).events, day(number));
      world = evolve(world, outcomes(world), day(number));
    }
  }
  return world;
}

/** Applies a command on a day, with everything that follows immediately. */
function act(world: World, onDay: number, command: Command): World {
  const { events, refused } = decide(world, command, day(onDay));
  expect(refused).toBeNull();
  return live(evolve(world, events, day(onDay)), onDay, { fromDay: onDay });
}

const inVain = (world: World): Event[] =>
  allTaken(world).map((event) => (event.kind === 'notice_ended' ? { ...event, outcome: 'tried' } : event));

/** Timeline on a day of silence without outages. `*` marks past points. */
const lineOn = (number: number, world: World, deliveredDay: number | null = null) =>
  timelineOf(world, day(number), {
    checkinIntervalDays: 30,
    deliveredAtMs: deliveredDay === null ? null : deliveredDay * dayMs,
  }).map(({ what, atMs, isPast }) => `${what} ${atMs / dayMs}${isPast ? '*' : ''}`);

describe('the state', () => {
  test.each([
    [44, 'watching'],
    [45, 'reminded'],
    [80, 'warned'],
    [90, 'asking'],
    [97, 'releasing'],
  ])('on day %i of a silence is %s', (number, state) => {
    expect(stateOf(live(worldOf(), number))).toBe(state);
  });

  test('is not warned before the last reminder has ended', () => {
    const world = live(worldOf(), 79);
    const { events } = visit(world, day(80));
    expect(stateOf(evolve(world, events, day(80)))).toBe('reminded');
  });

  test('after a no, after an early yes, and when all has arrived', () => {
    const asking = live(worldOf(), 90);
    expect(stateOf(act(asking, 91, { kind: 'answer', contactId: 'priya', says: 'no' }))).toBe('paused');
    expect(stateOf(act(worldOf(), 10, { kind: 'trustee', contactId: 'priya' }))).toBe('holding');
    const released = live(worldOf(), 97);
    expect(stateOf(act(released, 98, { kind: 'letter_ended', letterId: 'nell', outcome: 'accepted' }))).toBe(
      'released',
    );
  });
});

describe('the line of time', () => {
  test('for an owner who was active today', () => {
    expect(lineOn(0, worldOf())).toEqual([
      'last_activity 0*',
      'next_checkin 30',
      'first_reminder 45',
      'last_reminder 80',
      'contacts_asked 90',
      'automatic_delivery 97',
    ]);
  });

  test('is whole before an address is verified, a letter is ready and a contact has accepted', () => {
    const whole = lineOn(0, worldOf());
    expect(lineOn(0, worldOf({ owner: { isVerified: false }, readyLetters: [], contacts: [] }))).toEqual(whole);
    const stopped = { isFrozen: true, isSilenceStopped: true };
    expect(lineOn(0, worldOf({ stops: stopped }))).toEqual(whole);
    const byPeople = worldOf({ owner: { method: 'trusted_contact' }, contacts: [] });
    expect(lineOn(0, byPeople)).toEqual(whole.slice(0, -1));
  });

  test('with method trusted_contact has no delivery by itself', () => {
    const line = lineOn(0, worldOf({ owner: { method: 'trusted_contact' } }));
    expect(line.at(-1)).toBe('contacts_asked 90');
  });

  test('after the first reminder, and while contacts are asked', () => {
    expect(lineOn(46, live(worldOf(), 46))).toEqual([
      'last_activity 0*',
      'first_reminder 45*',
      'last_reminder 80',
      'contacts_asked 90',
      'automatic_delivery 97',
    ]);
    expect(lineOn(91, live(worldOf(), 91))).toEqual([
      'last_activity 0*',
      'first_reminder 45*',
      'last_reminder 80*',
      'contacts_asked 90*',
      'automatic_delivery 97',
    ]);
  });

  test('counts from the day until which its owner is away', () => {
    const away = worldOf({ owner: { awayUntilMs: 100 * dayMs } });
    expect(lineOn(10, away)).toEqual([
      'last_activity 0*',
      'away_until 100',
      'next_checkin 130',
      'first_reminder 145',
      'last_reminder 180',
      'contacts_asked 190',
      'automatic_delivery 197',
    ]);
    expect(lineOn(101, live(away, 101)).slice(0, 2)).toEqual(['last_activity 0*', 'next_checkin 130']);
  });

  test('after an outage shows the gaps that must still lie between the steps', () => {
    expect(lineOn(200, live(worldOf(), 200, { fromDay: 200 })).slice(1)).toEqual([
      'first_reminder 200*',
      'last_reminder 207',
      'contacts_asked 217',
      'automatic_delivery 224',
    ]);
  });

  test('waits ninety days more for silence alone if no reminder was accepted', () => {
    const closed = live(worldOf(), 81, { outcomes: inVain });
    expect(lineOn(81, closed).slice(2)).toEqual(['last_reminder 80*', 'contacts_asked 90', 'automatic_delivery 187']);
  });

  test('a reminder that is on its way, or came back, is still to come', () => {
    const written = evolve(worldOf(), visit(worldOf(), day(45)).events, day(45));
    expect(lineOn(45, written)).toContain('first_reminder 45');
    const bounced = evolve(live(worldOf(), 45), [{ kind: 'notice_bounced', notice: 1, channel: 'email' }], day(45.5));
    expect(lineOn(45.5, bounced)).toContain('first_reminder 46');
  });

  test('for a pause, the waiting period and a delivery', () => {
    const paused = act(live(worldOf(), 92), 92, { kind: 'answer', contactId: 'priya', says: 'no' });
    expect(lineOn(95, paused).slice(-3)).toEqual(['contacts_asked 90*', 'paused_until 122', 'automatic_delivery 129']);
    const holding = act(worldOf(), 11, { kind: 'trustee', contactId: 'priya' });
    expect(lineOn(12, holding)).toEqual(['last_activity 0*', 'holding_until 16']);
    expect(lineOn(98, live(worldOf(), 98), 97).slice(-2)).toEqual(['contacts_asked 90*', 'delivered 97*']);
  });

  test('an early request leaves what silence would do as it is', () => {
    const early = act(worldOf(), 10, { kind: 'emergency', contactId: 'priya' });
    expect(lineOn(10, early)).toEqual([
      'last_activity 0*',
      'first_reminder 45',
      'last_reminder 80',
      'contacts_asked 90',
      'automatic_delivery 97',
    ]);
  });

  test('after a sign of life that ended everything is that of a new silence', () => {
    const asking = live(worldOf(), 91);
    const back = { ...asking, owner: { ...asking.owner, lastActivityMs: 91 * dayMs } };
    const line = timelineAfterActivity(back, day(91), 30);
    expect(line.map(({ what, atMs }) => `${what} ${atMs / dayMs}`)).toEqual([
      'next_checkin 121',
      'first_reminder 136',
      'last_reminder 171',
      'contacts_asked 181',
      'automatic_delivery 188',
    ]);
  });
});

test('told is whom a question has reached, or who has answered', () => {
  const contacts = [contact('priya'), contact('tom')];
  const early = act(worldOf({ contacts }), 10, { kind: 'emergency', contactId: 'priya' });
  expect(toldOf(early)).toEqual(['priya']);
  expect(toldOf(live(worldOf({ contacts }), 90))).toEqual(['priya', 'tom']);
  expect(toldOf(live(worldOf({ contacts }), 89))).toEqual([]);
});

describe('problems', () => {
  const well = { owner: false, contactIds: [], letter: false, ownMail: false, isInTrouble: false };
  const allWell = { isMailSetUp: true, isMailHealthy: true, isClockBehind: false, refused: well };
  const types = (world: World, conditions: Parameters<typeof problemsOf>[1] = allWell) =>
    problemsOf(world, conditions).map(({ type }) => type);

  test('there are none when everything is in place', () => {
    expect(types(worldOf())).toEqual([]);
    expect(isReady([])).toBe(true);
  });

  test('each is named, the gravest first, in words without shouting', () => {
    const nothing = worldOf({
      owner: { isVerified: false, method: 'trusted_contact' },
      stops: { isFrozen: true, isSilenceStopped: false },
      contacts: [],
      readyLetters: [],
    });
    const problems = problemsOf(nothing, {
      isMailSetUp: false,
      isMailHealthy: false,
      isClockBehind: true,
      refused: { owner: true, contactIds: ['1'], letter: true, ownMail: true, isInTrouble: true },
    });
    expect(problems.map(({ type }) => type)).toEqual([
      'email_not_verified',
      'frozen',
      'nothing_could_ever_be_released',
      'no_ready_message',
      'address_bounced',
      'contact_bounced',
      'letter_bounced',
      'mail_not_set_up',
      'mail_down',
      'clock_behind',
    ]);
    for (const { message } of problems) expect(message).toMatch(/^[A-Z][^!]+\.$/);
    expect(isReady(problems)).toBe(false);
  });

  test('without a contact, method inactivity is a warning and method trusted_contact a stop', () => {
    const alone = worldOf({ contacts: [] });
    expect(types(alone)).toEqual(['no_confirmed_contact']);
    expect(isReady(problemsOf(alone, allWell))).toBe(true);
  });

  test('without a contact, mail to the owner in trouble is a stop: nothing would be delivered', () => {
    const inTrouble = { ...allWell, refused: { ...well, isInTrouble: true } };
    expect(types(worldOf({ contacts: [] }), inTrouble)).toEqual(['nobody_to_ask']);
    expect(isReady(problemsOf(worldOf({ contacts: [] }), inTrouble))).toBe(false);
    expect(types(worldOf(), inTrouble)).toEqual([]);
  });

  test('any mail to the owner that was refused is named, once', () => {
    expect(types(worldOf(), { ...allWell, refused: { ...well, ownMail: true } })).toEqual(['own_mail_refused']);
    expect(types(worldOf(), { ...allWell, refused: { ...well, ownMail: true, owner: true } })).toEqual([
      'address_bounced',
    ]);
  });

  test('with documents for contacts and no letter people are asked, and no letter goes', () => {
    const documents = worldOf({ readyLetters: [], visibleDocuments: 2 });
    expect(types(documents)).toEqual(['documents_alone']);
    expect(isReady(problemsOf(documents, allWell))).toBe(true);
  });

  test('are a stop if people alone decide and too few of them accept our mail; else a warning', () => {
    const contactsOf = (ids: string[]) => ids.map((id) => contact(id));
    const refusing = (...contactIds: string[]) => ({ ...allWell, refused: { ...well, contactIds } });
    const both = worldOf({ owner: { method: 'trusted_contact', quorum: 2 }, contacts: contactsOf(['1', '2']) });
    expect(types(both, refusing('1'))).toEqual(['contacts_out_of_reach']);
    expect(isReady(problemsOf(both, refusing('1')))).toBe(false);
    const one = worldOf({ owner: { method: 'trusted_contact' }, contacts: contactsOf(['1', '2']) });
    expect(types(one, refusing('1'))).toEqual(['contact_bounced']);
    expect(types(one, refusing('1', '2'))).toEqual(['contacts_out_of_reach']);
    const silent = worldOf({ contacts: contactsOf(['1']) });
    expect(types(silent, refusing('1'))).toEqual(['contact_bounced']);
    expect(isReady(problemsOf(silent, refusing('1')))).toBe(true);
  });

  test.each([{ isMailHealthy: false }, { isClockBehind: true }])(
    'no contact counts as ready while all steps are stopped: %j',
    (change) => {
      expect(isReady(problemsOf(worldOf(), { ...allWell, ...change }))).toBe(false);
    },
  );
});
