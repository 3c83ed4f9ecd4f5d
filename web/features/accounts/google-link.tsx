import { useQuery } from '@tanstack/react-query';
import { getAuthProviders, startGoogleSignIn } from '#shared/contract/identity.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { pathOf } from '#web/lib/api.ts';

type GoogleLinkProps = {
  label: string;
  /** Kept for an account that is opened on the way. */
  plan?: PlanName;
  /** Whether to stay signed in; they do unless this says no. */
  keepSignedIn?: boolean;
};

/** Leads away to Google, below what can be done with a password; nothing where it is not set up. */
export function GoogleLink({ label, plan, keepSignedIn = true }: GoogleLinkProps) {
  const { data } = useQuery<RouteResult<typeof getAuthProviders>>({ queryKey: [getAuthProviders.path] });
  if (!data?.google) return null;
  return (
    <>
      <div className="or">or</div>
      <ButtonLink
        variant="secondary"
        wide
        href={pathOf(startGoogleSignIn.path, {}, { plan, keep: keepSignedIn ? undefined : 'no' })}
      >
        {label}
      </ButtonLink>
    </>
  );
}
