const monthsPerYear = 12;

/**
 * Monthly income of the active subscriptions in pence: the monthly prices, and a twelfth of the annual ones. One-off
 * purchases add nothing.
 */
export function monthlyPence(sums: readonly { term: string; pence: number }[]): number {
  const of = (wanted: string) => sums.find(({ term }) => term === wanted)?.pence ?? 0;
  return Math.round(of('monthly') + of('annual') / monthsPerYear);
}

/** Average income of an account that ever paid, in pence. */
export function averagePence({ payers, keptPence }: { payers: number; keptPence: number }): number {
  return payers === 0 ? 0 : Math.round(keptPence / payers);
}
