import type { Plan } from '#shared/rules/plans.ts';
import type { BillingCycle } from '#shared/rules/prices.ts';
import { money } from '#web/lib/format.ts';

type PriceWords = { amount: string; per: string };

/** Price in words. A plan that is sold once says so for every cycle. */
export function priceOf(plan: Plan, cycle: BillingCycle): PriceWords {
  if (plan.priceOncePence !== null) return { amount: money(plan.priceOncePence), per: 'once' };
  const pence = (cycle === 'monthly' ? plan.priceMonthlyPence : plan.priceAnnualPence) ?? 0;
  if (pence === 0) return { amount: money(0), per: '' };
  return { amount: money(pence), per: cycle === 'monthly' ? 'a month' : 'a year' };
}

type PriceProps = { className?: string; price: PriceWords };

export function Price({ className, price: { amount, per } }: PriceProps) {
  return (
    <span className={className}>
      {`${amount} `}
      <span className="per">{per}</span>
    </span>
  );
}

/** Content of a plan, one line each. */
export function SalesPoints({ plan: { salesPoints } }: { plan: Plan }) {
  return (
    <ul>
      {salesPoints.map((point) => (
        <li key={point}>{point}</li>
      ))}
    </ul>
  );
}
