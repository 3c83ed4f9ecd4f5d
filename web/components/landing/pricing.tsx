import { useEffect, useRef, useState } from 'react';
import { type Plan, plans } from '#shared/rules/plans.ts';
import type { BillingCycle } from '#shared/rules/prices.ts';
import { CycleSwitch } from '#web/components/plans/cycle-switch.tsx';
import { PlanCard } from '#web/components/plans/plan-card.tsx';
import { Price, priceOf } from '#web/components/plans/plan-facts.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { toast } from '#web/components/ui/toaster.tsx';

/** The four plans. Choosing works by style sheet alone, so that the prices can be compared before any script runs. */
export function Pricing() {
  const [cycle, setCycle] = useState<BillingCycle>('monthly');
  const annual = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // A cycle may have been chosen before the scripts ran.
    if (annual.current?.checked) setCycle('annual');
  }, []);
  return (
    <section className="band pricing" id="pricing" aria-labelledby="price-h">
      <div className="wrap">
        <div className="page-head">
          <h2 id="price-h">What it costs</h2>
          <CycleSwitch onCycle={setCycle} annualRef={annual} />
        </div>
        <p className="lead">
          Check-ins, trusted contacts and release settings are part of every plan. Safety is not sold.
        </p>
        <div className="plans" role="radiogroup" aria-label="Plan">
          {Object.values(plans).map((plan) => (
            <LandingPlan key={plan.name} plan={plan} cycle={cycle} />
          ))}
        </div>
        <p className="small quiet">
          Prices in pounds. A plan renews until you cancel it, in two clicks, and then runs to the end of the time you
          have paid for.
        </p>
      </div>
    </section>
  );
}

function LandingPlan({ plan, cycle }: { plan: Plan; cycle: BillingCycle }) {
  const { name, title, isMostPopular } = plan;
  return (
    <PlanCard
      plan={plan}
      cycle={cycle}
      price={
        <>
          <Price className="mo" price={priceOf(plan, 'monthly')} />
          <Price className="yr" price={priceOf(plan, 'annual')} />
        </>
      }
      radio={{ defaultChecked: isMostPopular }}
    >
      <ButtonLink wide href={`/subscribe?plan=${name}`} onClick={announceChoice}>
        {name === 'free' ? 'Start Free Account' : `Subscribe to ${title}`}
      </ButtonLink>
    </PlanCard>
  );
}

function announceChoice(): void {
  toast({ title: 'Plan Selected', description: 'Redirecting to subscription page...' });
}
