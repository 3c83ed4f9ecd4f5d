import { bad, type Finding } from '#server/features/service-health/findings.rules.ts';

/** Time limit of one check. With a longer one, the operator would think that the command hangs. */
const doorMs = 10_000;

/** An external service did not answer in time. */
class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

/**
 * Runs a check and returns its findings. Errors and timeouts become findings too, without the error's message, which
 * may contain a secret. `limitMs` is null for checks with limits of their own.
 */
export async function tried(
  what: string,
  mend: string,
  look: () => Promise<Finding | Finding[]>,
  limitMs: number | null = doorMs,
): Promise<Finding[]> {
  try {
    return [await (limitMs === null ? look() : withinTime(look(), limitMs))].flat();
  } catch (error) {
    const known = sayings[codeOf(error) ?? ''];
    if (known) return [bad(what, known.found, known.mend)];
    return [bad(what, reasonOf(error, limitMs), mend)];
  }
}

/** PostgreSQL errors for which the usual advice would mislead an operator (its manual, appendix A). */
const sayings: Readonly<Record<string, { found: string; mend: string }>> = {
  '53300': {
    found: 'PostgreSQL is running, and accepts no more connections (53300).',
    mend: 'Raise max_connections or the limit of the user or database, set DATABASE_POOL_SIZE lower, or put PgBouncer in front. Then everything continues automatically.',
  },
};

async function withinTime<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  // A result that comes after the limit is ignored.
  work.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new SilenceError()), ms);
  });
  return Promise.race([work, silence]).finally(() => clearTimeout(timer));
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Describes an error by its code or name, because messages of drivers repeat addresses with passwords. */
function reasonOf(error: unknown, limitMs: number | null): string {
  if (error instanceof SilenceError) return `Nothing came back within ${Number(limitMs) / 1_000} seconds.`;
  if (!(error instanceof Error)) return 'It failed.';
  const code = codeOf(error);
  return code === null ? `It failed (${error.name}).` : `It failed with ${code}.`;
}
