import { findCredentialsById } from '#server/features/accounts/credentials.repository.ts';
import { identitiesOf } from '#server/features/accounts/identities.repository.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { WaysIn } from '#shared/rules/sign-in/ways-in.ts';
import { countFactors } from './second-factors.repository.ts';

/** Sign-in methods of an account. A provider that was removed from the settings opens nothing. */
export async function waysInOf(
  executor: Executor,
  userId: string,
  providers: readonly { issuer: string }[],
): Promise<WaysIn> {
  const credentials = await findCredentialsById(executor, userId);
  const { passkeys } = await countFactors(executor, userId);
  const linked = await identitiesOf(executor, userId);
  return {
    hasPassword: (credentials?.password ?? null) !== null,
    passkeys,
    providers: linked.filter(({ issuer }) => providers.some((provider) => provider.issuer === issuer)).length,
  };
}
