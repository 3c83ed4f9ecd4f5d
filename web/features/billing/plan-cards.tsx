import { useEffect, useRef } from 'react';
import { type Plan, type PlanName, plans } from '#shared/rules/plans.ts';
import { Price, priceOf, SalesPoints } from '#web/components/landing/plan-facts.tsx';
import { Badge } from '#web/components/ui/badge.tsx';

type PlanCardsProps = {
  current: PlanName;
  /** The plan that the person came to look at; its card takes the focus, and so comes into view. */
  asked: PlanName | undefined;
};

/** The four plans side by side, to compare. The one that the person has is marked. */
export function PlanCards({ current, asked }: PlanCardsProps) {
  const askedCard = useRef<HTMLElement>(null);
  useEffect(() => {
    if (asked !== undefined) askedCard.current?.focus();
  }, [asked]);
  return (
    <section aria-labelledby="all-plans">
      <h2 className="h-card" id="all-plans">
        Compare the plans
      </h2>
      <div className="plans account-plans">
        {Object.values(plans).map((plan) => (
          <article
            key={plan.name}
            className={plan.name === current ? 'plan plan-has' : 'plan'}
            aria-labelledby={`plan-${plan.name}`}
            aria-current={plan.name === current ? 'true' : undefined}
            tabIndex={-1}
            ref={plan.name === asked ? askedCard : undefined}
          >
            <PlanFacts plan={plan} isCurrent={plan.name === current} />
          </article>
        ))}
      </div>
    </section>
  );
}

function PlanFacts({ plan, isCurrent }: { plan: Plan; isCurrent: boolean }) {
  return (
    <>
      <p>
        {isCurrent ? <Badge tone="ready">Your plan</Badge> : null}
        {plan.isMostPopular && !isCurrent ? <Badge tone="warn">Most Popular</Badge> : null}
      </p>
      <h3 id={`plan-${plan.name}`}>{plan.title}</h3>
      <div className="plan-cost">
        <p className="price">
          <Price price={priceOf(plan, 'monthly')} />
        </p>
        {plan.priceAnnualPence ? <p className="quiet">or {annualWords(plan)}</p> : null}
      </div>
      <SalesPoints plan={plan} />
    </>
  );
}

function annualWords(plan: Plan): string {
  const { amount, per } = priceOf(plan, 'annual');
  return `${amount} ${per}`;
}
