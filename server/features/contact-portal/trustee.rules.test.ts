import { describe, expect, it } from 'vitest';
import { newCycle, newInvitation } from '#server/features/release/release-cycle.rules.ts';
import type { CycleFacts } from '#server/features/release/release-facts.rules.ts';
import { waitsUntilMs } from '#server/features/release/release-prospects.rules.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { triggeredMessage, triggerFromMs, triggerRefusal, trusteeState } from './trustee.rules.ts';

const cycle = (given: Partial<CycleFacts> = {}): CycleFacts => ({
  ...newCycle(0, 'trustee', 'asking'),
  round: 1,
  invitations: [{ ...newInvitation('priya', 1), decision: 'confirmed' }],
  ...given,
});

describe('what a trustee is shown of a release', () => {
  it('is nothing before they have confirmed, whatever others do', () => {
    expect(trusteeState(null, 'priya', [])).toBe('none');
    expect(trusteeState(cycle(), 'tom', ['priya'])).toBe('none');
    expect(trusteeState(cycle({ state: 'warned', invitations: [] }), 'priya', [])).toBe('none');
    const cancelled = [{ ...newInvitation('priya', 1), decision: 'cancelled' as const }];
    expect(trusteeState(cycle({ state: 'paused', invitations: cancelled }), 'priya', [])).toBe('none');
  });

  it('follows their own confirmation to its end', () => {
    expect(trusteeState(cycle(), 'priya', ['priya'])).toBe('waiting_for_others');
    expect(trusteeState(cycle({ state: 'holding' }), 'priya', ['priya'])).toBe('waiting_time');
    expect(trusteeState(cycle({ state: 'paused' }), 'priya', [])).toBe('paused');
    expect(trusteeState(cycle({ state: 'releasing' }), 'tom', [])).toBe('released');
    expect(trusteeState(cycle({ state: 'released' }), 'priya', ['priya'])).toBe('released');
  });

  it('asks anew in a later round where another’s cancel undid the confirmation', () => {
    expect(trusteeState(cycle({ round: 2 }), 'priya', [])).toBe('none');
    expect(trusteeState(cycle({ round: 2 }), 'priya', ['priya'])).toBe('waiting_for_others');
  });

  it('says when the waiting time ends, once it has begun, and doubles it for an owner nobody can reach', () => {
    const held = cycle({ state: 'holding', ownerNotice: { atMs: 5 * dayMs, healthyMs: 0 } });
    const time = { now: 5 * dayMs, healthyMs: 0 };
    const until = (of: CycleFacts, at = time) => waitsUntilMs({ owner: { waitingDays: 3 }, cycle: of }, at);
    expect(until(held)).toBe(8 * dayMs);
    expect(until({ ...held, ownerUnreachable: true })).toBe(11 * dayMs);
    expect(until({ ...held, waitingDays: 5 }), 'what people were told holds').toBe(10 * dayMs);
    const afterAnOutage = { now: 9 * dayMs, healthyMs: dayMs };
    expect(until(held, afterAnOutage), 'an outage is no time to answer').toBe(11 * dayMs);
    expect(until(cycle({ state: 'holding' }))).toBeNull();
    expect(until(cycle())).toBeNull();
  });

  it('says from when a fresh contact can act', () => {
    expect(triggerFromMs(0, 3 * dayMs - 1)).toBe(3 * dayMs);
    expect(triggerFromMs(0, 3 * dayMs)).toBeNull();
  });
});

describe('what a trustee is told after pressing', () => {
  const days = { waitingDays: 1, until: '10 September 2026' };
  const pressed = { state: 'waiting_for_others', missing: 2, ...days, firstName: 'Sam' } as const;

  it('says that messages were released only where they were', () => {
    expect(triggeredMessage({ ...pressed, state: 'released' })).toContain('have been released');
    expect(triggeredMessage(pressed)).toContain('2 more trusted contacts confirm');
    expect(triggeredMessage(pressed)).toContain('Then we try to reach Sam for 1 day first.');
    const waiting = { ...pressed, state: 'waiting_time' } as const;
    expect(triggeredMessage(waiting)).toContain('We try to reach Sam until 10 September 2026. Then the letters go.');
    expect(triggeredMessage({ ...pressed, missing: 0 })).toContain('Nothing is sent yet');
  });

  it('gives a reason in plain words for every refusal, and hides owners from whoever is no contact', () => {
    for (const ignored of [
      'too_late',
      'already_decided',
      'paused',
      'frozen',
      'no_ready_message',
      'not_verified',
    ] as const) {
      expect(triggerRefusal(ignored, 'Sam')).toMatchObject({ type: 'CONFLICT' });
    }
    expect(triggerRefusal('not_a_contact', 'Sam')).toMatchObject({ type: 'NOT_FOUND' });
    expect(triggerRefusal('nothing_open', 'Sam')).toMatchObject({ type: 'NOT_FOUND' });
  });
});
