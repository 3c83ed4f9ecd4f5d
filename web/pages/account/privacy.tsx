import { Link } from 'wouter';
import { getSecondFactors } from '#shared/contract/second-factors.ts';
import { Page } from '#web/components/layout/page.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { vaultHeadings } from '#web/content/vault-headings.ts';
import { ActivityCard } from '#web/features/accounts/security/activity-card.tsx';
import { DevicesCard } from '#web/features/accounts/security/devices-card.tsx';
import { MailboxCard } from '#web/features/accounts/security/mailbox-card.tsx';
import { PasswordCard } from '#web/features/accounts/security/password-card.tsx';
import { SecondFactorsCard } from '#web/features/accounts/security/second-factors-card.tsx';
import { useSessionEnded } from '#web/features/accounts/use-session-ended.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { useRead } from '#web/lib/api/reads.ts';
import '#web/features/accounts/accounts.css';
import '#web/features/accounts/security/security.css';

/** Who can open the vault, where it is open, and what was done in it. */
export function PrivacyPage() {
  const user = useRead(light.getAuthUser);
  const factors = useRead(getSecondFactors, { refetchOnMount: 'always' });
  useSessionEnded(factors.data === null);
  return (
    <Page {...vaultHeadings['/privacy']}>
      {factors.data && user.data ? (
        <>
          <div className="pair">
            <div className="stack">
              <SecondFactorsCard factors={factors.data} />
              <DevicesCard />
            </div>
            <div className="stack">
              <MailboxCard />
              <PasswordCard hasPassword={factors.data.hasPassword} email={user.data.email} />
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
