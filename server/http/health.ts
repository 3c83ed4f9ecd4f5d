import type { FastifyInstance } from 'fastify';

/** True if each thing that requests depend on is well, by name. */
export type Readiness = Record<string, { ok: boolean; detail?: string }>;

/** A slower check counts as failed, because the caller needs a prompt answer. */
const readinessTimeoutMs = 3_000;

/** An answer is given again for so long: asking often costs the database nothing, and no probe is ever refused. */
const readinessKeptMs = 1_000;

/** Addresses that machines ask again and again. */
export const probePaths: ReadonlySet<string> = new Set(['/livez', '/readyz', '/healthz', '/metrics']);

/**
 * `/livez` and `/healthz` say that this process answers, `/readyz` whether it can do its work and a balancer should send it
 * some. None says anything secret.
 */
export function registerHealth(
  app: FastifyInstance,
  readiness: () => Promise<Readiness>,
  nowMs: () => number = () => performance.now(),
): void {
  const hidden = { schema: { hide: true } };
  const askedLately = keptFor(readinessKeptMs, () => withinTime(readiness()), nowMs);

  for (const path of ['/livez', '/healthz']) {
    app.get(path, hidden, async (_request, reply) => reply.header('cache-control', 'no-store').send({ ok: true }));
  }

  app.get('/readyz', hidden, async (request, reply) => {
    const checks = await askedLately().catch((error: unknown): Readiness => {
      request.log.warn({ err: error }, 'readiness could not be told');
      return { service: { ok: false } };
    });
    const ok = Object.values(checks).every((check) => check.ok);
    return reply
      .header('cache-control', 'no-store')
      .code(ok ? 200 : 503)
      .send({ ok, checks });
  });
}

/** Recent or pending result of `ask`. */
function keptFor<T>(ms: number, ask: () => Promise<T>, nowMs: () => number): () => Promise<T> {
  let last: { atMs: number; said: Promise<T> } | undefined;
  return () => {
    const now = nowMs();
    if (!last || now - last.atMs >= ms) last = { atMs: now, said: ask() };
    return last.said;
  };
}

function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The check took too long.')), readinessTimeoutMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
