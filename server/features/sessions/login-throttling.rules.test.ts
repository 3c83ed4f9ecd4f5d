import { describe, expect, it } from 'vitest';
import { type LoginAttempts, loginDelayMs, loginForgetMs, tryLogin } from './login-throttling.rules.ts';

const minuteMs = 60_000;

describe('the delay after wrong passwords', () => {
  it('begins with one second after the fifth and doubles up to fifteen minutes', () => {
    const delays = Array.from({ length: 18 }, (_, failed) => loginDelayMs(failed) / 1000);
    expect(delays).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
  });

  it('stays at fifteen minutes for any number of tries', () => {
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

  it('is refused until the delay ends, with the remaining seconds', () => {
    const attempts = { failed: 7, blockedUntilMs: 10_000, lastTriedAtMs: 6_000 };
    expect(tryLogin(attempts, 6_001)).toEqual({ allowed: false, retryAfterSeconds: 4 });
    expect(tryLogin(attempts, 9_999)).toEqual({ allowed: false, retryAfterSeconds: 1 });
    expect(tryLogin(attempts, 10_000).allowed).toBe(true);
  });

  it('is not counted while it is refused, so that trying on does not lengthen the delay', () => {
    const attempts = { failed: 7, blockedUntilMs: 10_000, lastTriedAtMs: 6_000 };
    expect(tryLogin(attempts, 7_000)).not.toHaveProperty('attempts');
  });

  it('has no delay after five mistakes', () => {
    let attempts = never;
    for (let count = 0; count < 5; count += 1) {
      const next = tryLogin(attempts, 1_000_000_000_000);
      if (!next.allowed) throw new Error('refused too early');
      attempts = next.attempts;
    }
    expect(tryLogin(attempts, 1_000_000_000_000)).toEqual({ allowed: false, retryAfterSeconds: 1 });
  });

  it('restarts after a day without one', () => {
    const attempts = { failed: 40, blockedUntilMs: 1_000, lastTriedAtMs: 1_000 };
    const later = tryLogin(attempts, 1_001 + loginForgetMs);
    expect(later).toMatchObject({ allowed: true, attempts: { failed: 1 } });
  });
});
