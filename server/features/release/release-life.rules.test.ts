import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Happening, type Life, liveThrough } from './release-life.test-world.ts';

const ownerSettings = fc.record({
  inactivityDays: fc.oneof(fc.constantFrom(90, 180, 365), fc.integer({ min: 90, max: 365 })),
  releaseMethod: fc.constantFrom('inactivity' as const, 'trusted_contact' as const),
  quorum: fc.integer({ min: 1, max: 3 }),
  waitingDays: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30 })),
  answerDays: fc.oneof(fc.constant(7), fc.integer({ min: 0, max: 30 })),
  checkinIntervalDays: fc.constantFrom(7, 30, 90),
});

const lifeDays = 800;
const day = fc.double({ min: 0.001, max: lifeDays, noNaN: true });
const contact = fc.nat({ max: 3 });

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('activity' as const), day }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('confirms' as const, 'cancels' as const), day, contact }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom('emergency' as const, 'trustee' as const), day, contact }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('leaves' as const, 'leaves' as const, 'returns' as const),
      day,
      contact,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('freeze_owner' as const, 'thaw_owner' as const, 'freeze_all' as const, 'thaw_all' as const),
      day,
    }),
  },
);

const outages = fc.array(fc.record({ day, days: fc.double({ min: 0.02, max: 250, noNaN: true }) }), { maxLength: 4 });

const anyLife: fc.Arbitrary<Life> = fc.record({
  owner: ownerSettings,
  contactDays: fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 })), { maxLength: 4 }),
  readyMessages: fc.constantFrom(0, 1, 1, 1, 3),
  days: fc.constant(lifeDays),
  mailboxClosedDay: fc.option(fc.integer({ min: 0, max: 400 })),
  outages,
  mailOutages: fc.array(fc.record({ day, days: fc.double({ min: 0.02, max: 4, noNaN: true }) }), { maxLength: 3 }),
  happenings: fc.array(happening, { maxLength: 30 }),
  answers: fc.array(
    fc.record({
      afterDays: fc.oneof(fc.double({ min: 0, max: 3, noNaN: true }), fc.double({ min: 0, max: 40, noNaN: true })),
      says: fc.constantFrom('confirms' as const, 'cancels' as const, 'nothing' as const),
    }),
    { maxLength: 12 },
  ),
  askDelays: fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 30, noNaN: true })), { maxLength: 4 }),
});

const runs = 2_300;
const ownerYearsMin = 5_000;

/**
 * The search for the shortest life that breaks a promise takes a second mostly, and minutes once in a while: 17,000
 * lives, each a little shorter than the last. It ends with what it has by then.
 */
const searchMaxMs = 30_000;

describe('random lives, thousands of years of them', () => {
  test('no promise is broken, whatever people and machines do', () => {
    const seen = { bySilence: 0, byPeople: 0, days: 0 };
    const keepsThem = fc.property(anyLife, (life) => {
      const { broken, releases, days } = liveThrough(life);
      seen.days += days;
      for (const { byPeople } of releases) seen[byPeople ? 'byPeople' : 'bySilence'] += 1;
      expect(broken).toEqual([]);
    });
    // The lives themselves have no limit: on the slowest machine all of them are lived.
    const { failed, seed, counterexamplePath } = fc.check(keepsThem, { numRuns: runs, endOnFailure: true });
    if (failed) fc.assert(keepsThem, { seed, path: counterexamplePath ?? '', interruptAfterTimeLimit: searchMaxMs });
    expect(failed).toBe(false);
    // A test in which nothing is ever released would prove nothing.
    expect(seen.bySilence).toBeGreaterThan(runs / 30);
    expect(seen.byPeople).toBeGreaterThan(runs / 30);
    expect(seen.days / 365).toBeGreaterThanOrEqual(ownerYearsMin);
  });

  test('an owner who is gone, with mail that works, is delivered by the end of the period, the answer time and 48 hours', () => {
    const goneLife = fc.record({ owner: ownerSettings, contacts: fc.nat({ max: 3 }) });
    fc.assert(
      fc.property(goneLife, ({ owner, contacts }) => {
        const { releases, broken } = liveThrough({ ...quiet(owner), contactDays: Array(contacts).fill(0) });
        expect(broken).toEqual([]);
        const isAutomatic = owner.releaseMethod === 'inactivity';
        expect(releases).toHaveLength(isAutomatic ? 1 : 0);
        if (!isAutomatic) return;
        const day = releases[0]?.day ?? Number.POSITIVE_INFINITY;
        expect(day).toBeGreaterThanOrEqual(owner.inactivityDays + owner.answerDays);
        expect(day).toBeLessThan(owner.inactivityDays + owner.answerDays + 2);
      }),
      { numRuns: 400 },
    );
  });

  test('after outages delivery comes, in healthy time, within both gaps, the answer time and 48 hours of the last one', () => {
    fc.assert(
      fc.property(ownerSettings, outages, (settings, faults) => {
        const owner = { ...settings, releaseMethod: 'inactivity' as const };
        const days = lifeDays + 1_500;
        const { releases, broken } = liveThrough({ ...quiet(owner), contactDays: [0], outages: faults, days });
        expect(broken).toEqual([]);
        const lastFault = Math.max(0, ...faults.map((fault) => fault.day + fault.days));
        const bound = Math.max(owner.inactivityDays, lastFault + 17) + owner.answerDays + 2;
        expect(releases[0]?.day ?? Number.POSITIVE_INFINITY).toBeLessThan(bound);
      }),
      { numRuns: 400 },
    );
  });

  test('contacts who leave while they are asked keep nothing from going on, however long their mail is on its way', () => {
    const leaving = fc.record({
      owner: ownerSettings,
      days: fc.array(fc.integer({ min: 80, max: 460 }), { minLength: 1, maxLength: 3 }),
      askDelays: fc.array(fc.double({ min: 0, max: 30, noNaN: true }), { minLength: 1, maxLength: 3 }),
    });
    fc.assert(
      fc.property(leaving, ({ owner: settings, days, askDelays }) => {
        const owner = { ...settings, releaseMethod: 'inactivity' as const };
        const happenings = days.map((day, contact) => ({ kind: 'leaves' as const, day, contact }));
        const life = { ...quiet(owner), contactDays: days.map(() => 0), askDelays, happenings };
        const { releases, broken } = liveThrough(life);
        expect(broken).toEqual([]);
        const bound = owner.inactivityDays + 30 + 2 * owner.answerDays + 2;
        expect(releases[0]?.day ?? Number.POSITIVE_INFINITY).toBeLessThan(bound);
      }),
      { numRuns: 300 },
    );
  });

  test('a closed mailbox doubles the windows and blocks nothing', () => {
    fc.assert(
      fc.property(ownerSettings, (settings) => {
        const owner = { ...settings, releaseMethod: 'inactivity' as const };
        const { releases, broken } = liveThrough({ ...quiet(owner), contactDays: [0], mailboxClosedDay: 0 });
        expect(broken).toEqual([]);
        const day = releases[0]?.day ?? Number.POSITIVE_INFINITY;
        expect(day).toBeGreaterThanOrEqual(owner.inactivityDays - 10 + 2 + 20 + 2 * owner.answerDays);
        expect(day).toBeLessThan(owner.inactivityDays - 10 + 2 + 20 + 2 * owner.answerDays + 2);
      }),
      { numRuns: 200 },
    );
  });

  test('after weeks of downtime the next thing is a reminder', () => {
    const outage = fc.record({ day: fc.integer({ min: 1, max: 44 }), days: fc.integer({ min: 20, max: 700 }) });
    fc.assert(
      fc.property(ownerSettings, outage, (owner, fault) => {
        const { steps, broken } = liveThrough({ ...quiet(owner), contactDays: [0, 0], outages: [fault] });
        expect(broken).toEqual([]);
        const after = steps.filter(({ day, step }) => day >= fault.day + fault.days && step !== 'nudge');
        expect(['first_reminder', undefined]).toContain(after[0]?.step);
        const [first, last] = [after[0], after[1]];
        if (first && last) expect(last.day - first.day).toBeGreaterThanOrEqual(7);
      }),
      { numRuns: 300 },
    );
  });

  test('where healthy time is taken back behind the last reminder, the owner gets another, and the letters go', () => {
    const outages = [{ day: 40, days: 60 }];
    const mailOutages = [{ day: 106.4, days: 1.2 }];
    const life = { ...quiet(plain), contactDays: [0], outages, mailOutages };
    const { broken, steps, releases } = liveThrough(life);
    expect(broken).toEqual([]);
    const told = steps.filter(({ step }) => step !== 'nudge').map(({ day, step }) => [step, day.toFixed(1)]);
    expect(told).toEqual([
      ['first_reminder', '100.0'],
      ['last_reminder', '107.0'],
      ['withdraw_reminder', '107.4'],
      ['last_reminder', '108.2'],
      ['ask', '118.2'],
      ['release', '125.2'],
    ]);
    expect(releases).toHaveLength(1);
  });

  test('a reminder goes at its time also while an early release is held back by a freeze', () => {
    const owner = { ...plain, waitingDays: 1 };
    const happenings: Happening[] = [
      { kind: 'trustee', day: 3.000000005787037, contact: 0 },
      { kind: 'freeze_all', day: 3.000000017361111 },
    ];
    const { broken, steps } = liveThrough({ ...quiet(owner), contactDays: [0], mailboxClosedDay: 0, happenings });
    expect(broken).toEqual([]);
    expect(steps.find(({ step }) => step === 'first_reminder')?.day).toBe(45);
  });

  test('reminders go at their time also while everything is frozen and enough people have confirmed', () => {
    const happenings: Happening[] = [
      { kind: 'emergency', day: 10, contact: 0 },
      { kind: 'freeze_all', day: 10.5 },
      { kind: 'thaw_all', day: 200 },
    ];
    const answers = [{ afterDays: 1, says: 'confirms' as const }];
    const { broken, steps, releases } = liveThrough({ ...quiet(plain), contactDays: [0], happenings, answers });
    expect(broken).toEqual([]);
    const told = steps.filter(({ step }) => step !== 'nudge').map(({ day, step }) => [step, Math.floor(day)]);
    expect(told.slice(0, 2)).toEqual([
      ['first_reminder', 45],
      ['last_reminder', 80],
    ]);
    expect(releases.map(({ day }) => Math.floor(day))).toEqual([200]);
  });

  test('whoever is asked while the answer time of others runs has the whole of it', () => {
    const happenings: Happening[] = [{ kind: 'emergency', day: 96.9, contact: 1 }];
    const { broken, releases } = liveThrough({ ...quiet(plain), contactDays: [0, 91], happenings });
    expect(broken).toEqual([]);
    expect(releases.map(({ day }) => Math.floor(day))).toEqual([103]);
  });

  test('an early release that is held for a second time waits for its second notice, and goes', () => {
    const happenings: Happening[] = [
      { kind: 'trustee', day: 10, contact: 0 },
      { kind: 'leaves', day: 11, contact: 0 },
      { kind: 'trustee', day: 12, contact: 1 },
    ];
    const owner = { ...plain, waitingDays: 5 };
    const { broken, releases } = liveThrough({ ...quiet(owner), contactDays: [0, 0], happenings });
    expect(broken).toEqual([]);
    expect(releases.map(({ day }) => Math.floor(day))).toEqual([17]);
  });

  test('a mailbox that closes after the last reminder doubles the gap behind it', () => {
    const { broken, releases } = liveThrough({ ...quiet({ ...plain, answerDays: 0 }), mailboxClosedDay: 81 });
    expect(broken).toEqual([]);
    expect(releases.map(({ day }) => Math.floor(day))).toEqual([100]);
  });

  test('an owner who shows life every month is never reminded', () => {
    const happenings = Array.from({ length: 28 }, (_, month) => ({ kind: 'activity' as const, day: 29 + month * 29 }));
    const { steps } = liveThrough({ ...quiet(plain), contactDays: [0], happenings });
    expect(steps).toEqual([]);
  });

  test('the plain life of 90 days: 45, 80, 90 and 97', () => {
    const { steps } = liveThrough({ ...quiet(plain), contactDays: [0] });
    const told = steps.filter(({ step }) => step !== 'nudge').map(({ day, step }) => [step, Math.floor(day)]);
    expect(told).toEqual([
      ['first_reminder', 45],
      ['last_reminder', 80],
      ['ask', 90],
      ['release', 97],
    ]);
  });
});

const plain: Life['owner'] = {
  inactivityDays: 90,
  releaseMethod: 'inactivity',
  quorum: 1,
  waitingDays: 0,
  answerDays: 7,
  checkinIntervalDays: 30,
};

function quiet(owner: Life['owner']): Life {
  return {
    owner,
    contactDays: [],
    readyMessages: 1,
    days: lifeDays,
    mailboxClosedDay: null,
    outages: [],
    happenings: [],
    answers: [],
  };
}
