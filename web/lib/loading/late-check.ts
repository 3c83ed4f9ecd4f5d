import type { FieldValues, Resolver } from 'react-hook-form';
import { fetchQuietly } from '#web/lib/loading/not-fetched.ts';

/** Longest wait for a check that the service makes as well. */
const waitMsMax = 3_000;

/**
 * Checks a form by rules that load on first use, for a page that must not wait for the contract's schemas. If the
 * rules can't load, the form is sent unchecked: the service checks it anyway. `fetch` is called when a person reaches
 * the form, so that the rules are there at the press.
 */
export function lateCheck<Values extends FieldValues, Answers>(
  fetchCheck: () => Promise<Resolver<Values, unknown, Answers>>,
): { resolver: Resolver<Values, unknown, Answers>; fetch: () => void } {
  const checkOrNull = () => Promise.race([fetchCheck().catch(() => null), late()]);
  return {
    resolver: async (...typed) => {
      const check = await checkOrNull();
      return check ? check(...typed) : { values: typed[0] as unknown as Answers, errors: {} };
    },
    fetch: () => fetchQuietly(fetchCheck),
  };
}

function late(): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, waitMsMax, null));
}
