import { applyLedger } from '#server/features/deletion/erasure.ts';
import { applySays } from '#server/features/delivery/say/declining.ts';
import { type App, openApp } from './app.ts';
import type { Opening } from './ground.ts';
import { registerReactions } from './reactions.ts';
import type { Settings } from './settings.ts';

/**
 * Opens the `App`, registers all reactions, and deletes again the accounts that the ledger of deletions lists. A server,
 * which migrates its tables, also brings back the words of readers.
 */
export async function openInstallation(settings: Settings, opening: Opening = {}): Promise<App> {
  const app = await openApp(settings, opening);
  try {
    registerReactions(app);
    await applyLedger(app);
    if (opening.tables === 'migrated') await applySays(app);
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}
