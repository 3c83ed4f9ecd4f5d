import { useQuery } from '@tanstack/react-query';
import type { TrusteeRelationship, TrusteeSummary } from '#shared/contract/trustee.ts';

const relationshipsEveryMs = 30_000;
const summaryEveryMs = 10_000;

export const relationshipsKey = '/api/trustee/relationships';

export function summaryKey(ownerUserId: string): string {
  return `/api/trustee/messages?ownerUserId=${ownerUserId}`;
}

/** How often something is asked again: only while the page is looked at, and not while something is under way. */
function polled(everyMs: number, isPolling: boolean) {
  return {
    refetchInterval: isPolling ? everyMs : (false as const),
    refetchIntervalInBackground: false,
    refetchOnMount: 'always' as const,
    refetchOnWindowFocus: isPolling ? ('always' as const) : false,
  };
}

/** Whose trustee the signed-in person is. */
export function useRelationships(isPolling: boolean) {
  return useQuery<TrusteeRelationship[] | null>({
    queryKey: [relationshipsKey],
    ...polled(relationshipsEveryMs, isPolling),
  });
}

/** How many messages an owner has, and how far a release is. The answer is a list of one. */
export function useSummary({ ownerUserId, isActive }: TrusteeRelationship, isPolling: boolean) {
  const { data, ...query } = useQuery<TrusteeSummary[] | null>({
    queryKey: [summaryKey(ownerUserId)],
    enabled: isActive,
    ...polled(summaryEveryMs, isPolling && isActive),
  });
  return { ...query, isSignedOut: data === null, summary: data?.[0] };
}
