import { useEffect, useRef, useState } from 'react';
import { annualSavingPercent, type Plan, plans } from '#shared/rules/plans.ts';
import { type BillingPeriod, Price, priceOf, SalesPoints } from '#web/components/landing/plan-facts.tsx';
import { Badge } from '#web/components/ui/badge.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { toast } from '#web/components/ui/toaster.tsx';

/** The four plans. Choosing works by style sheet alone, so that the prices can be compared before any script runs. */
export function Pricing() {
  const [period, setPeriod] = useState<BillingPeriod>('monthly');
  const annual = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Somebody may have chosen before the scripts came.
    if (annual.current?.checked) setPeriod('annual');
  }, []);
  return (
    <section className="band pricing" id="pricing" aria-labelledby="price-h">
      <div className="wrap">
        <div className="page-head">
          <h2 id="price-h">What it costs</h2>
          <fieldset className="switch">
            <legend className="vh">Billing period</legend>
            <label>
              <input type="radio" name="period" id="monthly" defaultChecked onChange={() => setPeriod('monthly')} />
              Monthly
            </label>
            <label>
              <input type="radio" name="period" id="annual" ref={annual} onChange={() => setPeriod('annual')} />
              Annual <Badge tone="warn">Save {annualSavingPercent}%</Badge>
            </label>
          </fieldset>
        </div>
        <p className="lead">
          Check-ins, trusted contacts and release settings are part of every plan. Safety is not sold.
        </p>
        <div className="plans" role="radiogroup" aria-label="Plan">
          {Object.values(plans).map((plan) => (
            <PlanCard key={plan.name} plan={plan} period={period} />
          ))}
        </div>
        <p className="small quiet">
          Prices in pounds. Paid plans cannot be bought yet, so every account starts on the Free plan.
        </p>
      </div>
    </section>
  );
}

function PlanCard({ plan, period }: { plan: Plan; period: BillingPeriod }) {
  const { name, title, isMostPopular } = plan;
  const monthly = priceOf(plan, 'monthly');
  const annual = priceOf(plan, 'annual');
  const shown = period === 'monthly' ? monthly : annual;
  return (
    <div className="plan">
      <input
        type="radio"
        name="plan"
        value={name}
        defaultChecked={isMostPopular}
        aria-label={`${title}, ${shown.amount} ${shown.per}`.trim()}
      />
      <p>{isMostPopular ? <Badge tone="warn">Most Popular</Badge> : null}</p>
      <h3>{title}</h3>
      <p className="price">
        <Price className="mo" price={monthly} />
        <Price className="yr" price={annual} />
      </p>
      <SalesPoints plan={plan} />
      <p className="pick" aria-hidden="true">
        <i />
        {`Choose ${title}`}
      </p>
      <div className="picked">
        <span className="sel">
          <Icon name="check" />
          Selected
        </span>
        <ButtonLink wide href={`/subscribe?plan=${name}`} onClick={announceChoice}>
          {name === 'free' ? 'Start Free Account' : `Subscribe to ${title}`}
        </ButtonLink>
      </div>
    </div>
  );
}

function announceChoice(): void {
  toast({ title: 'Plan Selected', description: 'Redirecting to subscription page...' });
}
