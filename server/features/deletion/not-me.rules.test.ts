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

describe('an account of which its mailbox says "this was not me"', () => {
  it.each<[string, Partial<Claimed>]>([
    ['nobody has verified', {}],
    ['nobody has verified, although somebody works in it', { lastLoginAt: at(9), lastCheckinAt: at(10) }],
    ['was verified, and not used since', { emailVerified: true, firstVerifiedAt: at(11), lastLoginAt: at(9) }],
    ['was verified, and then doubted', { firstVerifiedAt: at(11) }],
    ['nobody has verified, however old it is', { isOld: true }],
  ])('goes at once when it %s', (_, account) => {
    expect(removalOf({ ...unused, ...account })).toBe('at-once');
  });

  it.each<[string, Partial<Claimed>]>([
    ['somebody signed in to it since it was verified', { firstVerifiedAt: at(9), lastLoginAt: at(10) }],
    ['somebody worked in it since, in a session from before', { firstVerifiedAt: at(9), lastCheckinAt: at(10) }],
    ['whoever signs in reads its mailbox', { firstVerifiedAt: at(9), mailboxProvenAt: at(9) }],
    ['an operator has vouched for it', { emailVerified: true }],
    ['somebody pays for it', { isPaidFor: true }],
    ['it was verified and left alone, and is old', { firstVerifiedAt: at(11), isOld: true }],
  ])('can be taken back where %s', (_, account) => {
    expect(removalOf({ ...unused, emailVerified: true, ...account })).toBe('with-undo');
  });
});
