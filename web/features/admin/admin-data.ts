import { keepPreviousData, type QueryKey } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type BulkEmail, getRevenue, listAdminUsers, listBulkEmails } from '#shared/contract/admin.ts';
import { getAdminState } from '#shared/contract/admin-state.ts';
import { listComplaints } from '#shared/contract/complaints.ts';
import { listFailedMails } from '#shared/contract/operator/failed-mails.ts';
import { listReleasesUnderWay } from '#shared/contract/operator/releases.ts';
import { ApiError } from '#web/lib/api/api.ts';
import { type ReadRoute, useRead } from '#web/lib/api/reads.ts';
import { toast } from '#web/lib/toast.ts';
import type { SortChoice } from './user-list.rules.ts';

const progressEveryMs = 3_000;
const stateEveryMs = 30_000;

export type UserQuery = Pick<SortChoice, 'sort' | 'direction'> & { search: string; after: string | undefined };

/** A page of users. The page before stays until the next one is there. */
export function useUsers({ search, ...query }: UserQuery) {
  const users = useRead(listAdminUsers, {
    query: { ...query, search: search || undefined },
    placeholderData: keepPreviousData,
    retry,
  });
  useFailureToast(users.error, 'Failed to fetch users');
  return users;
}

/** The revenue, without a word where it could not be read. */
export function useQuietRevenue() {
  return useRead(getRevenue, { retry });
}

export function useRevenue() {
  const revenue = useQuietRevenue();
  useFailureToast(revenue.error, 'Failed to fetch revenue data');
  return revenue;
}

/** The last bulk emails; asked again and again while one is on its way. */
export function useBulkEmails() {
  return useRead(listBulkEmails, {
    retry,
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? progressEveryMs : false),
  });
}

/**
 * State of the service, polled while the page is visible. Reading is no activity and extends no session. After a
 * refusal, polling stops until the administrator proves their identity.
 */
export function useServiceState() {
  return useRead(getAdminState, {
    retry,
    refetchInterval: ({ state }) => (asksForProof(state.error) || state.data === null ? false : stateEveryMs),
    refetchIntervalInBackground: false,
    refetchOnMount: 'always',
    refetchOnWindowFocus: 'always',
  });
}

/** A page of complaints. The page before stays until the next one is there. */
export function useComplaints(after: string | undefined) {
  return useRead(listComplaints, { query: { after }, placeholderData: keepPreviousData, retry });
}

const panelReads: readonly ReadRoute[] = [
  listAdminUsers,
  getRevenue,
  listBulkEmails,
  getAdminState,
  listComplaints,
  listFailedMails,
  listReleasesUnderWay,
];

/** True if something that is kept was read for the panel, with whatever query. */
export function isPanelRead(key: QueryKey): boolean {
  return panelReads.some(({ path }) => path === String(key[0]).split('?')[0]);
}

export function isUnderWay({ state }: BulkEmail): boolean {
  return state === 'sending';
}

/** True if the service wants to know who is here before it answers. */
export function asksForProof(error: Error | null): boolean {
  return error instanceof ApiError && error.type === 'REAUTHENTICATION_REQUIRED';
}

/** Once, as everything that is read; but a question to the person is not answered by asking again. */
export function retry(failures: number, error: Error): boolean {
  return failures < 1 && !asksForProof(error);
}

function useFailureToast(error: Error | null, description: string): void {
  const isFailure = error !== null && !asksForProof(error);
  useEffect(() => {
    if (isFailure) toast({ title: 'Error', description, variant: 'destructive' });
  }, [isFailure, description]);
}
