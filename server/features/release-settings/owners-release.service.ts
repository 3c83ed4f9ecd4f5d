import type { Releases } from '#server/features/release/release.service.ts';
import type { Actor, ProvenActor } from '#server/features/release/release-actors.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import { removeReturn } from '#server/features/release-state/returns.repository.ts';
import { type AskerRemovals, createAskerRemovals } from './asker-removal.service.ts';
import { type CheckInLinks, createCheckInLinks } from './checkin-links.service.ts';
import { createRehearsals, type Rehearsals } from './rehearsal.service.ts';
import { createOverview, type ReleaseOverviewAnswer } from './release-overview.service.ts';
import { createSettings, type ReleasePreferences, type SettingsUseCases } from './release-settings.service.ts';

export type OwnersRelease = AskerRemovals &
  CheckInLinks &
  Rehearsals &
  Pick<SettingsUseCases, 'settings' | 'updateSettings' | 'takeImported' | 'checkIn'> & {
    overview(userId: string): Promise<ReleaseOverviewAnswer>;
    /** The owner has read what happened while they were silent. No sign of life. */
    dismissReturn(userId: string): Promise<void>;
    stop(actor: Actor): Promise<ReleaseOverviewAnswer>;
    updatePreferences(actor: ProvenActor, preferences: ReleasePreferences): Promise<ReleaseOverviewAnswer>;
    /** Until when they are away, as `2027-02-01`, or null for back again. */
    updateAway(actor: ProvenActor, until: string | null): Promise<ReleaseOverviewAnswer>;
  };

/** What owners see, set and do about their own release. */
export function createOwnersRelease(deps: ReleaseDependencies, releases: Pick<Releases, 'look'>): OwnersRelease {
  const { stopEverything, savePreferences, saveAway, ...settings } = createSettings(deps);
  const overview = createOverview(deps, releases);

  return {
    ...createAskerRemovals(deps, releases),
    ...createCheckInLinks(deps, releases),
    ...createRehearsals(deps, { releases, overview }),
    ...settings,
    overview,
    dismissReturn: (userId) => removeReturn(deps.db, userId),
    async stop(actor) {
      await stopEverything(actor);
      return overview(actor.userId);
    },
    async updatePreferences(actor, preferences) {
      await savePreferences(actor, preferences);
      return overview(actor.userId);
    },
    async updateAway(actor, until) {
      await saveAway(actor, until);
      return overview(actor.userId);
    },
  };
}
