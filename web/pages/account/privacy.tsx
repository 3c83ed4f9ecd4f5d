import { Link, useSearch } from 'wouter';
import { getSecondFactors } from '#shared/contract/second-factors.ts';
import { readExternalError } from '#shared/rules/identity-providers.ts';
import { Page } from '#web/components/layout/page.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { vaultHeadings } from '#web/content/vault-headings.ts';
import { useProviderName } from '#web/features/accounts/provider-name.ts';
import { ActivityCard } from '#web/features/accounts/security/activity-card.tsx';
import { DevicesCard } from '#web/features/accounts/security/devices-card.tsx';
import { MailboxCard } from '#web/features/accounts/security/mailbox-card.tsx';
import { PasswordCard } from '#web/features/accounts/security/password-card.tsx';
import { SecondFactorsCard } from '#web/features/accounts/security/second-factors-card.tsx';
import { WaysInCard } from '#web/features/accounts/security/ways-in-card.tsx';
import { useSessionEnded } from '#web/features/accounts/use-session-ended.ts';
import { KeysCard } from '#web/features/keys/keys-card.tsx';
import { KeysSwitch } from '#web/features/keys/keys-switch.tsx';
import { PushCard } from '#web/features/push/push-card.tsx';
import { light } from '#web/lib/api/light-routes.ts';
import { useRead } from '#web/lib/api/reads.ts';
import '#web/features/accounts/accounts.css';
import '#web/features/accounts/security/security.css';

/** People who can open the vault, its open sessions, and its activity. */
export function PrivacyPage() {
  const user = useRead(light.getAuthUser);
  const factors = useRead(getSecondFactors, { refetchOnMount: 'always' });
  useSessionEnded(factors.data === null);
  return (
    <Page {...vaultHeadings['/privacy']}>
      {factors.data && user.data ? (
        <>
          <LinkOutcome />
          <div className="pair">
            <div className="stack">
              <WaysInCard factors={factors.data} />
              <SecondFactorsCard factors={factors.data} />
              <DevicesCard />
              <PushCard />
            </div>
            <div className="stack">
              <MailboxCard />
              <PasswordCard hasPassword={factors.data.hasPassword} />
              <KeysCard>
                <KeysSwitch />
              </KeysCard>
              <Card as="section" className="guard" aria-labelledby="your-data">
                <h2 className="h-card" id="your-data">
                  Your data
                </h2>
                <p>
                  You can <Link href="/data-export">take everything with you, or delete your account</Link>. What we
                  keep, for how long and why, is in our <Link href="/privacy-policy">privacy policy</Link>.
                </p>
              </Card>
            </div>
          </div>
          <ActivityCard />
        </>
      ) : factors.isError ? (
        <LoadError title="We could not load this page" onRetry={() => factors.refetch()} />
      ) : (
        <SkeletonRows rows={4} label="Loading your security settings" />
      )}
    </Page>
  );
}

/** Result of a link that was started on this page, after the return from the provider. */
function LinkOutcome() {
  const search = new URLSearchParams(useSearch());
  const failure = readExternalError(search.get('error'));
  const slug = failure?.slug ?? search.get('linked');
  const name = useProviderName(slug) ?? 'The other service';
  if (slug === null) return null;
  if (failure === null) {
    return (
      <Banner tone="ok" role="status">
        {name} is linked. You can sign in with it from now on.
      </Banner>
    );
  }
  return (
    <Banner tone="bad" role="alert">
      {name} was not linked. {failureWords[failure.why] ?? 'Please try again.'}
    </Banner>
  );
}

const failureWords: Partial<Record<NonNullable<ReturnType<typeof readExternalError>>['why'], string>> = {
  taken: 'It opens another account already, or you have linked another account there. Remove that link first.',
  unverified: 'It says that your email address there is not confirmed. Confirm it there first.',
  unnamed: 'It did not tell us which account there is yours.',
};
