import type { SecondFactor } from '#shared/contract/accounts.ts';

/**
 * What a sign-in may end with, the most convenient first; nothing where no second factor is turned on. Recovery codes
 * stand in for one that is lost and are no factor by themselves.
 */
export function offeredFactors(have: {
  hasAuthenticator: boolean;
  passkeys: number;
  codesLeft: number;
}): SecondFactor[] {
  const factors: SecondFactor[] = [];
  if (have.passkeys > 0) factors.push('passkey');
  if (have.hasAuthenticator) factors.push('authenticator');
  if (factors.length > 0 && have.codesLeft > 0) factors.push('recovery');
  return factors;
}
