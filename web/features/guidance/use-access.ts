import { type askableFeatures, getFeatureAccess } from '#shared/contract/dashboard.ts';
import { hasFeature } from '#shared/rules/plans.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { useSession } from '#web/lib/session.ts';

/** `visitor`: signed out. `missing`: the plan lacks the feature. */
export type FeatureAccess = 'unknown' | 'visitor' | 'missing' | 'granted';

/** True if the person may use a feature. The service is asked for signed-in people only. */
export function useAccess(feature: (typeof askableFeatures)[number]): FeatureAccess {
  const { user, isLoading } = useSession();
  const answer = useRead(getFeatureAccess, { params: { feature }, enabled: user !== null });
  if (user === null) return isLoading ? 'unknown' : 'visitor';
  // Without an answer the known plan decides here; the service has the last word.
  if (answer.isError) return hasFeature(user.plan, feature) ? 'granted' : 'missing';
  if (answer.data === undefined) return 'unknown';
  return answer.data?.hasAccess ? 'granted' : 'missing';
}
