import { useSearch } from 'wouter';
import { getUser } from '#shared/contract/accounts.ts';
import { getBilling } from '#shared/contract/billing.ts';
import { getPlanLimits } from '#shared/contract/dashboard.ts';
import { Page } from '#web/components/layout/page.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { vaultHeadings } from '#web/content/vault-headings.ts';
import { useSessionEnded } from '#web/features/accounts/use-session-ended.ts';
import { askedPlan } from '#web/features/billing/asked-plan.rules.ts';
import { BillingCard } from '#web/features/billing/billing-card.tsx';
import { CurrentPlan } from '#web/features/billing/current-plan.tsx';
import { PaymentsTable } from '#web/features/billing/payments-table.tsx';
import { PlanCards } from '#web/features/billing/plan-cards.tsx';
import { useActivation, useIsReturned } from '#web/features/billing/use-returned.ts';
import { readOften } from '#web/lib/api/query.ts';
import { useRead } from '#web/lib/api/reads.ts';
import '#web/styles/plans.css';
import '#web/features/billing/billing.css';

/** While the provider has not told us yet how a checkout ended. */
const awaitingEveryMs = 3_000;

/** The plan the person has, how it is paid for, and the plans there are. `?plan=` brings one of them into view. */
export function AccountPage() {
  const asked = askedPlan(useSearch());
  const isReturned = useIsReturned();
  const user = useRead(getUser, readOften);
  const limits = useRead(getPlanLimits, readOften);
  const billing = useRead(getBilling, {
    ...readOften,
    refetchInterval: ({ state }) => (isReturned && state.data?.isAwaitingPayment ? awaitingEveryMs : false),
  });
  useSessionEnded(user.data === null || limits.data === null || billing.data === null);
  useActivation(isReturned, billing.data ?? undefined);
  const reads = [user, limits, billing];
  return (
    <Page {...vaultHeadings['/account']}>
      {user.data && limits.data && billing.data ? (
        <>
          {isReturned && billing.data.isAwaitingPayment ? (
            <Banner>
              If you have just paid, your payment is being taken in. This takes a minute as a rule, and the page follows
              by itself. If you left without paying, nothing is charged.
            </Banner>
          ) : null}
          <CurrentPlan user={user.data} limits={limits.data} />
          <BillingCard plan={billing.data.plan} billing={billing.data} />
          <PlanCards current={user.data.plan} asked={asked} />
          <PaymentsTable payments={billing.data.payments} />
        </>
      ) : reads.some(({ isError }) => isError) ? (
        <LoadError
          title="We could not load your plan"
          text="Your vault is safe. The connection failed. Try again, or come back in a few minutes."
          onRetry={() => {
            for (const read of reads) read.refetch();
          }}
        />
      ) : (
        <SkeletonRows rows={3} label="Loading your plan" />
      )}
    </Page>
  );
}
