import type { SecondFactor } from '#shared/contract/accounts.ts';

/**
 * Second steps of a sign-in, the most convenient first; empty if no second factor is on. Recovery codes replace a lost
 * factor and are no factor alone.
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
