import type { FieldValues, Resolver } from 'react-hook-form';
import { fetchQuietly } from '#web/lib/loading/not-fetched.ts';

/** Nobody waits longer for what the service does as well. */
const waitMsMax = 3_000;

/**
 * Checks a form by rules that are fetched when it is used, on a page that must not wait for the schemas of the contract. Where
 * they can't be had the form goes as it was typed: the service checks it in any case, and says what is wrong. `fetch` is called when somebody
 * reaches the form, so that the rules are there at the press.
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
