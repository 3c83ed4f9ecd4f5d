import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation, useSearch } from 'wouter';
import { getUser } from '#shared/contract/accounts.ts';
import type { Billing } from '#shared/contract/billing.ts';
import { getPlanLimits } from '#shared/contract/dashboard.ts';
import { plans } from '#shared/rules/plans.ts';
import { keyOf } from '#web/lib/api/reads.ts';
import { sessionKey } from '#web/lib/session.ts';
import { toast } from '#web/lib/toast.ts';
import { nextChangeWords, refusedChangeWords } from './billing-words.ts';

/**
 * True if the address says that the person comes from a payment. The address is untrusted, so it decides on words
 * only.
 */
export function useIsReturned(): boolean {
  return new URLSearchParams(useSearch()).get('payment') === 'returned';
}

/**
 * Acts once no payment is pending: reports the plan, reloads all that depends on it, and clears the address, so that
 * the report appears once.
 */
export function useActivation(isReturned: boolean, billing: Billing | undefined): void {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const isSettled = isReturned && billing !== undefined && !billing.isAwaitingPayment;
  const plan = billing?.plan ?? 'free';
  // The card reports a change that begins later or was dropped.
  const toldByCard = billing && (nextChangeWords(billing) ?? refusedChangeWords(billing));
  useEffect(() => {
    if (!isSettled) return;
    navigate('/account', { replace: true });
    if (plan === 'free' || toldByCard) return;
    toast({ title: 'Subscription Activated', description: `You are on the ${plans[plan].title} plan now.` });
    for (const queryKey of [keyOf(getUser), keyOf(getPlanLimits), sessionKey]) client.invalidateQueries({ queryKey });
  }, [isSettled, plan, toldByCard, navigate, client]);
}
