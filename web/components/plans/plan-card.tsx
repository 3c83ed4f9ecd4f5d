import type { ComponentProps, ReactNode } from 'react';
import type { Plan } from '#shared/rules/plans.ts';
import type { BillingCycle } from '#shared/rules/prices.ts';
import { priceOf, SalesPoints } from '#web/components/plans/plan-facts.tsx';
import { Badge } from '#web/components/ui/badge.tsx';
import { Icon } from '#web/components/ui/icon.tsx';

type PlanCardProps = {
  plan: Plan;
  /** Names the price of the card for a screen reader. */
  cycle: BillingCycle;
  price: ReactNode;
  /** Group membership of the card: `defaultChecked`, or `checked` and `onChange`. */
  radio: Pick<ComponentProps<'input'>, 'defaultChecked' | 'checked' | 'onChange'>;
  badge?: ReactNode;
  /** Content below the word "Selected" of a chosen card. */
  children?: ReactNode;
};

/** A plan to choose: the whole card is the choice. */
export function PlanCard({ plan, cycle, price, radio, badge, children }: PlanCardProps) {
  const { name, title, isMostPopular } = plan;
  const { amount, per } = priceOf(plan, cycle);
  return (
    <div className="plan">
      <input type="radio" name="plan" value={name} {...radio} aria-label={`${title}, ${amount} ${per}`.trim()} />
      <p>{badge ?? (isMostPopular ? <Badge tone="warn">Most Popular</Badge> : null)}</p>
      <h3>{title}</h3>
      <p className="price">{price}</p>
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
        {children}
      </div>
    </div>
  );
}
