import { useRef, useState } from 'react';
import { getSandboxCheckout, processPayment, type SandboxCard } from '#shared/contract/billing.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { ApiError, call } from '#web/lib/api/api.ts';
import { useLinkRead, usePressed } from '#web/lib/api/use-link-read.ts';
import { toast } from '#web/lib/toast.ts';

export type SandboxCheckout = RouteResult<typeof getSandboxCheckout>;

/** Next address of the browser. Replaceable, so that tests see the address and stay. */
export const goingOn = { to: (address: string) => window.location.assign(address) };

/** Purchase of the checkout. */
export function useSandboxCheckout(token: string) {
  return useLinkRead(getSandboxCheckout, { token });
}

/** Result of a payment without scripts; null if this page is no answer to one. */
export function usePaidBefore(): RouteResult<typeof processPayment> | null {
  const pressed = usePressed(processPayment, undefined);
  const [paid] = useState(pressed?.data ?? null);
  return paid;
}

export type Paying = { isBusy: boolean; failure: string | undefined; pay: (card: SandboxCard) => Promise<void> };

/** Presses Pay, once at a time. The plan changes when the signed event has arrived, not here. */
export function usePaying(checkout: string): Paying {
  const isTaken = useRef(false);
  const [isBusy, setBusy] = useState(false);
  const pressed = usePressed(processPayment, undefined);
  const [failure, setFailure] = useState(pressed?.error?.message);

  async function pay(card: SandboxCard): Promise<void> {
    if (isTaken.current) return;
    isTaken.current = true;
    setBusy(true);
    setFailure(undefined);
    try {
      const { redirectTo } = await call(processPayment, { body: { checkout, card } });
      goingOn.to(redirectTo);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      isTaken.current = false;
      setBusy(false);
      setFailure(error.message);
      toast({ title: 'Payment Failed', description: error.message, variant: 'destructive' });
    }
  }

  return { isBusy, failure, pay };
}
