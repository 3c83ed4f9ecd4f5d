import { describe, expect, test } from 'vitest';
import { newCycle, newInvitation } from '#server/features/release/release-cycle.rules.ts';
import type { CycleFacts, ReleaseFacts } from '#server/features/release/release-facts.rules.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { isReady, problemsOf, timelineOf } from './release-overview.rules.ts';

const healthyMs = 1_000 * dayMs;
const facts = (cycle: CycleFacts | null = null, owner: Partial<ReleaseFacts['owner']> = {}): ReleaseFacts => ({
  owner: {
    lastActivityMs: 0,
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
  contacts: [{ id: 'priya', confirmedAtMs: 0 }],
  cycle,
});
/** The line on a day of silence, all of it healthy: `*` marks what has happened. */
const lineOn = (day: number, given: ReleaseFacts, deliveredDay: number | null = null) =>
  timelineOf(given, { now: day * dayMs, healthyMs: healthyMs + day * dayMs }, deliveredDay && deliveredDay * dayMs).map(
    ({ what, atMs, isPast }) => `${what} ${atMs / dayMs}${isPast ? '*' : ''}`,
  );
const mark = (day: number) => ({ atMs: day * dayMs, healthyMs: healthyMs + day * dayMs });

const reminded: CycleFacts = {
  ...newCycle(45 * dayMs, 'silence', 'reminded'),
  first: { sentAtMs: 45 * dayMs, ended: mark(45), tries: 0 },
};
const asking: CycleFacts = {
  ...reminded,
  state: 'asking',
  last: { sentAtMs: 80 * dayMs, ended: mark(80), tries: 0 },
  asked: mark(90),
  round: 1,
  invitations: [newInvitation('priya', 1)],
};

describe('the line of time', () => {
  test('of an owner who was here today', () => {
    expect(lineOn(0, facts())).toEqual([
      'last_activity 0*',
      'next_checkin 30',
      'first_reminder 45',
      'last_reminder 80',
      'contacts_asked 90',
      'automatic_delivery 97',
    ]);
  });

  test('with method trusted_contact has no delivery by itself', () => {
    expect(lineOn(0, facts(null, { releaseMethod: 'trusted_contact' }))).not.toContain('automatic_delivery 97');
  });

  test('after the first reminder, and while contacts are asked', () => {
    expect(lineOn(46, facts(reminded))).toEqual([
      'last_activity 0*',
      'first_reminder 45*',
      'last_reminder 80',
      'contacts_asked 90',
      'automatic_delivery 97',
    ]);
    expect(lineOn(91, facts(asking)).slice(-2)).toEqual(['contacts_asked 90*', 'automatic_delivery 97']);
  });

  test('after an outage shows the gaps that must still lie between the steps', () => {
    const late = { ...reminded, first: { sentAtMs: 200 * dayMs, ended: mark(200), tries: 0 } };
    expect(lineOn(200, facts(late)).slice(1)).toEqual([
      'first_reminder 200*',
      'last_reminder 207',
      'contacts_asked 217',
      'automatic_delivery 224',
    ]);
    const unreachable = { ...late, ownerUnreachable: true };
    expect(lineOn(200, facts(unreachable)).slice(2)).toEqual([
      'last_reminder 214',
      'contacts_asked 234',
      'automatic_delivery 248',
    ]);
  });

  test('a last reminder that came too soon is still to come', () => {
    const tooSoon = { sentAtMs: 80 * dayMs, ended: { ...mark(80), healthyMs: mark(51).healthyMs }, tries: 0 };
    const late = { ...reminded, first: { ...reminded.first, ended: { ...mark(79), healthyMs: mark(45).healthyMs } } };
    const line = timelineOf(
      facts({ ...late, last: tooSoon }),
      { now: 80 * dayMs, healthyMs: mark(51).healthyMs },
      null,
    );
    expect(line.map(({ what, atMs, isPast }) => [what, atMs / dayMs, isPast]).slice(2)).toEqual([
      ['last_reminder', 81, false],
      ['contacts_asked', 91, false],
      ['automatic_delivery', 98, false],
    ]);
  });

  test('of a pause, of the waiting period, and of a delivery', () => {
    const paused: CycleFacts = { ...asking, state: 'paused', paused: mark(92), asked: null };
    expect(lineOn(95, facts(paused)).at(-1)).toBe('paused_until 122');
    const early: CycleFacts = { ...newCycle(90 * dayMs, 'emergency', 'paused'), paused: mark(92), round: 1 };
    expect(lineOn(95, facts(early)).join(), 'nobody is asked when it is over').not.toContain('paused_until');
    const holding: CycleFacts = { ...newCycle(10 * dayMs, 'emergency', 'holding'), ownerNotice: mark(11), round: 1 };
    expect(lineOn(12, facts(holding))).toContain('holding_until 16');
    expect(lineOn(98, facts({ ...asking, state: 'released' }, {}), 97).at(-1)).toBe('delivered 97*');
  });
});

describe('problems', () => {
  const well = { owner: false, contactIds: [], letter: false };
  const allWell = { isMailSetUp: true, isMailHealthy: true, isClockBehind: false, refused: well };
  const types = (given: ReleaseFacts, conditions: Parameters<typeof problemsOf>[1] = allWell) =>
    problemsOf(given, conditions).map(({ type }) => type);

  test('there are none when everything is in place', () => {
    expect(types(facts())).toEqual([]);
    expect(isReady([])).toBe(true);
  });

  test('each is named, the gravest first, in words without shouting', () => {
    const nothing = {
      ...facts(null, { isVerified: false, isFrozen: true, releaseMethod: 'trusted_contact' }),
      contacts: [],
      readyMessages: 0,
    };
    const problems = problemsOf(nothing, {
      isMailSetUp: false,
      isMailHealthy: false,
      isClockBehind: true,
      refused: { owner: true, contactIds: ['1'], letter: true },
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
    const alone = { ...facts(), contacts: [] };
    expect(types(alone)).toEqual(['no_confirmed_contact']);
    expect(isReady(problemsOf(alone, allWell))).toBe(true);
  });

  test('where people alone decide, too few of them who take our mail are a stop; else they are a warning', () => {
    const contactsOf = (ids: string[]) => ids.map((id) => ({ id, confirmedAtMs: 0 }));
    const refusing = (...contactIds: string[]) => ({ ...allWell, refused: { ...well, contactIds } });
    const both = { ...facts(null, { releaseMethod: 'trusted_contact', quorum: 2 }), contacts: contactsOf(['1', '2']) };
    expect(types(both, refusing('1'))).toEqual(['contacts_out_of_reach']);
    expect(isReady(problemsOf(both, refusing('1')))).toBe(false);
    const one = { ...facts(null, { releaseMethod: 'trusted_contact' }), contacts: contactsOf(['1', '2']) };
    expect(types(one, refusing('1'))).toEqual(['contact_bounced']);
    expect(types(one, refusing('1', '2'))).toEqual(['contacts_out_of_reach']);
    const silent = { ...facts(), contacts: contactsOf(['1']) };
    expect(types(silent, refusing('1'))).toEqual(['contact_bounced']);
    expect(isReady(problemsOf(silent, refusing('1')))).toBe(true);
  });

  test.each([{ isMailHealthy: false }, { isClockBehind: true }])(
    'nobody is ready while nothing moves: %j',
    (change) => {
      expect(isReady(problemsOf(facts(), { ...allWell, ...change }))).toBe(false);
    },
  );
});
