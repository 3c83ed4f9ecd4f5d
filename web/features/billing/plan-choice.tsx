import { type PlanName, plans } from '#shared/rules/plans.ts';
import type { BillingCycle } from '#shared/rules/prices.ts';
import { CycleSwitch } from '#web/components/plans/cycle-switch.tsx';
import { PlanCard } from '#web/components/plans/plan-card.tsx';
import { Price, priceOf } from '#web/components/plans/plan-facts.tsx';
import { Badge } from '#web/components/ui/badge.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';

type PlanChoiceProps = {
  plan: PlanName;
  cycle: BillingCycle;
  onPlan: (plan: PlanName) => void;
  onCycle: (cycle: BillingCycle) => void;
  /** The plan of the signed-in person; null for a visitor. */
  current: PlanName | null;
};

/** The four plans as one choice, by the month or by the year. */
export function PlanChoice({ plan: chosen, cycle, onPlan, onCycle, current }: PlanChoiceProps) {
  return (
    <section aria-labelledby="plans">
      <div className="page-head">
        <h2 className="h-card" id="plans">
          Plans and prices
        </h2>
        <CycleSwitch cycle={cycle} onCycle={onCycle} />
      </div>
      <div className="plans" role="radiogroup" aria-label="Plan">
        {Object.values(plans).map((plan) => (
          <PlanCard
            key={plan.name}
            plan={plan}
            cycle={cycle}
            price={<Price price={priceOf(plan, cycle)} />}
            radio={{ checked: plan.name === chosen, onChange: () => onPlan(plan.name) }}
            badge={plan.name === current ? <Badge tone="ready">Your plan</Badge> : undefined}
          >
            {plan.name === 'free' && current === null ? (
              <ButtonLink wide href="/register">
                Start Free Account
              </ButtonLink>
            ) : null}
          </PlanCard>
        ))}
      </div>
    </section>
  );
}
