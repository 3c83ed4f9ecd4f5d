import { describe, expect, it } from 'vitest';
import { sessionEndMs, unprovedByAdministrator } from './sessions.rules.ts';

describe('the end of a session', () => {
  const limits = { idleMs: 100, absoluteMs: 1_000 };

  it('moves on with use', () => {
    expect(sessionEndMs({ createdAtMs: 0, usedAtMs: 50 }, limits)).toBe(150);
  });

  it('never moves past the absolute end', () => {
    expect(sessionEndMs({ createdAtMs: 0, usedAtMs: 950 }, limits)).toBe(1_000);
  });
});

describe('the missing proof of an administrator', () => {
  it.each([
    [{ hasSecondFactor: true, hasPassedIt: true }, null],
    [{ hasSecondFactor: true, hasPassedIt: false }, 'second-factor'],
    [{ hasSecondFactor: false, hasPassedIt: false }, 'no-second-factor'],
    // The factor is gone, so that it was passed says nothing.
    [{ hasSecondFactor: false, hasPassedIt: true }, 'no-second-factor'],
  ])('for %o is %s', (session, unproved) => expect(unprovedByAdministrator(session)).toBe(unproved));
});
