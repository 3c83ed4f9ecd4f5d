import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/** Time for a whole answer. */
const answerMs = 10_000;
/** A host that did not answer is left alone for this time, so that it can't occupy the lanes that mails leave by. */
const restMs = 60_000;
/** Hosts that are remembered as silent at most. */
const silentMax = 1_000;

export type Posting = {
  url: string;
  headers: Record<string, string | number>;
  body: Buffer | string;
};

/** Outcome of a message that was posted. */
export type Posted =
  | { outcome: 'accepted'; providerId: null }
  | { outcome: 'temporary' | 'refused'; replyCode: number | null };

export const isAcceptance = (status: number | null) => status !== null && status >= 200 && status < 300;

type Agent = NonNullable<Parameters<typeof requestHttps>[1]['agent']>;

/**
 * Posts to addresses outside, and returns the status. Null if there was no answer within 10 seconds. It follows no
 * redirect, and reads nothing else of an answer.
 */
export function createPoster({ agent, nowMs = () => performance.now() }: { agent?: Agent; nowMs?: () => number } = {}) {
  const silentUntil = new Map<string, number>();

  return async ({ url, headers, body }: Posting): Promise<number | null> => {
    const { host } = new URL(url);
    if ((silentUntil.get(host) ?? 0) > nowMs()) return null;
    silentUntil.delete(host);
    try {
      return await statusOf({ url, headers, body, agent });
    } catch {
      for (const [silent, untilMs] of silentUntil) if (untilMs <= nowMs()) silentUntil.delete(silent);
      if (silentUntil.size < silentMax) silentUntil.set(host, nowMs() + restMs);
      return null;
    }
  };
}

function statusOf({ url, headers, body, agent }: Posting & { agent: Agent | undefined }): Promise<number> {
  const isEncrypted = url.startsWith('https:');
  const open = isEncrypted ? requestHttps : requestHttp;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const call = open(
    url,
    {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      signal: AbortSignal.timeout(answerMs),
      ...(isEncrypted && agent && { agent }),
    },
    (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    },
  );
  call.on('error', reject);
  call.end(body);
  return promise;
}
