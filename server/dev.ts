import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import path from 'node:path';
import type { ViteDevServer } from 'vite';
import { productName } from '#shared/product.ts';
import { openInstallation } from './installation.ts';
import { appOf } from './main.ts';
import { loadSettings } from './settings.ts';
import { startWorker } from './worker.ts';

/** Answered by the service itself. Vite makes every other page or module on request. */
const servicePath = /^\/(api|livez|healthz|readyz|metrics|outbox(\.json)?)(\/|\?|$)/;
const root = path.resolve(import.meta.dirname, '..');

/**
 * The development server: service, worker and pages in one process on one port. A changed page is replaced in the
 * browser with its state kept; a changed server file restarts the process, for which `npm run dev` watches. Pages are
 * sent without the content security policy here, since Vite adds scripts of its own.
 */
async function serveDevelopment(): Promise<void> {
  const settings = loadSettings();
  const installation = await openInstallation(settings, { logTo: process.stdout, tables: 'migrated' });
  const worker = await startWorker(installation);
  const app = await appOf({ ...installation, process: { isEnding: false, worker } });
  const server = createServer();
  const vite = await startVite(server);
  server.on('request', (request, response) => {
    if (isForService(request)) app.routing(request, response);
    else vite.middlewares(request, response);
  });
  server.listen(settings.http.port, settings.http.host);
  await once(server, 'listening');
  app.log.info(`${productName} is ready for development at ${settings.http.baseUrl}`);

  await Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
  server.closeAllConnections();
  server.close();
  for (const part of [vite, app, worker, installation]) await part.close();
}

function isForService({ url = '/' }: IncomingMessage): boolean {
  return servicePath.test(url);
}

async function startVite(server: Server): Promise<ViteDevServer> {
  const { createServer: createViteServer } = await import('vite');
  return createViteServer({
    configFile: path.join(root, 'vite.config.ts'),
    // Any other loader writes the bundled configuration into a watched folder, and the watcher restarts for ever.
    configLoader: 'native',
    root: path.join(root, 'web'),
    appType: 'spa',
    server: { middlewareMode: true, hmr: { server } },
  });
}

await serveDevelopment();
