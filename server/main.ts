import { randomBytes } from 'node:crypto';
import { constants, getPriority, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { ensureWebBuild } from '#build/build.ts';
import { type ContainerHost, registerOutbox } from '#server/features/outbox/outbox.routes.ts';
import { productName } from '#shared/product.ts';
import { buildApp } from './app.ts';
import { readContainerGateway } from './http/container-gateway.ts';
import { type Installation, openInstallation } from './installation.ts';
import { readFigures } from './metrics.ts';
import { parseMailAddress } from './platform/mail/addresses.ts';
import { watchUncaught } from './platform/running-work/running-work.ts';
import { startWatchdog } from './platform/running-work/watchdog.ts';
import { readinessOf } from './readiness.ts';
import { registerRoutes } from './routes.ts';
import type { Settings } from './settings.ts';
import { stopSignal } from './stop-signal.ts';
import { startWatches } from './watches.ts';
import { startWorker, type Worker } from './worker.ts';
import { buildWorkerApp, listenIfFree } from './worker-app.ts';

/** A container's own loopback has nobody on it; who runs it is told a key, since strangers can look like them. */
const containerHost = findContainerHost();

/** An open installation, and what its own process says of itself. */
type Served = Installation & { process: { isEnding: boolean; worker?: Worker } };

/** How long a stop may take before the process ends all the same. */
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
    if (isWeb && containerHost && hasOutbox(installation)) {
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

/** Mails that have nowhere to go, and nobody elsewhere who could look for them. */
function hasOutbox({ services, settings }: Pick<Installation, 'services' | 'settings'>): boolean {
  return services.outbox !== null && !isPublic(settings);
}

/** Sends traces where a collector is named; what does it is loaded only then. */
async function startTraces({ traceEndpoint: endpoint, role }: Settings) {
  if (endpoint === undefined) return null;
  const { exportTraces } = await import('./platform/tracing/export-traces.ts');
  return exportTraces({ endpoint, role });
}

/** A balancer that asks hears that this site is about to end, and sends nobody more; who is there is served as ever. */
async function drain({ settings, process, log }: Served): Promise<void> {
  process.isEnding = true;
  if (settings.role === 'worker' || settings.drainMs === 0) return;
  log.info({ seconds: settings.drainMs / 1_000 }, 'this site is about to end, and says so to whoever asks /readyz');
  // A second signal is meant.
  await Promise.race([sleep(settings.drainMs), stopSignal()]);
}

/** Whoever reads goes first where site and worker share a machine: what is due can wait for some milliseconds. */
function giveWay(): void {
  const { PRIORITY_BELOW_NORMAL } = constants.priority;
  // Whoever was started with even less may not have more.
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
  parts.push(startWatches(installation));
  if (settings.role !== 'web') {
    installation.process.worker = await startWorker(installation);
    parts.push(installation.process.worker);
  }
  parts.push(distDir === undefined ? await answerProbes(installation) : await listen(installation, distDir));
}

/** The application of an open installation; it does not listen. Without `distDir` it serves no pages. */
export function appOf(
  installation: Installation & Partial<Pick<Served, 'process'>>,
  distDir?: string,
): Promise<FastifyInstance> {
  const { settings, services, limits, derive } = installation;
  return buildApp({
    baseUrl: settings.http.baseUrl,
    trustProxy: settings.http.trustProxy,
    log: { level: settings.logLevel },
    sessions: services.sessions,
    limits,
    derive,
    readiness: () => readinessOf(installation, installation.process),
    isEnding: () => installation.process?.isEnding === true,
    metrics: metricsOf(installation),
    registerRoutes: (api) => registerRoutes(api, services),
    registerPages: (pages) => {
      if (!isPublic(settings)) registerOutbox(pages, { ...services, containerHost });
    },
    web: distDir === undefined ? undefined : webOf(installation, distDir),
  });
}

function metricsOf(installation: Installation & Partial<Pick<Served, 'process'>>) {
  const { settings } = installation;
  return {
    token: settings.metricsToken,
    isPublic: isPublic(settings),
    read: () => readFigures(installation, installation.process?.worker),
  };
}

function webOf({ settings, services }: Installation, distDir: string) {
  const outbox = hasOutbox({ services, settings }) ? '/outbox' : undefined;
  return { distDir, supportEmail: parseMailAddress(settings.mail.from).address, outbox };
}

/**
 * Whether others than this machine may be asking. Behind a proxy here every visitor seems to come from this machine, and
 * one that is set up without care tells nobody's address: then nothing that is for this machine alone exists.
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
