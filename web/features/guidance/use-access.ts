import { type askableFeatures, getFeatureAccess } from '#shared/contract/dashboard.ts';
import { hasFeature } from '#shared/rules/plans.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { useSession } from '#web/lib/session.ts';

/** `visitor`: signed out. `missing`: the plan lacks the feature. */
export type FeatureAccess = 'unknown' | 'visitor' | 'missing' | 'granted';

/** Access of this person to a feature. The service is asked only for signed-in people. */
export function useAccess(feature: (typeof askableFeatures)[number]): FeatureAccess {
  const { user, isLoading } = useSession();
  const answer = useRead(getFeatureAccess, { params: { feature }, enabled: user !== null });
  if (user === null) return isLoading ? 'unknown' : 'visitor';
  // If the call fails, the plan in the session decides for this page. The service checks each request again.
  if (answer.isError) return hasFeature(user.plan, feature) ? 'granted' : 'missing';
  if (answer.data === undefined) return 'unknown';
  return answer.data?.hasAccess ? 'granted' : 'missing';
}
