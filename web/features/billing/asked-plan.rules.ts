import { type PlanName, planNames } from '#shared/rules/plans.ts';

/** The plan that an address asks for with `?plan=`. Undefined where it names none, or one that does not exist. */
export function askedPlan(search: string): PlanName | undefined {
  const asked = new URLSearchParams(search).get('plan');
  return planNames.find((name) => name === asked);
}
