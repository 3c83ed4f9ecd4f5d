import { describe, expect, it } from 'vitest';
import { isOnlyWayIn } from './ways-in.ts';

const none = { hasPassword: false, passkeys: 0, providers: 0 };

describe('the only way in', () => {
  it.each([
    ['password', { ...none, hasPassword: true }],
    ['passkey', { ...none, passkeys: 1 }],
    ['provider', { ...none, providers: 1 }],
  ] as const)('is a %s without a second way', (way, ways) => {
    expect(isOnlyWayIn(ways, way)).toBe(true);
  });

  it.each([
    ['password', { ...none, hasPassword: true, passkeys: 1 }],
    ['password', { ...none, hasPassword: true, providers: 1 }],
    ['passkey', { ...none, passkeys: 2 }],
    ['passkey', { ...none, hasPassword: true, passkeys: 1 }],
    ['provider', { ...none, providers: 2 }],
    ['provider', { ...none, hasPassword: true, providers: 1 }],
  ] as const)('is not a %s beside another: %o', (way, ways) => {
    expect(isOnlyWayIn(ways, way)).toBe(false);
  });

  it('is not a link with a provider that is not configured here', () => {
    expect(isOnlyWayIn({ ...none, hasPassword: true }, 'provider')).toBe(false);
  });
});
