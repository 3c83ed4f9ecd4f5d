import { getAuthProviders, startGoogleSignIn } from '#shared/contract/identity.ts';
import type { RouteQuery } from '#shared/contract/route.ts';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { addressOf } from '#web/lib/api/api.ts';
import { useRead } from '#web/lib/api/reads.ts';

type GoogleLinkProps = {
  label: string;
  /** Kept for an account that is opened on the way. */
  plan?: RouteQuery<typeof startGoogleSignIn>['plan'];
  /** Whether to stay signed in; they do unless this says no. */
  keepSignedIn?: boolean;
};

/** Leads away to Google, below what can be done with a password; nothing where it is not set up. */
export function GoogleLink({ label, plan, keepSignedIn = true }: GoogleLinkProps) {
  const { data } = useRead(getAuthProviders);
  if (!data?.google) return null;
  return (
    <>
      <div className="or">or</div>
      <ButtonLink
        variant="secondary"
        wide
        href={addressOf(startGoogleSignIn, { query: { plan, keep: keepSignedIn ? undefined : 'no' } })}
      >
        {label}
      </ButtonLink>
    </>
  );
}
