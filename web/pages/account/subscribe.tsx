import { useState } from 'react';
import { Redirect, useLocation, useSearch } from 'wouter';
import { type Billing, getBilling, getPaymentProviders } from '#shared/contract/billing.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import type { BillingCycle } from '#shared/rules/prices.ts';
import { undeliveredAfterPaymentMonths } from '#shared/rules/retention.ts';
import { Page } from '#web/components/layout/page.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { askedPlan } from '#web/features/billing/asked-plan.rules.ts';
import { CheckoutCard } from '#web/features/billing/checkout-card.tsx';
import { isRecurringPlan } from '#web/features/billing/choice.ts';
import { PlanChoice } from '#web/features/billing/plan-choice.tsx';
import { ReturnedVisitor } from '#web/features/billing/returned-visitor.tsx';
import { useIsReturned } from '#web/features/billing/use-returned.ts';
import { useSubscribe } from '#web/features/billing/use-subscribe.ts';
import { readOften } from '#web/lib/api/query.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { useSession } from '#web/lib/session.ts';
import '#web/styles/plans.css';
import '#web/styles/plan-choice.css';
import '#web/features/billing/billing.css';

/** Choice and payment of a plan, for a signed-in person or a visitor without an account. */
export function SubscribePage() {
  const { user } = useSession();
  const isMember = user !== null;
  const isReturned = useIsReturned();
  const providers = useRead(getPaymentProviders);
  const billing = useRead(getBilling, { enabled: isMember, ...readOften });
  const isReady = providers.data !== undefined && (!isMember || billing.data);
  // The plan's page reports the result of a payment.
  if (isReturned && isMember) return <Redirect to="/account?payment=returned" replace />;
  return (
    <Page
      title="Choose your plan"
      intro="Safety is part of every plan: check-ins, trusted contacts and release settings."
    >
      {isReturned ? (
        <ReturnedVisitor />
      ) : isReady ? (
        <Subscribing
          billing={billing.data ?? undefined}
          providers={providers.data ?? []}
          ownEmail={user?.email ?? ''}
        />
      ) : providers.isError || billing.isError ? (
        <LoadError
          title="We could not load the plans"
          text="Nothing was charged. The connection failed. Try again, or come back in a few minutes."
          onRetry={() => {
            providers.refetch();
            if (isMember) billing.refetch();
          }}
        />
      ) : (
        <SkeletonRows rows={3} label="Loading the plans" />
      )}
    </Page>
  );
}

type SubscribingProps = {
  billing: Billing | undefined;
  providers: RouteResult<typeof getPaymentProviders>;
  ownEmail: string;
};

function Subscribing({ billing, providers, ownEmail }: SubscribingProps) {
  const asked = askedPlan(useSearch());
  const [, navigate] = useLocation();
  // A payer starts with their present plan, so that no smaller plan is suggested.
  const present = billing?.can.change && isRecurringPlan(billing.plan) && asked === undefined ? billing : undefined;
  const [plan, setPlan] = useState<PlanName>(asked ?? present?.plan ?? 'essential');
  const [cycle, setCycle] = useState<BillingCycle>(present?.term === 'annual' ? 'annual' : 'monthly');
  const [waiting, setWaiting] = useState<string>();
  const subscribe = useSubscribe(billing !== undefined, ({ message }) => {
    if (billing) navigate('/account');
    else setWaiting(message ?? 'Your plan is ready.');
  });
  if (waiting !== undefined) {
    return (
      <Banner tone="ok" action={<ButtonLink href="/register">Create your account</ButtonLink>}>
        {waiting}
      </Banner>
    );
  }
  return (
    <>
      {providers.length === 0 ? <NotForSale isMember={billing !== undefined} /> : null}
      <PlanChoice plan={plan} cycle={cycle} onPlan={setPlan} onCycle={setCycle} current={billing?.plan ?? null} />
      {plan === 'free' ? (
        <FreeWords isMember={billing !== undefined} />
      ) : (
        <CheckoutCard
          plan={plan}
          cycle={cycle}
          billing={billing}
          providers={providers}
          ownEmail={ownEmail}
          isBusy={subscribe.isPending || subscribe.data?.paymentUrl !== undefined}
          onOrder={(order) => subscribe.mutate(order)}
        />
      )}
    </>
  );
}

/** Notice before any choice, if this installation has no payment provider. */
function NotForSale({ isMember }: { isMember: boolean }) {
  return (
    <Banner action={isMember ? undefined : <ButtonLink href="/register">Start on the Free plan</ButtonLink>}>
      Plans cannot be bought here at present.{' '}
      {isMember ? 'Your plan stays as it is.' : 'You can begin on the Free plan, and nothing is asked for it.'} A
      voucher that covers the whole price works all the same.
    </Banner>
  );
}

function FreeWords({ isMember }: { isMember: boolean }) {
  if (!isMember) return <p className="quiet">The Free plan needs no card and no payment. It begins with an account.</p>;
  return (
    <p className="quiet">
      To go back to the Free plan, cancel the one you have in Account &amp; Billing. It then runs to the end of the time
      you have paid for. Anything above the limits of the Free plan is kept for {undeliveredAfterPaymentMonths} months
      after that, and we tell you before we delete it.
    </p>
  );
}
