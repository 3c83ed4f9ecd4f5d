import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import {
  type AdminUser,
  type BulkEmail,
  getRevenue,
  listAdminUsers,
  listBulkEmails,
  type Revenue,
} from '#shared/contract/admin.ts';
import { pathOf } from '#web/lib/api.ts';
import { toast } from '#web/lib/toast.ts';
import type { SortChoice } from './user-list.rules.ts';

const progressEveryMs = 3_000;

export type UserQuery = Pick<SortChoice, 'sort' | 'direction'> & { search: string; after: string | undefined };

/** A page of users. The page before stays until the next one is there. */
export function useUsers({ search, ...query }: UserQuery) {
  const key = pathOf(listAdminUsers.path, {}, { ...query, search: search || undefined });
  const users = useQuery<AdminUser[] | null>({ queryKey: [key], placeholderData: keepPreviousData });
  useFailureToast(users.isError, 'Failed to fetch users');
  return users;
}

export function useRevenue() {
  const revenue = useQuery<Revenue | null>({ queryKey: [getRevenue.path] });
  useFailureToast(revenue.isError, 'Failed to fetch revenue data');
  return revenue;
}

/** The last bulk emails; asked again and again while one is on its way. */
export function useBulkEmails() {
  return useQuery<BulkEmail[] | null>({
    queryKey: [listBulkEmails.path],
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? progressEveryMs : false),
  });
}

export function isUnderWay({ state }: BulkEmail): boolean {
  return state === 'sending';
}

function useFailureToast(isError: boolean, description: string): void {
  useEffect(() => {
    if (isError) toast({ title: 'Error', description, variant: 'destructive' });
  }, [isError, description]);
}
