import { describe, expect, test } from 'vitest';
import { dayMs } from '#shared/rules/inactivity.ts';
import { decide } from './release.rules.ts';
import { newCycle, newInvitation } from './release-cycle.rules.ts';
import { contactCancels, emergencyRequested, trusteePressed } from './release-events.rules.ts';
import type { CycleFacts, InvitationFacts, ReleaseFacts } from './release-facts.rules.ts';
import { earlyProspect, keepsPage, partInPause, pauseProspect } from './release-prospects.rules.ts';

const now = 1_100 * dayMs;
const at = (ms: number) => ({ atMs: ms, healthyMs: ms });
const reached = (contactId: string, more: Partial<InvitationFacts> = {}): InvitationFacts => ({
  ...newInvitation(contactId, 1),
  asking: { outcome: 'reached', atMs: now - dayMs },
  ...more,
});

function factsWith(cycle: CycleFacts | null, owner: Partial<ReleaseFacts['owner']> = {}): ReleaseFacts {
  const settings = { inactivityDays: 90, checkinIntervalDays: 30, releaseMethod: 'trusted_contact' as const };
  const windows = { quorum: 1, waitingDays: 0, answerDays: 7, isVerified: true, isFrozen: false };
  return {
    owner: { lastActivityMs: now - 100 * dayMs, ...settings, ...windows, ...owner },
    isInstallationFrozen: false,
    readyMessages: 1,
    contacts: ['priya', 'tom', 'ann'].map((id) => ({ id, confirmedAtMs: 0 })),
    cycle,
  };
}

function asking(cause: CycleFacts['cause'], more: Partial<CycleFacts> = {}): CycleFacts {
  const ended = (days: number) => ({ sentAtMs: now - days * dayMs, ended: at(now - days * dayMs), tries: 0 });
  const reminders = cause === 'silence' ? { first: ended(50), last: ended(20) } : {};
  const invitations = [reached('priya'), reached('tom')];
  return { ...newCycle(now - 50 * dayMs, cause, 'asking'), ...reminders, round: 1, invitations, ...more };
}

/** The facts as they are once Priya has chosen Cancel Release. */
function cancelled(cycle: CycleFacts) {
  const facts = factsWith(cycle);
  const result = contactCancels(facts, 'priya', at(now));
  if (!result.cycle) throw new Error('A cancel keeps its cycle.');
  return { ...facts, cycle: result.cycle };
}

describe('after a cancel', () => {
  test('of silence: everybody is asked again in 30 days, and until then nobody can answer', () => {
    const facts = cancelled(asking('silence'));
    expect(pauseProspect(facts, now)).toEqual({ askAgainDays: 30, canOthersConfirm: false });
    expect(partInPause(facts, 'tom', now)).toBe('none');
    const later = now + 30 * dayMs;
    expect(decide(facts, later, later).step).toBe('ask');
  });

  test('of an early request: nobody is asked again, the pause just ends', () => {
    const facts = cancelled(asking('emergency'));
    expect(pauseProspect(facts, now)).toEqual({ askAgainDays: null, canOthersConfirm: false });
    const patient = { ...facts, owner: { ...facts.owner, inactivityDays: 365 } };
    const later = now + 30 * dayMs;
    expect(decide(patient, later, later)).toMatchObject({ step: 'resume', closedAs: 'watching' });
  });

  test('of an early request behind the last reminder: silence is over before the pause is, so they are asked', () => {
    const silent = asking('silence');
    const facts = cancelled({ ...silent, cause: 'emergency' });
    expect(pauseProspect(facts, now).askAgainDays).toBe(30);
    const later = now + 30 * dayMs;
    expect(decide(facts, later, later).step).toBe('ask');
  });

  test('that is repeated: the others can still answer, and who has confirmed is counted', () => {
    const invitations = [
      reached('priya', { decision: 'cancelled' }),
      reached('priya', { round: 2 }),
      reached('tom', { round: 2 }),
      reached('ann', { round: 2, decision: 'confirmed' }),
    ];
    const facts = cancelled(asking('silence', { round: 2, invitations }));
    expect(pauseProspect(facts, now)).toEqual({ askAgainDays: 30, canOthersConfirm: true });
    expect(partInPause(facts, 'tom', now)).toBe('can_answer');
    expect(partInPause(facts, 'ann', now)).toBe('has_confirmed');
  });

  test('the days are those that are left of the pause', () => {
    const facts = cancelled(asking('silence'));
    expect(pauseProspect(facts, now + 9.5 * dayMs).askAgainDays).toBe(21);
  });
});

describe('an early request', () => {
  function pressed(owner: Partial<ReleaseFacts['owner']>, cycle: CycleFacts | null = null) {
    const facts = factsWith(cycle, owner);
    const result = trusteePressed(facts, 'priya', now);
    if (!result.cycle) throw new Error('A press keeps its cycle.');
    return { ...facts, cycle: result.cycle };
  }

  test('of a trustee where one is enough: nothing stands before the delivery, and it begins at once', () => {
    const facts = pressed({});
    expect(earlyProspect(facts, now)).toEqual({ missing: 0, waitingDays: 0 });
    const held = decide(facts, now, now);
    expect(held.step).toBe('hold');
    expect(decide({ ...facts, cycle: held.cycle }, now, now).step).toBe('release');
  });

  test('of a trustee: those who must still confirm, and the days of the owner, doubled where they are out of reach', () => {
    expect(earlyProspect(pressed({ quorum: 2, waitingDays: 5 }), now)).toEqual({ missing: 1, waitingDays: 5 });
    const open = { ...newCycle(now - dayMs, 'emergency', 'asking'), round: 1, ownerUnreachable: true };
    expect(earlyProspect(pressed({ waitingDays: 5 }, open), now)).toEqual({ missing: 0, waitingDays: 10 });
  });

  test('in the end of silence waits for no days', () => {
    const facts = pressed({ waitingDays: 5 }, asking('silence', { invitations: [reached('tom')] }));
    expect(earlyProspect(facts, now)).toEqual({ missing: 0, waitingDays: 0 });
    expect(decide(facts, now, now).step).toBe('release');
  });

  test('by the form counts the contact who is asked among those who are missing', () => {
    const facts = factsWith(null, { quorum: 2 });
    const { cycle } = emergencyRequested(facts, 'priya', now);
    expect(cycle && earlyProspect({ ...facts, cycle }, now)).toEqual({ missing: 2, waitingDays: 0 });
  });
});

test('the page of a contact outlives the release where they were reached and their link was used or is alive', () => {
  const page = (more: Partial<InvitationFacts>) => keepsPage({ invitations: [reached('priya', more)] }, 'priya');
  expect([page({}), page({ decision: 'confirmed' }), page({ decision: 'cancelled', isWithdrawn: true })]).toEqual([
    true,
    true,
    true,
  ]);
  expect(page({ isWithdrawn: true })).toBe(false);
  // A trustee who pressed release was sent no link.
  expect(page({ decision: 'confirmed', asking: { outcome: 'pending' } })).toBe(false);
  expect(keepsPage({ invitations: [reached('tom')] }, 'priya')).toBe(false);
});
