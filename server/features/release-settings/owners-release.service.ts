import type { HealthKeeper } from '#server/features/release/health.service.ts';
import type { Actor, ProvenActor } from '#server/features/release/release-actors.ts';
import type { ReleaseDependencies } from '#server/features/release/release-dependencies.ts';
import { type CheckInLinks, createCheckInLinks } from './checkin-links.service.ts';
import { createRehearsals, type Rehearsals } from './rehearsal.service.ts';
import { createOverview, type ReleaseOverviewAnswer } from './release-overview.service.ts';
import { createSettings, type ReleasePreferences, type SettingsUseCases } from './release-settings.service.ts';

export type OwnersRelease = CheckInLinks &
  Rehearsals &
  Pick<SettingsUseCases, 'settings' | 'updateSettings' | 'takeImported' | 'checkIn'> & {
    overview(userId: string): Promise<ReleaseOverviewAnswer>;
    stop(actor: Actor): Promise<ReleaseOverviewAnswer>;
    updatePreferences(actor: ProvenActor, preferences: ReleasePreferences): Promise<ReleaseOverviewAnswer>;
  };

/** What owners see, set and do about their own release. */
export function createOwnersRelease(deps: ReleaseDependencies, health: Pick<HealthKeeper, 'read'>): OwnersRelease {
  const { stopEverything, savePreferences, ...settings } = createSettings(deps);
  const overview = createOverview(deps, health);

  return {
    ...createCheckInLinks(deps),
    ...createRehearsals(deps, { health, overview }),
    ...settings,
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
