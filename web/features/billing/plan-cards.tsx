import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { type Plan, type PlanName, planNames, plans } from '#shared/rules/plans.ts';
import { Price, priceOf, SalesPoints } from '#web/components/plans/plan-facts.tsx';
import { Badge } from '#web/components/ui/badge.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { toast } from '#web/lib/toast.ts';

/** Time that the notice stays before the page changes. */
const upgradeDelayMs = 500;

type PlanCardsProps = {
  current: PlanName;
  /** The plan that the person came to look at; its card takes the focus, and so comes into view. */
  asked: PlanName | undefined;
};

/** The four plans side by side, to compare. The one that the person has is marked, and a larger one leads to its purchase. */
export function PlanCards({ current, asked }: PlanCardsProps) {
  const askedCard = useRef<HTMLElement>(null);
  useEffect(() => {
    if (asked !== undefined) askedCard.current?.focus();
  }, [asked]);
  const upgrade = useUpgrade();
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
            <PlanFacts plan={plan} isCurrent={plan.name === current} isSmaller={isSmaller(plan.name, current)} />
            <PlanButton plan={plan} current={current} onUpgrade={upgrade} />
          </article>
        ))}
      </div>
    </section>
  );
}

/** Says where the person is taken, and takes them there a moment later. */
function useUpgrade(): (plan: PlanName) => void {
  const [, navigate] = useLocation();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (plan) => {
    toast({ title: 'Upgrade Plan', description: 'Redirecting to subscription page...' });
    clearTimeout(timer.current);
    timer.current = setTimeout(() => navigate(`/subscribe?plan=${plan}`), upgradeDelayMs);
  };
}

type PlanButtonProps = { plan: Plan; current: PlanName; onUpgrade: (plan: PlanName) => void };

/** A larger plan can be bought. A smaller one comes by cancelling, so its button cannot be pressed. */
function PlanButton({ plan: { name, title }, current, onUpgrade }: PlanButtonProps) {
  if (name === current) return null;
  if (name === 'free' || isSmaller(name, current)) {
    return (
      <Button className="plan-act" variant="secondary" wide disabled>
        Downgrade
      </Button>
    );
  }
  return (
    <Button className="plan-act" variant="secondary" wide onClick={() => onUpgrade(name)}>
      Upgrade to {title}
    </Button>
  );
}

function isSmaller(plan: PlanName, current: PlanName): boolean {
  return planNames.indexOf(plan) < planNames.indexOf(current);
}

type PlanFactsProps = { plan: Plan; isCurrent: boolean; isSmaller: boolean };

/** The recommended plan is larger than the present one. */
function PlanFacts({ plan, isCurrent, isSmaller: isLess }: PlanFactsProps) {
  return (
    <>
      <p>
        {isCurrent ? <Badge tone="ready">Your plan</Badge> : null}
        {plan.isMostPopular && !isCurrent && !isLess ? <Badge tone="warn">Most Popular</Badge> : null}
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
