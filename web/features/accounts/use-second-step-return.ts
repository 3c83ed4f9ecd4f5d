import { useEffect, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { SecondFactor } from '#shared/contract/accounts.ts';
import { askedQuestion } from '#shared/rules/letters/writing-questions.ts';
import { call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';

/**
 * Goes on with a sign-in that an identity provider has sent back here to end with a second factor
 * (`?step=second-factor`). The mark is taken out of the address, so that a reload begins anew; the question of a mail stays.
 */
export function useSecondStepReturn(
  onFactors: (factors: SecondFactor[]) => Promise<void>,
): 'asking' | 'too-late' | null {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const isReturn = new URLSearchParams(search).get('step') === 'second-factor';
  const [outcome, setOutcome] = useState<'asking' | 'too-late' | null>(isReturn ? 'asking' : null);
  const tell = useRef(onFactors);
  tell.current = onFactors;
  useEffect(() => {
    if (!isReturn) return;
    const asked = askedQuestion(search);
    navigate(asked === null ? path : `${path}?question=${asked}`, { replace: true });
    call(light.getSecondStep).then(
      async ({ secondFactor }) => {
        if (secondFactor.length > 0) await tell.current(secondFactor);
        setOutcome(secondFactor.length > 0 ? null : 'too-late');
      },
      () => setOutcome('too-late'),
    );
  }, [isReturn, navigate, path, search]);
  return outcome;
}
