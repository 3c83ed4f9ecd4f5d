import fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { type Readiness, registerHealth } from './http/health.ts';
import { loggerOptions } from './http/logging.ts';
import { type MetricsOptions, registerMetrics } from './http/metrics.ts';
import { handleUnknown } from './http/not-found.ts';

type Options = {
  logLevel: string;
  readiness: () => Promise<Readiness>;
  metrics: MetricsOptions;
};

/** Answers of a worker that serves no site: if it lives, if it does its work, and its figures. */
export async function buildWorkerApp({ logLevel, readiness, metrics }: Options): Promise<FastifyInstance> {
  const app = fastify({
    logger: loggerOptions({ level: logLevel }),
    logController: new LogController({ disableRequestLogging: true }),
  });
  handleUnknown(app);
  registerHealth(app, readiness);
  registerMetrics(app, metrics);
  await app.ready();
  return app;
}

/**
 * Listens if the port is free. A taken port is logged, and the worker continues without it, so that letters are still
 * sent. Site and worker may share a machine and its settings.
 */
export async function listenIfFree(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
  log: Pick<Logger, 'warn' | 'info'>,
): Promise<void> {
  try {
    await app.listen({ host, port });
    log.info({ port }, 'the worker answers /livez, /readyz and /metrics');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    log.warn({ port }, 'another program listens here, so this worker answers no probes: set PORT to a free one');
  }
}
