import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import type { User } from '#shared/contract/accounts.ts';
import { call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { sessionKey } from '#web/lib/session.ts';
import { isPaidPlan } from './choice.ts';

/**
 * Leads an owner who chose a paid plan at registration to its purchase, when they first come to their vault. The account remembers
 * it, so another browser does not lead them there again.
 */
export function useIntendedPlan({
  plan,
  intendedPlan,
  isPlanOffered,
}: Pick<User, 'plan' | 'intendedPlan' | 'isPlanOffered'>): void {
  const [path, navigate] = useLocation();
  const client = useQueryClient();
  const isWanted = plan === 'free' && intendedPlan !== null && isPaidPlan(intendedPlan) && !isPlanOffered;
  useEffect(() => {
    if (path !== '/' || !isWanted) return;
    client.setQueryData(sessionKey, (known) => (known ? { ...known, isPlanOffered: true } : known));
    // If it fails, the account is led there once more at its next visit.
    call(light.notePlanOffered).catch(() => undefined);
    navigate(`/subscribe?plan=${intendedPlan}`, { replace: true });
  }, [path, isWanted, intendedPlan, client, navigate]);
}
