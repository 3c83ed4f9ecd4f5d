import { startInstallation } from '#tests/e2e/support/installation.ts';
import { type Figure, ms } from './figure.ts';

/** From the command to the first good answer of `/readyz`: on an empty directory, and again on a filled one. */
export async function startFigures(): Promise<Figure[]> {
  const firstStart = performance.now();
  const first = await startInstallation();
  const firstMs = performance.now() - firstStart;
  await first.kill();
  const againStart = performance.now();
  const again = await startInstallation({ DATA_DIR: first.dataDir });
  const againMs = performance.now() - againStart;
  await again.stop();
  return [
    { what: 'cold start to ready, empty data directory', figure: ms(firstMs) },
    { what: 'start to ready after a kill, database still running', figure: ms(againMs) },
  ];
}
