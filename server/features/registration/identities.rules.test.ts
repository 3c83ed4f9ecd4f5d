import { describe, expect, it } from 'vitest';
import { type Claims, decideNewIdentity, namesOf, vouchedEmail } from './identities.rules.ts';

const claims = (given: Partial<Claims> = {}): Claims => ({
  email: 'ada@people.example',
  isEmailVerified: true,
  givenName: 'Ada',
  familyName: 'Shah',
  ...given,
});

describe('a new person with a verified address at a provider', () => {
  const email = 'ada@people.example';

  const proven = { isProven: true, wasNeverProven: false };

  it('gets the address of a never proven account, and nothing that is in it', () => {
    for (const isOfSameProvider of [true, false]) {
      const holder = { isProven: false, wasNeverProven: true, isOfSameProvider };
      expect(decideNewIdentity(email, holder)).toEqual({ does: 'hand-over' });
    }
  });

  it('opens an account if no account has the address', () => {
    expect(decideNewIdentity(email, null)).toEqual({ does: 'open', email });
  });

  it('asks the mailbox of the account for a link if both sides have verified the address', () => {
    expect(decideNewIdentity(email, { ...proven, isOfSameProvider: false })).toEqual({ does: 'ask' });
  });

  it('never takes over an account with an address that was verified here, because its owner may be another person', () => {
    for (const isOfSameProvider of [true, false]) {
      expect(decideNewIdentity(email, { isProven: false, wasNeverProven: false, isOfSameProvider })).toEqual({
        does: 'refuse',
        why: 'unproven-here',
      });
    }
  });

  it("never takes over an account that is another person's at the same provider", () => {
    expect(decideNewIdentity(email, { ...proven, isOfSameProvider: true })).toEqual({
      does: 'refuse',
      why: 'somebody-else',
    });
  });

  it('is rejected without an address that was verified there', () => {
    for (const holder of [null, { ...proven, isOfSameProvider: false }]) {
      expect(decideNewIdentity(null, holder)).toEqual({ does: 'refuse', why: 'unverified-there' });
    }
  });
});

describe('the address a provider vouches for', () => {
  it('is kept as every address is', () => {
    expect(vouchedEmail(claims({ email: ' Ada@People.EXAMPLE ' }))).toBe('ada@people.example');
  });

  it.each([
    claims({ isEmailVerified: false }),
    claims({ email: null }),
    claims({ email: '' }),
    claims({ email: 'ada' }),
    claims({ email: `${'a'.repeat(300)}@people.example` }),
    claims({ email: 'ada@people.example\r\nBcc: eve@people.example' }),
  ])('is none in %o', (given) => {
    expect(vouchedEmail(given)).toBeNull();
  });
});

describe('the names of a new account', () => {
  it('are those of the provider, trimmed', () => {
    expect(namesOf(claims({ givenName: ' Ada ' }))).toEqual({ firstName: 'Ada', lastName: 'Shah' });
  });

  it.each([null, '', '   ', 'a'.repeat(101), 'Ada\nShah', 'Ada\0'])(
    'leave out what could not be typed: %j',
    (givenName) => {
      expect(namesOf(claims({ givenName }))).toEqual({ firstName: null, lastName: 'Shah' });
    },
  );
});
