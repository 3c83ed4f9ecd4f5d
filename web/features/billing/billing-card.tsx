import type { ReactNode } from 'react';
import type { Billing } from '#shared/contract/billing.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { longDate } from '#web/lib/format.ts';
import { BillingActions } from './billing-actions.tsx';
import {
  cardWords,
  nextChangeWords,
  nextPaymentWords,
  pastDueWords,
  refusedChangeWords,
  wayWords,
} from './billing-words.ts';
import { priceWords } from './choice.ts';

/** Payment of the present plan. Empty for a plan that is free and always was. */
export function BillingCard({ plan, billing }: { plan: PlanName; billing: Billing }) {
  if (plan === 'free' && billing.status === 'none') return null;
  return (
    <Card as="section" className="billing" aria-labelledby="billing">
      <h2 className="h-card" id="billing">
        Billing information
      </h2>
      <Notice billing={billing} />
      <dl className="facts">
        <Fact name="Price">
          {billing.pricePence === null || billing.term === null
            ? 'Nothing to pay'
            : priceWords(billing.pricePence, billing.term)}
        </Fact>
        <Fact name="Next payment">{nextPaymentWords(billing)}</Fact>
        <Fact name="Card">{cardWords(billing)}</Fact>
        {billing.provider ? <Fact name="Paid through">{wayWords(billing.provider)}</Fact> : null}
      </dl>
      <BillingActions billing={billing} />
    </Card>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** Most urgent notice. */
function Notice({ billing }: { billing: Billing }) {
  const { status, endsAt, cancelAtPeriodEnd, isEndedByRelease } = billing;
  const nextChange = nextChangeWords(billing);
  if (status === 'past_due') return <Banner tone="bad">{pastDueWords(billing)}</Banner>;
  const refusedChange = refusedChangeWords(billing);
  if (status === 'active' && refusedChange) return <Banner tone="bad">{refusedChange}</Banner>;
  if (status === 'active' && cancelAtPeriodEnd && endsAt) {
    if (isEndedByRelease) {
      return (
        <Banner>
          Your plan does not renew after {longDate(endsAt)}, because your messages were delivered. It renews again as
          soon as you tell us on your dashboard that you are back, or choose “Keep my plan” here.
        </Banner>
      );
    }
    return <Banner>Your plan is cancelled and runs until {longDate(endsAt)}. Nothing more is taken.</Banner>;
  }
  if (status === 'cancelled') {
    return (
      <Banner>
        Your paid plan has ended. Everything you stored is still here. Choose a plan to add more than Free allows.
      </Banner>
    );
  }
  if (status === 'lapsed') {
    return (
      <Banner>
        Your paid plan ended because it was not paid. Everything you stored is still here. Choose a plan to add more
        than Free allows.
      </Banner>
    );
  }
  return nextChange ? <Banner tone="ok">{nextChange}</Banner> : null;
}
