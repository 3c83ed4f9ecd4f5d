import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { notFound } from '#shared/contract/errors.ts';
import { isFromThisMachine } from './this-machine.ts';

/** Measurements of the installation, read on request. Labels are our own words, never a person's. */
export type Reading = { name: string; help: string; values: { labels?: Record<string, string>; value: number }[] };

export type MetricsOptions = {
  /** Lets a collector elsewhere in; without it only this machine is answered. */
  token: string | undefined;
  /** True if others than this machine may ask: then the token alone counts. */
  isPublic: boolean;
  read: () => Promise<Reading[]>;
};

const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Adds `/metrics` in Prometheus' text format, and returns its registry. Unauthorised callers get the answer for an
 * unknown path.
 */
export function registerMetrics(app: FastifyInstance, { token, isPublic, read }: MetricsOptions): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'everkept_' });
  const names = ['method', 'route', 'status'] as const;
  const requests = new Counter({
    name: 'everkept_http_requests_total',
    help: 'Requests that were answered, by the pattern of their route',
    labelNames: names,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'everkept_http_request_duration_seconds',
    help: 'From the first byte of a request to the last of its answer',
    labelNames: ['method', 'route'],
    buckets: secondsBuckets,
    registers: [registry],
  });
  const gauges = new Map<string, Gauge>();

  app.addHook('onResponse', async (request, reply) => {
    // The pattern, never the address, which may be a person's link. All unknown paths share one label.
    const route = request.routeOptions.url ?? 'unknown';
    const { method } = request;
    requests.inc({ method, route, status: String(reply.statusCode) });
    seconds.observe({ method, route }, reply.elapsedTime / 1_000);
  });

  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    const isLocal = !isPublic && isFromThisMachine(request);
    if (!isLocal && !holdsToken(request, token)) throw notFound();
    for (const { name, help, values } of await read()) {
      const gauge = gauges.get(name) ?? newGauge(registry, { name, help, values });
      gauges.set(name, gauge);
      gauge.reset();
      for (const { labels = {}, value } of values) gauge.set(labels, value);
    }
    return reply
      .header('cache-control', 'no-store')
      .type(registry.contentType)
      .send(await registry.metrics());
  });
  return registry;
}

function newGauge(registry: Registry, { name, help, values }: Reading): Gauge {
  const labelNames = [...new Set(values.flatMap(({ labels = {} }) => Object.keys(labels)))];
  return new Gauge({ name, help, labelNames, registers: [registry] });
}

/** `Authorization: Bearer …` (RFC 6750), compared in constant time. */
function holdsToken({ headers }: FastifyRequest, token: string | undefined): boolean {
  const [, given] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? [];
  if (token === undefined || given === undefined) return false;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
