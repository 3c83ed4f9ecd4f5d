import type { ExternalFailure } from '#shared/rules/identity-providers.ts';
import { Banner } from '#web/components/ui/banner.tsx';

/** Message of the sign-in page if a provider opened no account. `name` is null until it is known. */
export function ExternalFailed({ why, name }: { why: ExternalFailure['why']; name: string | null }) {
  const isMailed = why === 'mailed';
  const title = isMailed ? 'Check Your Email' : name === null ? 'Sign In Failed' : `${name} Sign In Failed`;
  return (
    <Banner tone={isMailed ? 'warn' : 'bad'} role="alert">
      <b>{title}</b>
      <br />
      {externalFailureWords(why, name)}
    </Banner>
  );
}

export function externalFailureWords(why: ExternalFailure['why'], name: string | null): string {
  const provider = name ?? 'The other service';
  if (why === 'mailed') {
    return 'If this address can be linked, we have written to it. Otherwise choose Forgot password.';
  }
  if (why === 'unverified') {
    return `${provider} says that your email address there is not confirmed. Confirm it there, or sign in with your email and password.`;
  }
  if (why === 'unnamed') {
    return `${provider} did not tell us which account there is yours. Please sign in with your email and password.`;
  }
  return `There was an issue signing in${name === null ? '' : ` with ${name}`}. Please try again or use email/password.`;
}
