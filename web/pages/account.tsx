import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useSearch } from 'wouter';
import type { User } from '#shared/contract/accounts.ts';
import type { Billing } from '#shared/contract/billing.ts';
import { plans } from '#shared/rules/plans.ts';
import { Page } from '#web/components/layout/page.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { useSessionEnded } from '#web/features/accounts/use-session-ended.ts';
import { askedPlan } from '#web/features/billing/asked-plan.rules.ts';
import { BillingCard } from '#web/features/billing/billing-card.tsx';
import { nextChangeWords, refusedChangeWords } from '#web/features/billing/billing-words.ts';
import { CurrentPlan, type PlanLimits } from '#web/features/billing/current-plan.tsx';
import { PaymentsTable } from '#web/features/billing/payments-table.tsx';
import { PlanCards } from '#web/features/billing/plan-cards.tsx';
import { readOften } from '#web/lib/query.ts';
import { sessionKey } from '#web/lib/session.ts';
import { toast } from '#web/lib/toast.ts';
import '#web/styles/plans.css';
import '#web/features/billing/billing.css';

/** While the provider has not told us yet how a checkout ended. */
const awaitingEveryMs = 3_000;

/** The plan the person has, how it is paid for, and the plans there are. `?plan=` brings one of them into view. */
export function AccountPage() {
  const asked = askedPlan(useSearch());
  const user = useQuery<User | null>({ queryKey: ['/api/user'], ...readOften });
  const limits = useQuery<PlanLimits | null>({ queryKey: ['/api/plan-limits'], ...readOften });
  const billing = useQuery<Billing | null>({
    queryKey: ['/api/billing'],
    ...readOften,
    refetchInterval: ({ state }) => (state.data?.isAwaitingPayment ? awaitingEveryMs : false),
  });
  useSessionEnded(user.data === null || limits.data === null || billing.data === null);
  useActivation(billing.data ?? undefined);
  const reads = [user, limits, billing];
  return (
    <Page title="Account & Billing" intro="Your plan, how it is paid for, and what is used of it">
      {user.data && limits.data && billing.data ? (
        <>
          {billing.data.isAwaitingPayment ? (
            <Banner>
              We are waiting to hear that your payment went through. This takes a minute at most; the page follows by
              itself.
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

/** Says so, and reads everything that knows the plan again, once a payment that was waited for has arrived. */
function useActivation(billing: Billing | undefined): void {
  const client = useQueryClient();
  const wasAwaiting = useRef(false);
  const isAwaiting = billing?.isAwaitingPayment;
  const plan = billing?.plan;
  const toldByCard = billing && (nextChangeWords(billing) ?? refusedChangeWords(billing));
  useEffect(() => {
    if (isAwaiting === undefined || plan === undefined) return;
    // A change that begins later, or is not made, is told by the card.
    if (wasAwaiting.current && !isAwaiting && plan !== 'free' && !toldByCard) {
      toast({ title: 'Subscription Activated', description: `You are on the ${plans[plan].title} plan now.` });
      for (const queryKey of [['/api/user'], ['/api/plan-limits'], sessionKey]) client.invalidateQueries({ queryKey });
    }
    wasAwaiting.current = isAwaiting;
  }, [isAwaiting, plan, toldByCard, client]);
}
