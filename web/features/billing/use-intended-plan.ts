import { useEffect } from 'react';
import { useLocation } from 'wouter';
import type { User } from '#shared/contract/accounts.ts';
import { isPaidPlan } from './choice.ts';

/** Holds the id of whoever was led to their plan on this device. */
const offeredKey = 'plan-offered';

/** Leads somebody who chose a paid plan when they joined to its purchase, once, when they first come to their vault. */
export function useIntendedPlan({ id, plan, intendedPlan }: Pick<User, 'id' | 'plan' | 'intendedPlan'>): void {
  const [path, navigate] = useLocation();
  const isWanted = plan === 'free' && intendedPlan !== null && isPaidPlan(intendedPlan);
  useEffect(() => {
    if (path !== '/' || !isWanted || wasOffered(id)) return;
    rememberOffer(id);
    navigate(`/subscribe?plan=${intendedPlan}`, { replace: true });
  }, [path, isWanted, id, intendedPlan, navigate]);
}

function wasOffered(userId: string): boolean {
  try {
    return localStorage.getItem(offeredKey) === userId;
  } catch {
    // Where nothing can be remembered, nobody is led anywhere again and again.
    return true;
  }
}

function rememberOffer(userId: string): void {
  try {
    localStorage.setItem(offeredKey, userId);
  } catch {
    // Storage is full; the plan may be offered once more.
  }
}
