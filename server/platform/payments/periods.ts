export type Term = 'monthly' | 'annual' | 'once';

const monthsOf = { monthly: 1, annual: 12 } as const;

/**
 * End of the subscription period that contains `at`: the same day of a later month, or the last day of a shorter one.
 * Always counted from `start`, so that the 31st comes back after February. In UTC.
 */
export function periodEndAfter(start: Date, term: 'monthly' | 'annual', at: Date): Date {
  const elapsed = (at.getUTCFullYear() - start.getUTCFullYear()) * 12 + at.getUTCMonth() - start.getUTCMonth();
  let periods = Math.max(1, Math.floor(elapsed / monthsOf[term]));
  while (addMonths(start, periods * monthsOf[term]) <= at) periods += 1;
  return addMonths(start, periods * monthsOf[term]);
}

function addMonths(start: Date, months: number): Date {
  const moved = new Date(start);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(start.getUTCDate(), lastDay));
  return moved;
}
