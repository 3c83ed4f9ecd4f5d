import { randomBytes } from 'node:crypto';
import { constants, getPriority, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { ensureWebBuild } from '#build/build.ts';
import { type ContainerHost, registerOutbox } from '#server/features/outbox/outbox.routes.ts';
import { hasOutbox } from '#server/features/outbox/outbox.ts';
import { sessionLookup } from '#server/features/sessions/principal.ts';
import { productName } from '#shared/product.ts';
import type { App } from './app.ts';
import { readContainerGateway } from './http/container-gateway.ts';
import { buildHttpApp } from './http-app.ts';
import { openInstallation } from './installation.ts';
import { readFigures } from './metrics.ts';
import { parseMailAddress } from './platform/mail/addresses.ts';
import { watchUncaught } from './platform/running-work/running-work.ts';
import { startWatchdog } from './platform/running-work/watchdog.ts';
import { readinessOf } from './readiness.ts';
import { registerRoutes } from './routes.ts';
import type { Settings } from './settings.ts';
import { stopSignal } from './stop-signal.ts';
import { startWorker, type Worker } from './worker.ts';
import { buildWorkerApp, listenIfFree } from './worker-app.ts';

/**
 * Only the container itself reaches its own loopback, and strangers can look like its operator. So the operator gets a
 * key.
 */
const containerHost = findContainerHost();

/** An open installation, and what its own process says of itself. */
type Served = App & { process: { isEnding: boolean; worker?: Worker } };

/** Longest time of a stop. The process then ends anyway. */
const stopTimeoutMs = 20_000;

/**
 * Serves the site, the worker, or both, as `ROLE` says, until the process is asked to stop. Prints one line with the
 * address once it can be used.
 */
export async function serve(settings: Settings): Promise<void> {
  const isWeb = settings.role !== 'worker';
  const traces = await startTraces(settings);
  // The build and the database have nothing to do with each other, and each takes a second or two.
  const [build, opening] = await Promise.allSettled([
    isWeb ? ensureWebBuild({ log: (message) => console.log(message) }) : undefined,
    openInstallation(settings, { logTo: process.stdout, tables: 'migrated' }),
  ]);
  if (opening.status === 'rejected') {
    await traces?.close();
    throw opening.reason;
  }

  const installation: Served = { ...opening.value, process: { isEnding: false } };
  const uncaught = watchUncaught(installation.log);
  const parts: { close(): Promise<unknown> }[] = [...(traces ? [traces] : []), uncaught, installation];
  try {
    if (build.status === 'rejected') throw build.reason;
    // Not before: a database that was started here would keep it, and serve everybody that much later.
    if (!isWeb) giveWay();
    await startParts(installation, build.value, parts);
    // Last, so that it watches no build and no migration, and first to be closed.
    parts.push(startWatchdog(installation.log));
    console.log(
      isWeb ? `${productName} is ready at ${settings.http.baseUrl}` : `${productName} is working through what is due.`,
    );
    if (isWeb && containerHost && showsOutbox(installation)) {
      console.log(
        `Mails are at ${settings.http.baseUrl}/outbox?key=${containerHost.key}, for the machine that runs this container.`,
      );
    }
    await stopSignal();
    await drain(installation);
  } finally {
    // A second signal, or a part that hangs, must not keep an operator waiting.
    setTimeout(() => process.exit(1), stopTimeoutMs).unref();
    // Also after a start that failed, or a half of the service would go on, and its database after it.
    for (const part of parts.reverse()) await part.close();
  }
}

function findContainerHost(): ContainerHost | null {
  const gateway = readContainerGateway();
  return gateway === null ? null : { gateway, key: randomBytes(16).toString('base64url') };
}

/** True if the outbox is shown: mails stay on this machine, and no other machine reaches it. */
function showsOutbox(app: App): boolean {
  return hasOutbox(app) && !isPublic(app.settings);
}

/** Sends traces where a collector is named; what does it is loaded only then. */
async function startTraces({ traceEndpoint: endpoint, role }: Settings) {
  if (endpoint === undefined) return null;
  const { exportTraces } = await import('./platform/tracing/export-traces.ts');
  return exportTraces({ endpoint, role });
}

/**
 * A load balancer learns from /readyz that this site is about to end, and sends no new requests. Requests in progress
 * are still served.
 */
async function drain({ settings, process, log }: Served): Promise<void> {
  process.isEnding = true;
  if (settings.role === 'worker' || settings.drainMs === 0) return;
  log.info({ seconds: settings.drainMs / 1_000 }, 'this site is about to stop, and /readyz reports it');
  // A second signal is meant.
  await Promise.race([sleep(settings.drainMs), stopSignal()]);
}

/** If site and worker share a machine, requests of readers come first. Due work can wait for some milliseconds. */
function giveWay(): void {
  const { PRIORITY_BELOW_NORMAL } = constants.priority;
  // A process that was started with an even lower priority may not raise it.
  if (getPriority() < PRIORITY_BELOW_NORMAL) setPriority(PRIORITY_BELOW_NORMAL);
}

/** Starts what this process is there for, and adds each to `parts` as soon as it runs. */
async function startParts(
  installation: Served,
  distDir: string | undefined,
  parts: { close(): Promise<unknown> }[],
): Promise<void> {
  const { settings, log } = installation;
  for (const warning of settings.warnings) log.warn(warning);
  const worker = await startWorker(installation);
  if (settings.role !== 'web') installation.process.worker = worker;
  parts.push(worker);
  parts.push(distDir === undefined ? await answerProbes(installation) : await listen(installation, distDir));
}

/** The application of an open installation; it does not listen. Without `distDir` it serves no pages. */
export function appOf(
  installation: App & Partial<Pick<Served, 'process'>>,
  distDir?: string,
): Promise<FastifyInstance> {
  const { settings, limits, serviceKeys } = installation;
  return buildHttpApp({
    baseUrl: settings.http.baseUrl,
    trustProxy: settings.http.trustProxy,
    log: { level: settings.logLevel },
    sessions: sessionLookup(installation),
    limits,
    derive: serviceKeys.derive,
    readiness: () => readinessOf(installation, installation.process),
    isEnding: () => installation.process?.isEnding === true,
    metrics: metricsOf(installation),
    registerRoutes: (api) => registerRoutes(api, installation),
    registerPages: (pages) => {
      if (!isPublic(settings)) registerOutbox(pages, installation, containerHost);
    },
    web: distDir === undefined ? undefined : webOf(installation, distDir),
  });
}

function metricsOf(installation: App & Partial<Pick<Served, 'process'>>) {
  const { settings } = installation;
  return {
    token: settings.metricsToken,
    isPublic: isPublic(settings),
    read: () => readFigures(installation, installation.process?.worker),
  };
}

function webOf(installation: App, distDir: string) {
  const { settings } = installation;
  const outbox = showsOutbox(installation) ? '/outbox' : undefined;
  return { distDir, supportEmail: parseMailAddress(settings.mail.from).address, outbox };
}

/**
 * True if requests may come from other machines. Behind a local proxy, every visitor seems to come from this machine.
 * A badly configured proxy passes on no address at all. Then the pages for this machine alone do not exist.
 */
function isPublic({ http }: Settings): boolean {
  return !http.isLocal || http.trustProxy !== false;
}

async function answerProbes(installation: Served) {
  const { settings, log } = installation;
  const app = await buildWorkerApp({
    logLevel: settings.logLevel,
    readiness: () => readinessOf(installation, installation.process),
    metrics: metricsOf(installation),
  });
  await listenIfFree(app, settings.http, log);
  return app;
}

async function listen(installation: Served, distDir: string) {
  const app = await appOf(installation, distDir);
  const { host, port } = installation.settings.http;
  await app.listen({ host, port });
  return app;
}
