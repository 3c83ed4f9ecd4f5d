import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import { isReleaseOpen } from '#server/features/release/checkin-links.repository.ts';
import type { Actor, ProvenActor } from '#server/features/release/release-actors.ts';
import type { ReleaseDependencies } from '#server/features/release/release-dependencies.ts';
import { setNextStepAt, updateOwnerSettings } from '#server/features/release/release-owners.repository.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { getReleaseSettings, updateReleasePreferences } from '#shared/contract/release.ts';
import type { RouteAnswer, RouteBody } from '#shared/contract/route.ts';

export type ReleaseSettings = RouteAnswer<typeof getReleaseSettings>;
export type ReleasePreferences = RouteBody<typeof updateReleasePreferences>;

export type SettingsUseCases = {
  settings(userId: string): Promise<ReleaseSettings>;
  /** @throws AppError `REAUTHENTICATION_REQUIRED` where it changes anything. */
  updateSettings(actor: ProvenActor, settings: ReleaseSettings): Promise<ReleaseSettings>;
  /** @throws AppError as `updateSettings`. */
  savePreferences(actor: ProvenActor, preferences: ReleasePreferences): Promise<void>;
  /**
   * Takes over what an export says, and gives whether it did. The caller holds the owner's lock, has asked for a fresh
   * sign-in, and records what was done, and the sign of life if it is one. An operator's word is none: it changes nothing
   * while a release is open, and nothing that would make one come sooner.
   */
  takeImported(tx: Executor, call: Importing, settings: ImportedSettings): Promise<boolean>;
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
type ChosenSettings = Partial<Pick<OwnerRow, (typeof chosenSettings)[number]>>;

type ImportedSettings = Pick<OwnerRow, (typeof chosenSettings)[number]>;
type Importing = { userId: string; at: Date; isByOperator: boolean };

/** What owners set and do about their own release. Each is a sign of life, and ends what is under way. */
export function createSettings({
  db,
  clock,
  accounts,
  freshSignIns,
  audit,
  answerDaysDefault,
}: ReleaseDependencies): SettingsUseCases {
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
    await freshSignIns.requireFreshSignIn(actor, tx);
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

    async takeImported(tx, { userId, at, isByOperator }, settings) {
      const owner = await accounts.ownerOf(tx, userId);
      if (!owner) throw notFound();
      if (isByOperator && (isSooner(settings, owner, answerDaysDefault) || (await isReleaseOpen(tx, userId))))
        return false;
      await updateOwnerSettings(tx, userId, settings);
      // Another period has other dates, which the next round works out.
      await setNextStepAt(tx, userId, at);
      return true;
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

/** Whether anything could be released sooner, or on fewer people's word, by these than by those that stand. */
function isSooner(given: ImportedSettings, now: ImportedSettings, answerDaysDefault: number): boolean {
  return (
    given.inactivityDays < now.inactivityDays ||
    given.releaseQuorum < now.releaseQuorum ||
    given.releaseWaitingDays < now.releaseWaitingDays ||
    (given.releaseAnswerDays ?? answerDaysDefault) < (now.releaseAnswerDays ?? answerDaysDefault) ||
    (given.releaseMethod === 'inactivity' && now.releaseMethod !== 'inactivity')
  );
}

function settingsOf({ releaseMethod, inactivityDays }: OwnerRow): ReleaseSettings {
  return { releaseMethod, inactivityDays };
}
