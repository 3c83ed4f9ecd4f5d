import { describe, expect, test } from 'vitest';
import { externalError, providerNameFrom, providerSlug, readExternalError } from './identity-providers.ts';

describe('the word that stands for a provider in addresses', () => {
  test.each([
    ['Google', 'google'],
    ['Our Login', 'our-login'],
    ['  St. Anne’s & Co ', 'st-anne-s-co'],
    ['Génie', 'genie'],
    ['Ωμέγα', ''],
  ])('the slug of %s is %s', (name, slug) => {
    expect(providerSlug(name)).toBe(slug);
  });

  test('gives back a name that can be read', () => {
    expect(['google', 'our-login', '2-doors'].map(providerNameFrom)).toEqual(['Google', 'Our Login', '2 Doors']);
  });
});

describe('a failure in the address of a page', () => {
  test.each([
    [{ slug: 'google', why: 'failed' }, 'google_auth_failed'],
    [{ slug: 'our-login', why: 'failed' }, 'our_login_auth_failed'],
    [{ slug: 'our-login', why: 'old' }, 'our_login_sign_in_old'],
  ] as const)('the error of %o is read as it was written', (failure, error) => {
    expect(externalError(failure)).toBe(error);
    expect(readExternalError(error)).toEqual(failure);
  });

  test.each([null, '', 'something', '_auth_failed', 'A_auth_failed', '<b>_auth_failed', 'a__b_auth_failed'])(
    'that is none is none: %o',
    (error) => {
      expect(readExternalError(error)).toBeNull();
    },
  );
});
