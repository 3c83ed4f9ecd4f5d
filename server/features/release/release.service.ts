import { type CheckInLinks, createCheckInLinks } from './checkin-links.service.ts';
import { createHealthKeeper } from './health.service.ts';
import { subscribeToActivity } from './release-activity.service.ts';
import { createDecisions, type Decisions } from './release-decisions.service.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';
import { createEffects } from './release-effects.service.ts';
import { createEngine } from './release-engine.service.ts';
import { subscribeToOutcomes } from './release-outcomes.service.ts';
import { createOverview, type ReleaseOverviewAnswer } from './release-overview.service.ts';
import {
  type Actor,
  createSettings,
  type ReleasePreferences,
  type SettingsUseCases,
} from './release-settings.service.ts';
import { createSweep } from './release-sweep.service.ts';

export type { ReleaseDependencies, ReleaseLog } from './release-dependencies.ts';
export type { ReleaseOverviewAnswer } from './release-overview.service.ts';
export type { Actor, ReleasePreferences, ReleaseSettings } from './release-settings.service.ts';

export type Releases = Decisions &
  CheckInLinks &
  Pick<SettingsUseCases, 'settings' | 'updateSettings' | 'checkIn'> & {
    /** Visits owners whose next step is due, at most `limit`; gives how many. One owner's failure stops nobody else. */
    sweep(limit?: number): Promise<number>;
    /** The heartbeat from which healthy time is counted; to be called every minute. */
    beat(): Promise<void>;
    overview(userId: string): Promise<ReleaseOverviewAnswer>;
    stop(actor: Actor): Promise<ReleaseOverviewAnswer>;
    updatePreferences(actor: Actor, preferences: ReleasePreferences): Promise<ReleaseOverviewAnswer>;
    /** Stops every step that reaches contacts or recipients, until `resume`. */
    freeze(reason: string): Promise<void>;
    resume(): Promise<void>;
  };

/**
 * From silence to delivery. Listens to signs of life, to what becomes of mails and to the end of deliveries; all
 * else it does when swept.
 */
export function createReleases(deps: ReleaseDependencies): Releases {
  const health = createHealthKeeper(deps);
  const engine = createEngine(deps, health);
  subscribeToActivity(deps, engine);
  subscribeToOutcomes(deps, engine, createEffects(deps));

  const { stopEverything, savePreferences, ...settings } = createSettings(deps);
  const overview = createOverview(deps, health);

  return {
    ...createDecisions(deps, engine, health),
    ...createCheckInLinks(deps),
    ...settings,
    sweep: createSweep(deps, engine, health),
    beat: health.beat,
    freeze: health.freeze,
    resume: health.resume,
    overview,
    async stop(actor) {
      await stopEverything(actor);
      return overview(actor.userId);
    },
    async updatePreferences(actor, preferences) {
      await savePreferences(actor, preferences);
      return overview(actor.userId);
    },
  };
}
