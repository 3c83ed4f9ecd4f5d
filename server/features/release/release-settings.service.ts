import type { OwnerRow, Principal } from '#server/features/accounts/accounts.service.ts';
import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { getReleaseSettings, updateReleasePreferences } from '#shared/contract/release.ts';
import type { RouteAnswer, RouteBody } from '#shared/contract/route.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';
import { setNextStepAt, updateOwnerSettings } from './release-owners.repository.ts';

export type ReleaseSettings = RouteAnswer<typeof getReleaseSettings>;
export type ReleasePreferences = RouteBody<typeof updateReleasePreferences>;

/** Who acts, and from where. */
export type Actor = { userId: string; origin: RequestOrigin };

/** Who acts, and what they have proved: a session alone must not decide when and by whom a release is confirmed. */
export type ProvenActor = Actor & Pick<Principal, 'authenticatedAt' | 'secondFactorAt'>;

export type SettingsUseCases = {
  settings(userId: string): Promise<ReleaseSettings>;
  /** @throws AppError `REAUTHENTICATION_REQUIRED` where it changes anything. */
  updateSettings(actor: ProvenActor, settings: ReleaseSettings): Promise<ReleaseSettings>;
  /** @throws AppError as `updateSettings`. */
  savePreferences(actor: ProvenActor, preferences: ReleasePreferences): Promise<void>;
  /**
   * Takes over what an export says. The caller holds the owner's lock, has asked for a fresh sign-in, and records what
   * was done, and the sign of life if it is one.
   */
  takeImported(tx: Executor, owner: { userId: string; at: Date }, settings: ChosenSettings): Promise<void>;
  /** The owner's "Stop": a check-in that is written down as what it was. */
  stopEverything(actor: Actor): Promise<void>;
  checkIn(actor: Actor): Promise<{ lastCheckinAt: Date }>;
};

const chosenSettings = [
  'releaseMethod',
  'inactivityDays',
  'releaseQuorum',
  'releaseWaitingDays',
  'releaseAnswerDays',
] as const;
export type ChosenSettings = Partial<Pick<OwnerRow, (typeof chosenSettings)[number]>>;

/** What owners set and do about their own release. Each is a sign of life, and ends what is under way. */
export function createSettings({ db, clock, accounts, audit }: ReleaseDependencies): SettingsUseCases {
  async function act(
    { userId, origin }: Actor,
    deed: { type: 'change' | 'manual'; action: string; change?: (tx: Executor, owner: OwnerRow) => Promise<void> },
  ): Promise<OwnerRow> {
    return db.transaction(async (tx) => {
      const owner = await accounts.lockOwner(tx, userId);
      if (!owner) throw notFound();
      const at = await clock.now(tx);
      await deed.change?.(tx, owner);
      await audit.record(tx, { userId, action: deed.action, resource: 'user', resourceId: userId, origin, at });
      await accounts.recordActivity(tx, { userId, type: deed.type, at, origin });
      const changed = await accounts.ownerOf(tx, userId);
      if (!changed) throw notFound();
      return changed;
    });
  }

  const saving = (actor: ProvenActor, settings: ChosenSettings) => async (tx: Executor, owner: OwnerRow) => {
    if (!isChanged(owner, settings)) return;
    await accounts.requireFreshSignIn(actor, tx);
    await updateOwnerSettings(tx, owner.id, settings);
  };

  return {
    async settings(userId) {
      const owner = await accounts.ownerOf(db, userId);
      if (!owner) throw notFound();
      return settingsOf(owner);
    },

    async updateSettings(actor, { releaseMethod, inactivityDays }) {
      const change = saving(actor, { releaseMethod, inactivityDays });
      return settingsOf(await act(actor, { type: 'change', action: 'release.settings_changed', change }));
    },

    async savePreferences(actor, { quorum, waitingDays, answerDays }) {
      const change = saving(actor, {
        releaseQuorum: quorum,
        releaseWaitingDays: waitingDays,
        releaseAnswerDays: answerDays,
      });
      await act(actor, { type: 'change', action: 'release.preferences_changed', change });
    },

    async takeImported(tx, { userId, at }, settings) {
      await updateOwnerSettings(tx, userId, settings);
      // Another period has other dates, which the next round works out.
      await setNextStepAt(tx, userId, at);
    },

    async stopEverything(actor) {
      await act(actor, { type: 'manual', action: 'release.stopped' });
    },

    async checkIn(actor) {
      const { lastCheckinAt } = await act(actor, { type: 'manual', action: 'user.checked_in' });
      return { lastCheckinAt };
    },
  };
}

function isChanged(owner: OwnerRow, settings: ChosenSettings): boolean {
  return chosenSettings.some((name) => settings[name] !== undefined && settings[name] !== owner[name]);
}

function settingsOf({ releaseMethod, inactivityDays }: OwnerRow): ReleaseSettings {
  return { releaseMethod, inactivityDays };
}
