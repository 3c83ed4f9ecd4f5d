import { describe, expect, test } from 'vitest';
import { dayMs } from '#shared/rules/inactivity.ts';
import { decide } from './release.rules.ts';
import { askBounced, noticeBounced, reminderBounced } from './release-bounces.rules.ts';
import { newCycle, newInvitation } from './release-cycle.rules.ts';
import type { EventResult } from './release-events.rules.ts';
import type { CycleFacts, InvitationFacts, ReleaseFacts } from './release-facts.rules.ts';
import { askEnded, reminderEnded } from './release-outcomes.rules.ts';

const [priya, tom] = ['priya', 'tom'];
const mark = (day: number) => ({ atMs: day * dayMs, healthyMs: day * dayMs });
const arrived = (day: number) => ({ outcome: 'accepted' as const, isMailHealthy: true, mark: mark(day) });
const asked = (contactId: string, more: Partial<InvitationFacts> = {}): InvitationFacts => ({
  ...newInvitation(contactId, 1),
  asking: { outcome: 'reached', atMs: 90 * dayMs },
  ...more,
});
const ask = { contactId: priya, round: 1, tries: 0 };

/** An owner of 90 days, silent from day 0, whose two contacts were asked on day 90. */
function silent(cycle: Partial<CycleFacts> = {}): ReleaseFacts & { cycle: CycleFacts } {
  return {
    owner: {
      lastActivityMs: 0,
      inactivityDays: 90,
      checkinIntervalDays: 30,
      releaseMethod: 'inactivity',
      quorum: 1,
      waitingDays: 3,
      answerDays: 7,
      isVerified: true,
      isFrozen: false,
    },
    isInstallationFrozen: false,
    readyMessages: 1,
    contacts: [
      { id: priya, confirmedAtMs: 0 },
      { id: tom, confirmedAtMs: 0 },
    ],
    cycle: {
      ...newCycle(45 * dayMs, 'silence', 'asking'),
      first: { sentAtMs: 45 * dayMs, ended: mark(45), tries: 0 },
      last: { sentAtMs: 80 * dayMs, ended: mark(80), tries: 0 },
      asked: mark(90),
      round: 1,
      invitations: [asked(priya), asked(tom)],
      ...cycle,
    },
  };
}
const having = (facts: ReleaseFacts, { cycle }: EventResult): ReleaseFacts => ({ ...facts, cycle });
const stepOn = (day: number, facts: ReleaseFacts) => decide(facts, day * dayMs, day * dayMs).step;

describe('a last reminder that came back while contacts are asked', () => {
  const bounced = having(silent(), reminderBounced(silent(), 'last'));

  test('keeps silence alone from releasing until ten days after the one that arrived', () => {
    expect(stepOn(97, silent())).toBe('release');
    expect(stepOn(120, bounced)).toBeNull();
    const again = having(bounced, reminderEnded(bounced, 'last', arrived(100)));
    expect(stepOn(109.9, again)).toBeNull();
    expect(stepOn(110, again)).toBe('release');
  });

  test('makes a yes wait the owner’s own days', () => {
    const confirmed = {
      ...bounced,
      cycle: {
        ...silent().cycle,
        ...bounced.cycle,
        invitations: [asked(priya, { decision: 'confirmed' }), asked(tom)],
      },
    };
    expect(stepOn(95, confirmed)).toBe('hold');
  });
});

test('a first reminder that came back has the last written again, seven days after the one that arrived', () => {
  const bounced = having(silent(), reminderBounced(silent(), 'first'));
  expect(stepOn(98, bounced)).toBeNull();
  const again = having(bounced, reminderEnded(bounced, 'first', arrived(98)));
  expect(stepOn(104.9, again)).toBeNull();
  expect(stepOn(105, again)).toBe('last_reminder');
});

describe('a question that came back', () => {
  test('keeps the time to answer of others whom theirs has reached', () => {
    const bounced = having(silent(), askBounced(silent(), ask));
    expect(bounced.cycle).toMatchObject({
      asked: mark(90),
      invitations: [{ asking: { outcome: 'pending' } }, asked(tom)],
    });
    expect(stepOn(97, bounced)).toBe('release');
  });

  test('that had reached nobody else begins the time to answer anew, once it arrives', () => {
    const alone = silent({
      invitations: [asked(priya), asked(tom, { asking: { outcome: 'failed', atMs: 90 * dayMs } })],
    });
    const bounced = having(alone, askBounced(alone, ask));
    expect(stepOn(97, bounced)).toBeNull();
    const again = having(bounced, askEnded(bounced, ask, arrived(95)));
    expect([stepOn(101.9, again), stepOn(102, again)]).toEqual([null, 'release']);
  });

  test('was read all the same by whoever has answered it', () => {
    const answered = silent({ invitations: [asked(priya, { decision: 'cancelled' })] });
    expect(askBounced(answered, ask)).toMatchObject({ ignored: 'already_decided' });
  });

  test('of an earlier round, or with a link that died since, changes nothing', () => {
    expect(askBounced(silent(), { ...ask, tries: 1 })).toMatchObject({ ignored: 'out_of_date' });
    const left = silent({ invitations: [asked(priya, { isWithdrawn: true })] });
    expect(askBounced(left, ask)).toMatchObject({ ignored: 'out_of_date' });
  });
});

describe('a notice that came back', () => {
  test('takes the beginning of the owner’s own days back', () => {
    const held = silent({ state: 'holding', ownerNotice: mark(91) });
    expect(noticeBounced(held, 'holding').cycle).toMatchObject({ state: 'holding', ownerNotice: null });
  });

  test('takes the beginning of the time to answer back, where nobody else was told', () => {
    const nobody = silent({ invitations: [] });
    expect(noticeBounced(nobody, 'asked').cycle).toMatchObject({ asked: null });
    expect(noticeBounced(silent(), 'asked')).toMatchObject({ ignored: 'out_of_date' });
  });
});

test.each(['releasing', 'released'] as const)(
  'nothing that comes back undoes anything once letters are %s',
  (state) => {
    const facts = silent({ state });
    for (const event of [
      reminderBounced(facts, 'first'),
      reminderBounced(facts, 'last'),
      askBounced(facts, ask),
      noticeBounced(facts, 'asked'),
    ]) {
      expect(event).toMatchObject({ ignored: 'out_of_date', effects: [] });
    }
  },
);
