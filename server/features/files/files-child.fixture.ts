import type { AddressInfo } from 'node:net';
import { openInstallation } from '#server/installation.ts';
import { appOf } from '#server/main.ts';
import { readSettings } from '#server/settings.ts';

/**
 * The product in a process of its own, for tests that watch its memory or kill it. Told where to listen by its
 * environment; answers `peak` with the most memory it used since it was asked last, and `sweep` by sweeping.
 */
const sampleEveryMs = 10;

const installation = await openInstallation(readSettings(process.env));
const app = await appOf(installation);
await app.listen({ host: '127.0.0.1', port: 0 });

let peakBytes = 0;
setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}, sampleEveryMs);

process.on('message', async (asked) => {
  if (asked === 'peak') {
    process.send?.({ peakBytes });
    peakBytes = process.memoryUsage.rss();
  }
  if (asked === 'sweep') process.send?.({ swept: await installation.services.files.sweep() });
  if (asked === 'stop') {
    await app.close();
    await installation.close();
    process.exit(0);
  }
});
process.send?.({ port: (app.server.address() as AddressInfo).port });
