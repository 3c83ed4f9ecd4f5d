import { describe, expect, it } from 'vitest';
import {
  annualSavingPercent,
  bytesPerMegabyte,
  canStore,
  type PlanName,
  planNames,
  plans,
} from '#shared/rules/plans.ts';

const monthsPerYear = 12;

describe('the storage of a plan', () => {
  it.each<[PlanName, number]>([
    ['free', 1],
    ['essential', 500],
    ['premium', 5_000],
    ['lifetime', 10_000],
  ])('%s holds %d MB, and not a byte more', (plan, megabytes) => {
    expect(plans[plan].storageLimitMb).toBe(megabytes);
    expect(canStore(plan, megabytes * bytesPerMegabyte - 1, 1)).toBe(true);
    expect(canStore(plan, megabytes * bytesPerMegabyte, 1)).toBe(false);
  });

  it('is what its sales text says', () => {
    for (const plan of planNames) {
      const { storageLimitMb, salesPoints } = plans[plan];
      const said = storageLimitMb >= 1_000 ? `${storageLimitMb / 1_000} GB` : `${storageLimitMb} MB`;
      expect(salesPoints).toContain(`${said} of storage`);
    }
  });
});

describe('paying by the year', () => {
  it('saves 15 percent, and every price keeps that', () => {
    expect(annualSavingPercent).toBe(15);
    const paid = Object.values(plans).flatMap(({ priceMonthlyPence, priceAnnualPence }) =>
      priceMonthlyPence && priceAnnualPence ? [1 - priceAnnualPence / (priceMonthlyPence * monthsPerYear)] : [],
    );
    expect(paid).toHaveLength(2);
    for (const saving of paid) expect(saving * 100).toBeGreaterThanOrEqual(annualSavingPercent);
  });
});
