import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeUnusedFiles } from '#server/features/files/upkeep.ts';
import { openInstallation } from '#server/installation.ts';
import { appOf } from '#server/main.ts';
import { readSettings } from '#server/settings.ts';

/**
 * The product in a separate process, for tests that measure its memory or kill it. Its environment names the address.
 * On `peak` it answers with the highest memory since the last `peak`, and on `sweep` it sweeps.
 */
const sampleEveryMs = 10;

const installation = await openInstallation(readSettings(process.env));
const app = await appOf(installation);
await app.listen({ host: '127.0.0.1', port: 0 });

let peakBytes = 0;
async function watchMemory(): Promise<never> {
  for (;;) {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
    await sleep(sampleEveryMs);
  }
}
void watchMemory();

process.on('message', async (asked) => {
  if (asked === 'peak') {
    process.send?.({ peakBytes });
    peakBytes = process.memoryUsage.rss();
  }
  if (asked === 'sweep') process.send?.({ swept: await removeUnusedFiles(installation) });
  if (asked === 'stop') {
    await app.close();
    await installation.close();
    process.exit(0);
  }
});
process.send?.({ port: (app.server.address() as AddressInfo).port });
