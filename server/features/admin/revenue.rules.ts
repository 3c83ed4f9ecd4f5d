const monthsPerYear = 12;

/** What active subscriptions bring in a month, in pence: the monthly ones, and a twelfth of the annual ones. What was bought once brings nothing more. */
export function monthlyPence(sums: readonly { term: string; pence: number }[]): number {
  const of = (wanted: string) => sums.find(({ term }) => term === wanted)?.pence ?? 0;
  return Math.round(of('monthly') + of('annual') / monthsPerYear);
}

/** What an account that ever paid has brought, in pence. */
export function averagePence({ payers, keptPence }: { payers: number; keptPence: number }): number {
  return payers === 0 ? 0 : Math.round(keptPence / payers);
}
