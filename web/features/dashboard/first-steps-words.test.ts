import { describe, expect, it } from 'vitest';
import { firstSteps, whatIsLeft } from './first-steps-words.ts';

const nothing = { activeMessages: 0, trustedContacts: 0, hasRehearsed: false, hasSavedCopy: false };
const stepsOf = (
  stats: Partial<typeof nothing>,
  overview: { readyMessages?: number; contactNames?: string[] } = {},
  hasLooked = false,
) =>
  firstSteps({
    stats: { ...nothing, ...stats },
    overview: { readyMessages: 0, contactNames: [], ...overview },
    hasLooked,
  });
const statesOf = (steps: ReturnType<typeof stepsOf>) => steps.map(({ name, state }) => `${name} ${state}`);

describe('The list that fills', () => {
  it('is open at first, and says that there is no hurry', () => {
    const steps = stepsOf({});
    expect(statesOf(steps)).toEqual(['letter open', 'yes open', 'rehearsal open', 'copy open']);
    expect(whatIsLeft(steps)).toBe('Four small things are left, and there is no hurry.');
  });

  it('waits for an asked contact, and counts a draft for none', () => {
    const steps = stepsOf({ activeMessages: 1, trustedContacts: 1 });
    expect(statesOf(steps).slice(0, 2)).toEqual(['letter open', 'yes waiting']);
    expect(steps[0]?.action.label).toBe('Go on writing');
  });

  it('fills with a letter that is ready, a yes, a rehearsal that was looked at or sent, and a saved copy', () => {
    const overview = { readyMessages: 1, contactNames: ['Priya'] };
    expect(statesOf(stepsOf({ hasSavedCopy: true }, overview, true))).toEqual([
      'letter done',
      'yes done',
      'rehearsal done',
      'copy done',
    ]);
    const last = stepsOf({ hasRehearsed: true }, overview);
    expect(whatIsLeft(last)).toBe('One small thing is left, and there is no hurry.');
  });
});
