import { describe, expect, test } from 'vitest';
import { dayMs } from '#shared/rules/inactivity.ts';
import { decide } from './release.rules.ts';
import { newCycle, newInvitation } from './release-cycle.rules.ts';
import { contactCancels } from './release-events.rules.ts';
import { type CycleFacts, type InvitationFacts, type ReleaseFacts, waitsForOwner } from './release-facts.rules.ts';
import { brokenInvariant } from './release-invariants.rules.ts';

const [priya, tom] = ['priya', 'tom'];
const mark = (day: number) => ({ atMs: day * dayMs, healthyMs: day * dayMs });
const answered = (contactId: string, decision: InvitationFacts['decision']): InvitationFacts => ({
  ...newInvitation(contactId, 1),
  asking: { outcome: 'reached', atMs: 88 * dayMs },
  decision,
});

/** An owner of 90 days with both reminders accepted; the silence is complete on day 90. */
function owner(cycle: Partial<CycleFacts>): ReleaseFacts & { cycle: CycleFacts } {
  const reminded = {
    first: { sentAtMs: 45 * dayMs, ended: mark(45), tries: 0 },
    last: { sentAtMs: 80 * dayMs, ended: mark(80), tries: 0 },
  };
  const confirmed = [answered(priya, 'confirmed'), answered(tom, null)];
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
      ...newCycle(45 * dayMs, 'emergency', 'asking'),
      ...reminded,
      round: 1,
      waitingDays: 3,
      invitations: confirmed,
      ...cycle,
    },
  };
}
const stepOn = (day: number, facts: ReleaseFacts) => decide(facts, day * dayMs, day * dayMs).step;
const aMinute = 1 / 1440;

describe('the wait for the owner', () => {
  test('is whole where an early request was confirmed a minute before, or after, the silence was complete', () => {
    for (const day of [90 - aMinute, 90 + aMinute]) {
      const held = decide(owner({}), day * dayMs, day * dayMs);
      expect(held).toMatchObject({ step: 'hold', effects: [{ kind: 'tell_owner', about: 'holding' }] });
    }
    const holding = owner({ state: 'holding', ownerNotice: mark(89) });
    expect(stepOn(92 - aMinute, holding)).toBeNull();
    expect(stepOn(92, holding)).toBe('release');
  });

  test('is none where the silence was over when it asked, or took an early request over', () => {
    expect(stepOn(90, owner({ cause: 'silence' }))).toBe('release');
    const unanswered = owner({ invitations: [answered(priya, null)] });
    const takenOver = decide(unanswered, 90 * dayMs, 90 * dayMs);
    expect(takenOver).toMatchObject({ step: 'ask', cycle: { cause: 'silence', state: 'asking' } });
    expect(waitsForOwner(unanswered, 90 * dayMs, 90 * dayMs)).toBe(true);
    expect(waitsForOwner({ ...unanswered, ...owner({ cause: 'silence' }) }, 90 * dayMs, 90 * dayMs)).toBe(false);
  });

  test('stands still until the notice of it was accepted, however long that takes', () => {
    expect(stepOn(200, owner({ state: 'holding', ownerNotice: null }))).toBeNull();
  });

  test('is not cut short by a change that says it was silence', () => {
    const effects = [{ kind: 'create_deliveries' as const }];
    const at = (day: number, cycle: Partial<CycleFacts>) => {
      const facts = owner(cycle);
      return brokenInvariant(facts, { cycle: facts.cycle, effects }, { now: day * dayMs, healthyMs: day * dayMs });
    };
    const begun = { state: 'holding', ownerNotice: mark(89) } as const;
    expect(at(92 - aMinute, begun)).toBe("the owner's waiting period is not over");
    expect(at(92 - aMinute, { ...begun, cause: 'silence' })).toBe("the owner's waiting period is not over");
    expect(at(92, begun)).toBeNull();
    expect(at(90, {})).toBe('an early release waits first');
    expect(at(90, { cause: 'silence' })).toBeNull();
  });

  test('asks whoever was not asked yet, and any first no of theirs ends it', () => {
    const held = owner({ state: 'holding', ownerNotice: mark(70), invitations: [answered(priya, 'confirmed')] });
    const asked = decide(held, 71 * dayMs, 71 * dayMs);
    expect(asked).toMatchObject({ step: 'ask_late', effects: [{ kind: 'ask_contacts', contactIds: [tom] }] });
    const cycle = { ...asked.cycle, ownerNotice: mark(70) } as CycleFacts;
    const no = contactCancels({ ...held, cycle }, tom, mark(71));
    expect(no.cycle).toMatchObject({ state: 'paused', ownerNotice: null });
    expect(no.effects).toContainEqual({ kind: 'withdraw_holding_notice' });
    expect(stepOn(74, { ...held, cycle: no.cycle })).toBeNull();
  });

  test('asks nobody else where the owner chose none', () => {
    const swift = owner({ waitingDays: 0, invitations: [answered(priya, 'confirmed')] });
    const facts = { ...swift, owner: { ...swift.owner, waitingDays: 0, inactivityDays: 365 } };
    const held = decide(facts, 70 * dayMs, 70 * dayMs);
    expect(held).toMatchObject({ step: 'hold', effects: [] });
    expect(stepOn(70, { ...facts, cycle: held.cycle })).toBe('release');
  });
});
