import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { addressBucket } from './rate-limits.rules.ts';

/** Makes values that only a holder of the master key can make. */
export type Derive = ServiceKeys['derive'];

/** Address that `everkept doctor` calls. For all others it does not exist. */
export const doctorPath = '/api/doctor';
export const doctorHeader = 'everkept-doctor';

const minuteMs = 60_000;
/** A question counts in its minute and in those beside it: the clocks of two machines differ. */
const minutesBeside = 1;
const nonceBytes = 16;
/** Bytes of a body that are read before the answer. A longer body is answered by its announced length. */
const bodyBytesRead = 4_000_000;

const answerSchema = z.object({
  /** `X-Forwarded-For` with the client's address: trusted, present but untrusted, or absent. */
  forwarding: z.enum(['believed', 'untrusted', 'absent']),
  /** Number of addresses `X-Forwarded-For` named. */
  hops: z.number(),
  /** A digest of the address, or network, that limits are counted by. */
  seen: z.string(),
  /** True if `Host` named the public address. */
  isOwnHost: z.boolean(),
});

/** Arrival of a doctor's request, as seen here. */
export type Arrival = z.infer<typeof answerSchema>;

const signedAnswerSchema = answerSchema.extend({ proof: z.string() });

/** A question: what to send as `everkept-doctor`, and the nonce that its answer is bound to. */
export function askAsDoctor(derive: Derive, nowMs: number): { nonce: string; header: string } {
  const nonce = randomBytes(nonceBytes).toString('base64url');
  const minute = Math.floor(nowMs / minuteMs);
  return { nonce, header: `${minute}.${nonce}.${questionProof(derive, minute, nonce)}` };
}

/** Content of an answer; null if its sender has no master key. */
export function readArrival(derive: Derive, nonce: string, body: unknown): Arrival | null {
  const read = signedAnswerSchema.safeParse(body);
  if (!read.success) return null;
  const { proof, ...arrival } = read.data;
  return isSame(proof, answerProof(derive, nonce, arrival)) ? arrival : null;
}

/** The digest of an address in the answer to one question; of another question it is another. */
export function addressDigest(derive: Derive, nonce: string, address: string): string {
  return derive('doctor-address', JSON.stringify([nonce, addressBucket(address)]));
}

/**
 * Answers `everkept doctor`, which proves with a derived value that it holds the master key. Not a route: a request
 * without proof continues as any unknown path, and looks like one.
 */
export function answerDoctor(app: FastifyInstance, derive: Derive, nowMs: () => number = Date.now): void {
  app.addHook('onRequest', async (request, reply) => {
    const asked = request.headers[doctorHeader];
    if (typeof asked !== 'string' || !request.is404 || request.url !== doctorPath) return;
    const nonce = provenNonce(derive, asked, nowMs());
    if (nonce === null) return;
    await readSmallBody(request);
    const arrival = arrivalOf(request, derive, nonce);
    return reply
      .header('cache-control', 'no-store')
      .send({ ...arrival, proof: answerProof(derive, nonce, arrival) } satisfies z.infer<typeof signedAnswerSchema>);
  });
}

/** An answer before the end of a body ends the connection, and some proxies lose it then. */
async function readSmallBody({ raw, headers }: FastifyRequest): Promise<void> {
  if (Number(headers['content-length'] ?? 0) > bodyBytesRead) return;
  raw.resume();
  if (!raw.readableEnded) await once(raw, 'end');
}

function provenNonce(derive: Derive, asked: string, nowMs: number): string | null {
  const [, minuteText = '', nonce = '', proof = ''] = /^(\d{1,12})\.([\w-]{22})\.([\w-]{43})$/.exec(asked) ?? [];
  const minute = Number(minuteText);
  if (Math.abs(Math.floor(nowMs / minuteMs) - minute) > minutesBeside) return null;
  return isSame(proof, questionProof(derive, minute, nonce)) ? nonce : null;
}

function arrivalOf(request: FastifyRequest, derive: Derive, nonce: string): Arrival {
  const told = [request.headers['x-forwarded-for']].flat().filter((text) => text !== undefined);
  // The connection's own address comes first; another one follows only where that one is trusted.
  const isBelieved = (request.ips?.length ?? 0) > 1;
  return {
    forwarding: told.length === 0 ? 'absent' : isBelieved ? 'believed' : 'untrusted',
    hops: told.join(',').split(',').filter(Boolean).length,
    seen: addressDigest(derive, nonce, request.ip),
    isOwnHost: request.headers.host?.toLowerCase() === request.server.http.baseUrl.host,
  };
}

function questionProof(derive: Derive, minute: number, nonce: string): string {
  return derive('doctor-question', JSON.stringify([minute, nonce]));
}

function answerProof(derive: Derive, nonce: string, { forwarding, hops, seen, isOwnHost }: Arrival): string {
  return derive('doctor-answer', JSON.stringify([nonce, forwarding, hops, seen, isOwnHost]));
}

function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
