import type { Plan } from '#shared/rules/plans.ts';
import { money } from '#web/lib/format.ts';

export type BillingPeriod = 'monthly' | 'annual';

type PriceWords = { amount: string; per: string };

/** The price as it is said: what is sold once is said so whichever period is chosen. */
export function priceOf(plan: Plan, period: BillingPeriod): PriceWords {
  if (plan.priceOncePence !== null) return { amount: money(plan.priceOncePence), per: 'once' };
  const pence = (period === 'monthly' ? plan.priceMonthlyPence : plan.priceAnnualPence) ?? 0;
  if (pence === 0) return { amount: money(0), per: '' };
  return { amount: money(pence), per: period === 'monthly' ? 'a month' : 'a year' };
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

/** What a plan holds, a line each. */
export function SalesPoints({ plan: { salesPoints } }: { plan: Plan }) {
  return (
    <ul>
      {salesPoints.map((point) => (
        <li key={point}>{point}</li>
      ))}
    </ul>
  );
}
