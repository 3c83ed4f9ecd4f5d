import { describe, expect, it } from 'vitest';
import { type Claimed, removalOf } from './not-me.rules.ts';

const at = (hour: number) => new Date(Date.UTC(2026, 10, 20, hour));

/** Opened at eight, and left alone. */
const unused: Claimed = {
  emailVerified: false,
  firstVerifiedAt: null,
  mailboxProvenAt: null,
  lastLoginAt: null,
  lastCheckinAt: at(8),
  isPaidFor: false,
  isOld: false,
};

describe('an account after "this was not me" from its mailbox', () => {
  it.each<[string, Partial<Claimed>]>([
    ['was never verified', {}],
    ['was never verified, although it is used', { lastLoginAt: at(9), lastCheckinAt: at(10) }],
    ['was verified, and not used since', { emailVerified: true, firstVerifiedAt: at(11), lastLoginAt: at(9) }],
    ['was verified, and then doubted', { firstVerifiedAt: at(11) }],
    ['was never verified, and is old', { isOld: true }],
  ])('is deleted immediately if it %s', (_, account) => {
    expect(removalOf({ ...unused, ...account })).toBe('at-once');
  });

  it.each<[string, Partial<Claimed>]>([
    ['a sign-in followed its verification', { firstVerifiedAt: at(9), lastLoginAt: at(10) }],
    ['it was used since, in an earlier session', { firstVerifiedAt: at(9), lastCheckinAt: at(10) }],
    ['its user reads the mailbox', { firstVerifiedAt: at(9), mailboxProvenAt: at(9) }],
    ['an operator has vouched for it', { emailVerified: true }],
    ['it is paid for', { isPaidFor: true }],
    ['it was verified and left alone, and is old', { firstVerifiedAt: at(11), isOld: true }],
  ])('can be restored if %s', (_, account) => {
    expect(removalOf({ ...unused, emailVerified: true, ...account })).toBe('with-undo');
  });
});
