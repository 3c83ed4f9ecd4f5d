import { useEffect, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { SecondFactor } from '#shared/contract/accounts.ts';
import { askedQuestion } from '#shared/rules/letters/writing-questions.ts';
import { call } from '#web/lib/api/api.ts';
import { light } from '#web/lib/api/light-routes.ts';

/**
 * Goes on with a sign-in that an identity provider has sent back here to end with a second factor
 * (`?step=second-factor`). The mark is taken out of the address once the step is shown, so that a reload begins
 * again; the question of a mail stays. `onFactors` gives whether it was.
 */
export function useSecondStepReturn(
  onFactors: (factors: SecondFactor[]) => Promise<boolean>,
): 'asking' | 'too-late' | null {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const isReturn = new URLSearchParams(search).get('step') === 'second-factor';
  const [outcome, setOutcome] = useState<'asking' | 'too-late' | null>(isReturn ? 'asking' : null);
  const tell = useRef(onFactors);
  tell.current = onFactors;
  useEffect(() => {
    if (!isReturn) return;
    const end = (reached: 'too-late' | null) => {
      const asked = askedQuestion(search);
      navigate(asked === null ? path : `${path}?question=${asked}`, { replace: true });
      setOutcome(reached);
    };
    call(light.getSecondStep).then(
      async ({ secondFactor }) => {
        if (secondFactor.length === 0) end('too-late');
        // If the step can't be shown the mark stays, and a reload tries again.
        else if (await tell.current(secondFactor)) end(null);
      },
      () => end('too-late'),
    );
  }, [isReturn, navigate, path, search]);
  return outcome;
}
