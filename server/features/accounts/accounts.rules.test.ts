import { describe, expect, it } from 'vitest';
import {
  type LoginAttempts,
  loginDelayMs,
  loginForgetMs,
  maySaveUnverified,
  passwordProblem,
  sessionEndMs,
  tryLogin,
  unprovedByAdministrator,
} from './accounts.rules.ts';
import { isCommonPassword } from './common-passwords.ts';

const minuteMs = 60_000;

describe('the delay after wrong passwords', () => {
  it('begins with one second after the fifth and doubles up to fifteen minutes', () => {
    const delays = Array.from({ length: 18 }, (_, failed) => loginDelayMs(failed) / 1000);
    expect(delays).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
  });

  it('stays at fifteen minutes however long somebody goes on', () => {
    expect(loginDelayMs(1_000_000)).toBe(15 * minuteMs);
  });
});

describe('a try to sign in', () => {
  const never: LoginAttempts = { failed: 0, blockedUntilMs: 0, lastTriedAtMs: 0 };

  it('is counted as wrong beforehand', () => {
    expect(tryLogin({ failed: 2, blockedUntilMs: 0, lastTriedAtMs: 1_000 }, 2_000)).toEqual({
      allowed: true,
      attempts: { failed: 3, blockedUntilMs: 2_000, lastTriedAtMs: 2_000 },
    });
  });

  it('is refused until the delay is over, and says how many seconds are left', () => {
    const attempts = { failed: 7, blockedUntilMs: 10_000, lastTriedAtMs: 6_000 };
    expect(tryLogin(attempts, 6_001)).toEqual({ allowed: false, retryAfterSeconds: 4 });
    expect(tryLogin(attempts, 9_999)).toEqual({ allowed: false, retryAfterSeconds: 1 });
    expect(tryLogin(attempts, 10_000).allowed).toBe(true);
  });

  it('is not counted while it is refused, so that trying on does not lengthen the delay', () => {
    const attempts = { failed: 7, blockedUntilMs: 10_000, lastTriedAtMs: 6_000 };
    expect(tryLogin(attempts, 7_000)).not.toHaveProperty('attempts');
  });

  it('lets five mistakes pass without a delay', () => {
    let attempts = never;
    for (let count = 0; count < 5; count += 1) {
      const next = tryLogin(attempts, 1_000_000_000_000);
      if (!next.allowed) throw new Error('refused too early');
      attempts = next.attempts;
    }
    expect(tryLogin(attempts, 1_000_000_000_000)).toEqual({ allowed: false, retryAfterSeconds: 1 });
  });

  it('starts anew after a day without one', () => {
    const attempts = { failed: 40, blockedUntilMs: 1_000, lastTriedAtMs: 1_000 };
    const later = tryLogin(attempts, 1_001 + loginForgetMs);
    expect(later).toMatchObject({ allowed: true, attempts: { failed: 1 } });
  });
});

describe('a new password', () => {
  const problem = (password: string, email = 'sam.ashworth@example.org') =>
    passwordProblem({ password, email }, isCommonPassword);

  it.each(['password', 'Password123', 'PASSW0RD', 'iloveyou', 'qwertyuiop', 'Liverpool1', '12345678', 'letmein123'])(
    'is refused when many people use it: %s',
    (password) => {
      expect(problem(password)).toMatch(/many people/i);
    },
  );

  it('is refused when it holds the name of the product, in any case', () => {
    expect(problem('my-EverKept-vault')).toMatch(/our name/);
  });

  it.each(['Sam.Ashworth@example.org', 'xx sam.ashworth@EXAMPLE.org', 'sam.ashworth1987'])(
    'is refused when it holds the address or the name in it: %s',
    (password) => {
      expect(problem(password)).toMatch(/email address/);
    },
  );

  it('is not refused for a short name that turns up by chance', () => {
    expect(problem('a savannah at dawn', 'anna@example.org')).toBeNull();
  });

  it.each([
    'twelve lemons in a bowl',
    '🐝🐝🐝🐝🐝🐝🐝🐝',
    'ÄÖÜ äöü ß',
    '        x       ',
    'x'.repeat(128),
    '73°N, 40°W — fog',
  ])('may hold any character: %s', (password) => {
    expect(problem(password)).toBeNull();
  });

  it('is compared with at least three thousand that are often used', async () => {
    const { readFile } = await import('node:fs/promises');
    const lines = (await readFile(new URL('./common-passwords.txt', import.meta.url), 'utf8')).trim().split('\n');
    expect(new Set(lines).size).toBeGreaterThanOrEqual(3_000);
    expect(lines).toEqual(lines.map((line) => line.toLowerCase()));
    expect(lines.every((line) => line.length >= 8)).toBe(true);
  });
});

describe('the safety settings of an unverified owner', () => {
  const untouched = { phone: null, releaseMethod: 'inactivity', inactivityDays: 90 } as const;
  const chosen = { phone: '07700 900123', releaseMethod: 'inactivity', inactivityDays: 180 } as const;

  it('may be saved while nothing was chosen', () => {
    expect(maySaveUnverified(untouched, chosen)).toBe(true);
  });

  it('may be saved again as they are, for a press that came twice', () => {
    expect(maySaveUnverified(chosen, chosen)).toBe(true);
  });

  it('may be saved again where only the first half of them arrived', () => {
    expect(maySaveUnverified({ ...untouched, phone: chosen.phone }, chosen)).toBe(true);
    expect(maySaveUnverified({ ...chosen, phone: null }, chosen)).toBe(true);
  });

  it('may not be changed afterwards', () => {
    expect(maySaveUnverified(chosen, { ...chosen, phone: null })).toBe(false);
    expect(maySaveUnverified(chosen, { ...chosen, inactivityDays: 365 })).toBe(false);
    expect(maySaveUnverified(chosen, { ...chosen, releaseMethod: 'trusted_contact' })).toBe(false);
    expect(maySaveUnverified({ ...untouched, releaseMethod: 'trusted_contact' }, chosen)).toBe(false);
  });
});

describe('the end of a session', () => {
  const limits = { idleMs: 100, absoluteMs: 1_000 };

  it('moves on with use', () => {
    expect(sessionEndMs({ createdAtMs: 0, usedAtMs: 50 }, limits)).toBe(150);
  });

  it('never moves past the absolute end', () => {
    expect(sessionEndMs({ createdAtMs: 0, usedAtMs: 950 }, limits)).toBe(1_000);
  });
});

describe('what an administrator has yet to prove', () => {
  it.each([
    [{ hasSecondFactor: true, hasPassedIt: true }, null],
    [{ hasSecondFactor: true, hasPassedIt: false }, 'second-factor'],
    [{ hasSecondFactor: false, hasPassedIt: false }, 'no-second-factor'],
    // The factor is gone, so that it was passed says nothing.
    [{ hasSecondFactor: false, hasPassedIt: true }, 'no-second-factor'],
  ])('of %o is %s', (session, unproved) => expect(unprovedByAdministrator(session)).toBe(unproved));
});
