import { Redirect, useSearch } from 'wouter';
import { askedPlan } from '#web/features/billing/asked-plan.rules.ts';

/** Somebody signed in looks at the plans in their account, with the one that was asked for in view. */
export function SubscribePage() {
  const asked = askedPlan(useSearch());
  return <Redirect to={asked === undefined ? '/account' : `/account?plan=${asked}`} replace />;
}
