import { keepPreviousData } from '@tanstack/react-query';
import { listFailedMails } from '#shared/contract/operator/failed-mails.ts';
import { listReleasesUnderWay, type UnderWayStage } from '#shared/contract/operator/releases.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { retry } from './admin-data.ts';

/** A page of failed mails. The page before stays until the next one is there. */
export function useFailedMails({ search, after }: { search: string; after: string | undefined }) {
  const query = { search: search || undefined, after };
  return useRead(listFailedMails, { query, placeholderData: keepPreviousData, retry });
}

/** A page of releases in progress. The page before stays until the next one is there. */
export function useReleasesUnderWay(query: { stage: UnderWayStage; after: string | undefined }) {
  return useRead(listReleasesUnderWay, { query, placeholderData: keepPreviousData, retry });
}
