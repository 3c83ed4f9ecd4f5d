import {
  getTrusteeMessages,
  listTrusteeRelationships,
  type TrusteeRelationship,
} from '#shared/contract/release/trustee.ts';
import { keyOf, useRead } from '#web/lib/api/reads.ts';

const relationshipsEveryMs = 30_000;
const summaryEveryMs = 10_000;

export const relationshipsKey = keyOf(listTrusteeRelationships);

export function summaryKey(ownerUserId: string) {
  return keyOf(getTrusteeMessages, { query: { ownerUserId } });
}

/** Poll interval: only while the page is visible, and not during an action. */
function polled(everyMs: number, isPolling: boolean) {
  return {
    refetchInterval: isPolling ? everyMs : (false as const),
    refetchIntervalInBackground: false,
    refetchOnMount: 'always' as const,
    refetchOnWindowFocus: isPolling ? ('always' as const) : false,
  };
}

/** Owners whose trustee the signed-in person is. */
export function useRelationships(isPolling: boolean) {
  return useRead(listTrusteeRelationships, polled(relationshipsEveryMs, isPolling));
}

/** Number of messages an owner has, and how far a release is. The answer is a list of one. */
export function useSummary({ ownerUserId, isActive }: TrusteeRelationship, isPolling: boolean) {
  const { data, ...query } = useRead(getTrusteeMessages, {
    query: { ownerUserId },
    enabled: isActive,
    ...polled(summaryEveryMs, isPolling && isActive),
  });
  return { ...query, isSignedOut: data === null, summary: data?.[0] };
}
