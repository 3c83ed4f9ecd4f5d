import { describe, expect, test } from 'vitest';
import { dayMs } from '#shared/rules/inactivity.ts';
import { decide } from './release.rules.ts';
import { newCycle, newInvitation } from './release-cycle.rules.ts';
import type { CycleFacts, ReleaseFacts } from './release-facts.rules.ts';
import { brokenInvariant } from './release-invariants.rules.ts';
import { hindranceOf, mustBeginAgain, type RestoreProgress, windowsBeginAgain } from './restore.rules.ts';
import { restoredReason, restoreOf } from './restore-reason.ts';

const start = 1_000 * dayMs;
const now = start + 200 * dayMs;
const healthyMs = 500 * dayMs;
const then = (day: number) => ({ atMs: start + day * dayMs, healthyMs: healthyMs - (100 - day) * dayMs });
const mark = { atMs: now, healthyMs };
const restore = { atMs: now - 60_000, backupAtMs: start + 99 * dayMs };
const restored = { atMs: restore.atMs, healthyMs };
const told = { kind: 'tell_of_restore', restore };
/** The question to Priya, which the restore takes back and asks again. */
const again = [
  { kind: 'withdraw_link', contactId: 'priya', round: 1, tries: 0 },
  { kind: 'ask_after_restore', contactIds: ['priya'], restore },
];
const askedAgain = { invitations: [{ ...newInvitation('priya', 1), tries: 1 }] };

function factsWith(cycle: CycleFacts | null, owner: Partial<ReleaseFacts['owner']> = {}): ReleaseFacts {
  return {
    owner: {
      lastActivityMs: start,
      inactivityDays: 90,
      checkinIntervalDays: 30,
      releaseMethod: 'inactivity',
      quorum: 1,
      waitingDays: 5,
      answerDays: 7,
      isVerified: true,
      isFrozen: false,
      ...owner,
    },
    isInstallationFrozen: false,
    readyMessages: 1,
    contacts: [{ id: 'priya', confirmedAtMs: start }],
    cycle,
  };
}

const reminded: CycleFacts = {
  ...newCycle(start + 45 * dayMs, 'silence', 'reminded'),
  first: { sentAtMs: start + 45 * dayMs, ended: null, tries: 0 },
};
const firstAccepted: CycleFacts = { ...reminded, first: { ...reminded.first, ended: then(45) } };
const warned: CycleFacts = {
  ...firstAccepted,
  state: 'warned',
  last: { sentAtMs: start + 80 * dayMs, ended: null, tries: 0 },
};
const lastAccepted: CycleFacts = { ...warned, last: { ...warned.last, ended: then(80) } };
const asking: CycleFacts = {
  ...lastAccepted,
  state: 'asking',
  round: 1,
  roundBegan: then(90),
  asked: then(90),
  invitations: [{ ...newInvitation('priya', 1), asking: { outcome: 'reached', atMs: start + 90 * dayMs } }],
};
const confirmed: CycleFacts = {
  ...asking,
  invitations: asking.invitations.map((each) => ({ ...each, decision: 'confirmed' })),
};
const emergency: CycleFacts = {
  ...newCycle(start + 20 * dayMs, 'emergency', 'asking'),
  round: 1,
  invitations: confirmed.invitations,
};
const holding: CycleFacts = { ...emergency, state: 'holding', ownerNotice: then(96) };
const paused: CycleFacts = { ...asking, state: 'paused', asked: null, paused: then(95) };
const releasing: CycleFacts = { ...asking, state: 'releasing' };
const nextLast = { ...lastAccepted.last, ended: mark };

describe('after a restore', () => {
  const cases: Record<string, { cycle: CycleFacts; changes: Partial<CycleFacts>; effects?: object[] }> = {
    'a reminder that is still on its way': { cycle: reminded, changes: {} },
    'the first reminder': { cycle: firstAccepted, changes: { first: { ...firstAccepted.first, ended: mark } } },
    'the first, while the last is on its way: its gap is over': { cycle: warned, changes: {} },
    'the last reminder': { cycle: lastAccepted, changes: { last: nextLast } },
    'the answer time, behind the question that is asked again': {
      cycle: asking,
      changes: { last: nextLast, roundBegan: mark, asked: null, ...askedAgain },
      effects: again,
    },
    'a question that is still on its way': {
      cycle: { ...asking, asked: null, invitations: [newInvitation('priya', 1)] },
      changes: { last: nextLast, roundBegan: mark, asked: null, ...askedAgain },
      effects: again,
    },
    'the answer time where everybody has answered': {
      cycle: confirmed,
      changes: { last: nextLast, roundBegan: mark, asked: mark },
    },
    'the waiting time': { cycle: holding, changes: { ownerNotice: mark } },
    'the waiting time, while somebody can still cancel': {
      cycle: { ...holding, invitations: asking.invitations },
      changes: { ownerNotice: mark, ...askedAgain },
      effects: again,
    },
    'a pause in which links are dead': {
      cycle: { ...paused, invitations: asking.invitations.map((each) => ({ ...each, isWithdrawn: true })) },
      changes: { last: nextLast, roundBegan: mark, paused: mark },
    },
    'a pause in which somebody can answer': {
      cycle: paused,
      changes: { last: nextLast, roundBegan: mark, paused: mark, ...askedAgain },
      effects: again,
    },
    'letters on their way': { cycle: releasing, changes: { last: nextLast, roundBegan: mark, asked: mark } },
  };
  test.each(Object.entries(cases))('%s begins again, and the owner is told', (_, { cycle, changes, effects = [] }) => {
    const event = windowsBeginAgain(factsWith(cycle), restore, mark);
    const next = { ...cycle, ...changes, restored };
    expect(event).toEqual({ cycle: next, closedAs: null, effects: [told, ...effects], ignored: null });
    const again = windowsBeginAgain(factsWith(event.cycle), restore, {
      atMs: now + dayMs,
      healthyMs: healthyMs + dayMs,
    });
    expect(again).toMatchObject({ ignored: 'out_of_date', effects: [] });
  });

  test('nothing begins again that was released, or begun since, or that is none', () => {
    expect(windowsBeginAgain(factsWith(null), restore, mark).ignored).toBe('nothing_open');
    for (const cycle of [
      { ...releasing, state: 'released' as const },
      { ...asking, openedAtMs: restore.atMs + 1 },
    ]) {
      expect(windowsBeginAgain(factsWith(cycle), restore, mark)).toMatchObject({ cycle, ignored: 'out_of_date' });
      expect(mustBeginAgain(cycle, restore)).toBe(false);
    }
    expect(mustBeginAgain(asking, null)).toBe(false);
  });

  test('the next restore has everything begin again once more', () => {
    const { cycle } = windowsBeginAgain(factsWith(asking), restore, mark);
    expect(mustBeginAgain(cycle, { ...restore, atMs: restore.atMs + 1 })).toBe(true);
  });

  test('an address that is not verified is told nothing, and its windows begin again all the same; nobody is asked about it', () => {
    const event = windowsBeginAgain(factsWith(asking, { isVerified: false }), restore, mark);
    expect(event).toMatchObject({ effects: [], cycle: { restored, asked: mark } });
  });

  test.each([
    { name: 'asking', cycle: asking, days: 10 },
    { name: 'asking with no answer time at all', cycle: asking, days: 10, owner: { answerDays: 0 } },
    { name: 'asking with a long answer time', cycle: asking, days: 30, owner: { answerDays: 30 } },
    { name: 'holding', cycle: holding, days: 5, owner: { lastActivityMs: now - 30 * dayMs } },
  ])('$name: nothing goes before the whole of its time, and everything then', ({ cycle, days, owner = {} }) => {
    const open = owner.lastActivityMs ? { ...cycle, openedAtMs: now - 20 * dayMs } : cycle;
    // As the backup has it, it would go sooner.
    const soonerMs = (days - 1) * dayMs;
    expect(decide(factsWith(open, owner), now + soonerMs, healthyMs + soonerMs).step).toBe('release');
    const begun = windowsBeginAgain(factsWith(open, owner), restore, mark).cycle;
    // The mail that asks again is accepted at once.
    const facts = factsWith(begun && { ...begun, asked: begun.asked ?? mark }, owner);
    const release = { cycle: facts.cycle, effects: [{ kind: 'create_deliveries' as const }] };
    const goes = (ms: number) => [
      decide(facts, now + ms, healthyMs + ms).step === 'release',
      brokenInvariant(facts, release, { now: now + ms, healthyMs: healthyMs + ms }) === null,
    ];
    expect(goes(0)).toEqual([false, false]);
    expect(goes(days * dayMs - 1)).toEqual([false, false]);
    expect(goes(days * dayMs)).toEqual([true, true]);
  });
});

describe('why everything is stopped', () => {
  const backupAt = new Date('2026-11-14T09:13:22.123Z');
  const frozenAt = new Date('2026-11-16T08:00:00.000Z');

  test.each([
    null,
    'More than 10 owners would have moved on in one day.',
    restoredReason({ backupAt: new Date('2026-01-01T00:00:00.000Z'), before: null }),
  ])('names the backup, and is read again, whatever had stopped it before: %s', (before) => {
    const frozenReason = restoredReason({ backupAt, before });
    expect(frozenReason).toContain('The database was restored from a backup of 2026-11-14T09:13:22.123Z.');
    if (before) expect(frozenReason).toContain(before);
    const found = { atMs: frozenAt.getTime(), backupAtMs: backupAt.getTime() };
    expect(restoreOf({ frozenAt, frozenReason })).toEqual(found);
  });

  test('every other reason is no restore', () => {
    for (const frozenReason of [
      null,
      'The operator has stopped releases.',
      'The database was restored from a backup of x',
    ]) {
      expect(restoreOf({ frozenAt, frozenReason })).toBeNull();
    }
    expect(restoreOf({ frozenAt: null, frozenReason: restoredReason({ backupAt, before: null }) })).toBeNull();
  });
});

describe('letting things go on', () => {
  const progress: RestoreProgress = {
    notBegun: 0,
    proposalsNotTold: 0,
    notTried: 0,
    lastHealthyMs: healthyMs,
    ownersAsked: 1,
    ownersReleasing: 1,
    lettersWaiting: 2,
  };
  test.each([
    {
      name: 'windows that have not begun again',
      more: { notBegun: 1, lastHealthyMs: null },
      days: 30,
      why: 'not_told',
    },
    { name: 'a proposed address that has ended', more: { proposalsNotTold: 1 }, days: 30, why: 'not_told' },
    { name: 'a notice that nobody has tried to send', more: { notTried: 1 }, days: 30, why: 'not_told' },
    { name: 'owners who have just been told', more: {}, days: 2.99, why: 'too_soon' },
  ])('waits for $name', ({ more, days, why }) => {
    expect(hindranceOf({ ...progress, ...more }, healthyMs + days * dayMs)).toMatchObject({ why });
  });

  test('waits for nothing else', () => {
    expect(hindranceOf(progress, healthyMs + 3 * dayMs)).toBeNull();
    expect(hindranceOf({ ...progress, lastHealthyMs: null }, healthyMs)).toBeNull();
    expect(hindranceOf(progress, healthyMs + dayMs)).toEqual({ why: 'too_soon', leftMs: 2 * dayMs });
  });
});
