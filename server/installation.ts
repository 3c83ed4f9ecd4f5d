import { applyLedger } from '#server/features/deletion/erasure.ts';
import { type App, openApp } from './app.ts';
import type { Opening } from './ground.ts';
import { createServices, type Services } from './services.ts';
import type { Settings } from './settings.ts';

/** An open `App`, and the services of features that factories still make. */
export type Installation = App & { services: Services };

/** Opens the `App`, puts the services together, and erases again what the ledger of deletions lists. */
export async function openInstallation(settings: Settings, opening: Opening = {}): Promise<Installation> {
  const app = await openApp(settings, opening);
  try {
    const services = createServices(app);
    await applyLedger(app);
    return Object.assign(app, { services });
  } catch (error) {
    await app.close();
    throw error;
  }
}
