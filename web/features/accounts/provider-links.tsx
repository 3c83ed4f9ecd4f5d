import type { getAuthProviders, startExternalSignIn } from '#shared/contract/identity.ts';
import type { RouteQuery, RouteResult } from '#shared/contract/route.ts';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { addressOf } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { useRead } from '#web/lib/api/reads.ts';

type ProviderLinksProps = {
  /** Action with a provider, such as `Sign in with`; the provider's name follows. */
  verb: string;
  /** Kept for an account that is opened on the way. */
  plan?: RouteQuery<typeof startExternalSignIn>['plan'];
  /** False for a short session; default: stay signed in. */
  keepSignedIn?: boolean;
};

/** Links to the sign-in of each provider. Empty if the operator has set up none. */
export function ProviderLinks(props: ProviderLinksProps) {
  const { data } = useRead(light.getAuthProviders);
  return <LoadedProviderLinks providers={data?.providers ?? []} {...props} />;
}

type Providers = RouteResult<typeof getAuthProviders>['providers'];

/** Links for providers that are already loaded. */
export function LoadedProviderLinks({
  providers,
  verb,
  plan,
  keepSignedIn = true,
}: ProviderLinksProps & { providers: Providers }) {
  if (providers.length === 0) return null;
  const query = { plan, keep: keepSignedIn ? undefined : ('no' as const) };
  return (
    <>
      <div className="or">or</div>
      {providers.map(({ slug, name }) => (
        <ButtonLink
          key={slug}
          variant="secondary"
          wide
          href={addressOf(light.startExternalSignIn, { params: { provider: slug }, query })}
        >
          {verb} {name}
        </ButtonLink>
      ))}
    </>
  );
}
