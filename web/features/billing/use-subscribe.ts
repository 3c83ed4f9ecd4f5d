import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createSubscription, type PaymentProviderName } from '#shared/contract/billing.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { type BillingCycle, type PaidPlanName, poundsOf } from '#shared/rules/prices.ts';
import { call } from '#web/lib/api/api.ts';
import { toast } from '#web/lib/toast.ts';

export type Order = {
  plan: PaidPlanName;
  cycle: BillingCycle;
  payablePence: number;
  voucherCode: string | null;
  email: string;
  provider: PaymentProviderName | undefined;
};

type Answer = RouteResult<typeof createSubscription>;

/** Leaves the page. Replaceable, so that tests see the address and stay. */
export const leaving = { to: (address: string) => window.location.assign(address) };

/**
 * Begins to pay for a plan, and leaves to the provider where there is something to pay. A visitor stays on the page, which
 * shows them the answer, so the notice does not say it a second time.
 */
export function useSubscribe(isMember: boolean, onActivated: (answer: Answer) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: placeOrder,
    onSuccess: (answer) => {
      if (answer.paymentUrl) return leaving.to(answer.paymentUrl);
      toast({
        title: 'Subscription Activated',
        ...(isMember && answer.message ? { description: answer.message } : {}),
      });
      client.invalidateQueries();
      onActivated(answer);
    },
    onError: (error) => toast({ title: 'Subscription Error', description: error.message, variant: 'destructive' }),
  });
}

function placeOrder({ plan, cycle, payablePence, voucherCode, email, provider }: Order): Promise<Answer> {
  const finalPrice = poundsOf(payablePence);
  const body = { plan, billingCycle: cycle, voucherCode, finalPrice, email, ...(provider ? { provider } : {}) };
  return call(createSubscription, { body });
}
