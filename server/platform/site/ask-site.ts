import { z } from 'zod';

const healthPath = '/healthz';
const healthSchema = z.object({ ok: z.literal(true) });
/** Longer than any answer of ours. */
const answerBytesMax = 1_000;

/**
 * Asks the site at its public address whether it is there, as a visitor's browser would reach it: through DNS, certificate
 * and proxy. Gives null where it is, else why not: the status of the answer, or the code of what failed on the way.
 */
export async function askSite(baseUrl: string, { timeoutMs }: { timeoutMs: number }): Promise<string | null> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const headers = { accept: 'application/json', 'user-agent': 'everkept-worker' };
    const answer = await fetch(new URL(healthPath, baseUrl), { redirect: 'manual', headers, signal });
    if (answer.status !== 200) {
      await answer.body?.cancel();
      return `status ${answer.status}`;
    }
    return (await isOurs(answer)) ? null : 'another page answers';
  } catch (error) {
    return reasonOf(error);
  }
}

/** A parked name or a page of the proxy answers with 200 too. */
async function isOurs(answer: Response): Promise<boolean> {
  let text = '';
  for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.length > answerBytesMax) return false;
  }
  try {
    return healthSchema.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

/** The code of the network, such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`; never a message, which may repeat an address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  if (error.name === 'TimeoutError') return 'no answer in time';
  const { cause } = error;
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0]);
  if (cause instanceof Error) return reasonOf(cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : 'no answer';
}
