import { useQuery } from '@tanstack/react-query';
import { useSearch } from 'wouter';
import type { User } from '#shared/contract/accounts.ts';
import { Page } from '#web/components/layout/page.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { useSessionEnded } from '#web/features/accounts/use-session-ended.ts';
import { askedPlan } from '#web/features/billing/asked-plan.rules.ts';
import { CurrentPlan, type PlanLimits } from '#web/features/billing/current-plan.tsx';
import { PlanCards } from '#web/features/billing/plan-cards.tsx';
import '#web/styles/plans.css';
import '#web/features/billing/billing.css';

/** Both are read on every visit: a plan may have changed, and what is used changes with every message. */
const readOften = { refetchOnMount: 'always' } as const;

/** The plan the person has, what is used of it, and the plans there are. `?plan=` brings one of them into view. */
export function AccountPage() {
  const asked = askedPlan(useSearch());
  const user = useQuery<User | null>({ queryKey: ['/api/user'], ...readOften });
  const limits = useQuery<PlanLimits | null>({ queryKey: ['/api/plan-limits'], ...readOften });
  useSessionEnded(user.data === null || limits.data === null);
  return (
    <Page title="Account & Billing" intro="Your plan, and what is used of it">
      {user.data && limits.data ? (
        <>
          <Banner>Paid plans cannot be bought here yet. Nothing you have already stored is affected.</Banner>
          <CurrentPlan user={user.data} limits={limits.data} />
          <PlanCards current={user.data.plan} asked={asked} />
        </>
      ) : user.isError || limits.isError ? (
        <LoadError
          title="We could not load your plan"
          text="Your vault is safe. The connection failed. Try again, or come back in a few minutes."
          onRetry={() => {
            user.refetch();
            limits.refetch();
          }}
        />
      ) : (
        <SkeletonRows rows={3} label="Loading your plan" />
      )}
    </Page>
  );
}
