import { type askableFeatures, getFeatureAccess } from '#shared/contract/dashboard.ts';
import { hasFeature } from '#shared/rules/plans.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { useSession } from '#web/lib/session.ts';

/** `visitor` for somebody signed out, `missing` where the plan lacks it. */
export type FeatureAccess = 'unknown' | 'visitor' | 'missing' | 'granted';

/** True if the person may use a feature. The service is asked only for somebody signed in. */
export function useAccess(feature: (typeof askableFeatures)[number]): FeatureAccess {
  const { user, isLoading } = useSession();
  const answer = useRead(getFeatureAccess, { params: { feature }, enabled: user !== null });
  if (user === null) return isLoading ? 'unknown' : 'visitor';
  // Without an answer, what is known of the plan must do; the service decides in the end.
  if (answer.isError) return hasFeature(user.plan, feature) ? 'granted' : 'missing';
  if (answer.data === undefined) return 'unknown';
  return answer.data?.hasAccess ? 'granted' : 'missing';
}
