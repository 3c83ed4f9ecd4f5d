import { describe, expect, it } from 'vitest';
import { releaseStates } from '#shared/contract/release.ts';
import { answerMessage, portalState } from './portal.rules.ts';

const day = 86_400_000;
const link = {
  decision: null,
  isWithdrawn: false,
  cycleState: 'asking',
  closedAtMs: null,
  releasedAtMs: null,
} as const;

describe('what a portal link shows', () => {
  it('is the question until it was answered, and the release once it goes ahead', () => {
    const shown = releaseStates.map((cycleState) => [cycleState, portalState({ ...link, cycleState }, 0)]);
    expect(Object.fromEntries(shown)).toEqual({
      watching: 'open',
      reminded: 'open',
      warned: 'open',
      asking: 'open',
      paused: 'open',
      holding: 'open',
      releasing: 'released',
      released: 'released',
      halted: null,
    });
  });

  it("stays the contact's own answer, also after a new round began", () => {
    expect(portalState({ ...link, decision: 'cancelled', cycleState: 'paused' }, 0)).toBe('cancelled');
    expect(portalState({ ...link, decision: 'cancelled', isWithdrawn: true }, 0)).toBe('cancelled');
    expect(portalState({ ...link, decision: 'confirmed', cycleState: 'released', closedAtMs: 0 }, day)).toBe(
      'confirmed',
    );
  });

  it('is nothing when the link was withdrawn unanswered, when the owner came back, or long after the release', () => {
    expect(portalState({ ...link, isWithdrawn: true }, 0)).toBeNull();
    expect(portalState({ ...link, decision: 'confirmed', closedAtMs: 0 }, 1)).toBeNull();
    expect(portalState({ ...link, decision: 'confirmed', cycleState: 'halted' }, 1)).toBeNull();
    expect(portalState({ ...link, cycleState: 'released', closedAtMs: 0 }, 30 * day)).toBeNull();
  });

  it('is the release for 30 days after its last delivery has ended, although the cycle waits for the owner', () => {
    const released = { ...link, cycleState: 'released', releasedAtMs: day } as const;
    expect(portalState(released, 31 * day - 1)).toBe('released');
    expect(portalState(released, 31 * day)).toBeNull();
    expect(portalState({ ...released, decision: 'confirmed' }, 31 * day)).toBeNull();
    expect(portalState({ ...released, closedAtMs: 40 * day }, 41 * day)).toBeNull();
  });
});

describe('the words after an answer', () => {
  const say = (decision: 'confirmed' | 'cancelled', state: (typeof releaseStates)[number], missing = 0) =>
    answerMessage(decision, { state, firstName: 'Sam', missing });

  it('say what happens next', () => {
    expect(say('confirmed', 'releasing')).toBe('The messages will be delivered within minutes.');
    expect(say('confirmed', 'asking', 1)).toContain('when one more person confirms');
    expect(say('confirmed', 'asking', 2)).toContain('when 2 more people confirm');
    expect(say('confirmed', 'holding')).toContain('asked us to wait');
    expect(say('cancelled', 'paused')).toContain('told Sam to log in immediately');
  });
});
