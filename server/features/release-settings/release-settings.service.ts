import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Actor, ProvenActor } from '#server/features/release/release-actors.ts';
import { isReleaseOpen } from '#server/features/release-state/checkin-links.repository.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import { setNextStepAt, updateOwnerSettings } from '#server/features/release-state/release-owners.repository.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { getReleaseSettings, updateReleasePreferences } from '#shared/contract/release/release.ts';
import type { RouteAnswer, RouteBody } from '#shared/contract/route.ts';
import { beginningOfLondonDay, londonDay } from '#shared/rules/london-day.ts';
import { wrongAwayDay } from './away-day.ts';

export type ReleaseSettings = RouteAnswer<typeof getReleaseSettings>;
export type ReleasePreferences = RouteBody<typeof updateReleasePreferences>;

export type SettingsUseCases = {
  settings(userId: string): Promise<ReleaseSettings>;
  /** @throws AppError `REAUTHENTICATION_REQUIRED` where it changes anything. */
  updateSettings(actor: ProvenActor, settings: ReleaseSettings): Promise<ReleaseSettings>;
  /** @throws AppError as `updateSettings`. */
  savePreferences(actor: ProvenActor, preferences: ReleasePreferences): Promise<void>;
  /**
   * Until when the owner is away; null, they are back. Saying so holds silence up, so it asks for a fresh sign-in; taking it
   * back does not. @throws AppError as `updateSettings`, and `VALIDATION` for a day that is over or too far ahead.
   */
  saveAway(actor: ProvenActor, until: string | null): Promise<void>;
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
  'awayUntil',
] as const;
type ChosenSettings = Partial<Pick<OwnerRow, (typeof chosenSettings)[number]>>;

type ImportedSettings = Pick<OwnerRow, Exclude<(typeof chosenSettings)[number], 'awayUntil'>> & {
  awayUntil?: OwnerRow['awayUntil'] | undefined;
};
/** Runs under the owner's lock. */
type Change = (tx: Executor, owner: OwnerRow, at: Date) => Promise<void>;
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
    deed: { type: 'change' | 'manual'; action: string; change?: Change; isStop?: true },
  ): Promise<OwnerRow> {
    return db.transaction(async (tx) => {
      const owner = await accounts.lockOwner(tx, userId);
      if (!owner) throw notFound();
      const at = await clock.now(tx);
      await deed.change?.(tx, owner, at);
      await audit.record(tx, { userId, action: deed.action, resource: 'user', resourceId: userId, origin, at });
      const isStop = deed.isStop ?? false;
      await accounts.recordActivity(tx, { userId, type: deed.type, at, origin, isStop });
      const changed = await accounts.ownerOf(tx, userId);
      if (!changed) throw notFound();
      return changed;
    });
  }

  const saving =
    (actor: ProvenActor, settings: ChosenSettings): Change =>
    async (tx, owner) => {
      if (!isChanged(owner, settings)) return;
      await freshSignIns.requireFreshSignIn(actor, tx);
      await updateOwnerSettings(tx, owner.id, settings);
    };

  const savingAway =
    (actor: ProvenActor, until: string | null): Change =>
    async (tx, owner, at) => {
      const awayUntil = until === null ? null : beginningOfLondonDay(until);
      if (!isChanged(owner, { awayUntil })) return;
      if (until !== null) {
        const wrong = wrongAwayDay(until, at.getTime());
        if (wrong) throw new AppError('VALIDATION', wrong, { issues: [{ path: 'until', message: wrong }] });
        await freshSignIns.requireFreshSignIn(actor, tx);
      }
      await updateOwnerSettings(tx, owner.id, { awayUntil });
      // Who is back earlier has earlier dates, which the next round works out.
      await setNextStepAt(tx, owner.id, at);
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

    async savePreferences(actor, { quorum, waitingDays, answerDays, awayUntil }) {
      const save = saving(actor, {
        releaseQuorum: quorum,
        releaseWaitingDays: waitingDays,
        releaseAnswerDays: answerDays,
      });
      const change: Change = async (tx, owner, at) => {
        await save(tx, owner, at);
        if (awayUntil !== undefined) await savingAway(actor, awayUntil)(tx, owner, at);
      };
      await act(actor, { type: 'change', action: 'release.preferences_changed', change });
    },

    async saveAway(actor, until) {
      const change = savingAway(actor, until);
      await act(actor, { type: 'change', action: 'release.away_changed', change });
    },

    async takeImported(tx, { userId, at, isByOperator }, settings) {
      const owner = await accounts.ownerOf(tx, userId);
      if (!owner) throw notFound();
      const { awayUntil: _, ...chosen } = settings;
      const taken = { ...chosen, ...awayThatStands(settings, at) };
      if (isByOperator && (isSooner(taken, owner, answerDaysDefault) || (await isReleaseOpen(tx, userId))))
        return false;
      await updateOwnerSettings(tx, userId, taken);
      // Another period has other dates, which the next round works out.
      await setNextStepAt(tx, userId, at);
      return true;
    },

    async stopEverything(actor) {
      await act(actor, { type: 'manual', action: 'release.stopped', isStop: true });
    },

    async checkIn(actor) {
      const { lastCheckinAt } = await act(actor, { type: 'manual', action: 'user.checked_in' });
      return { lastCheckinAt };
    },
  };
}

function isChanged(owner: OwnerRow, settings: ChosenSettings): boolean {
  return chosenSettings.some(
    (name) => settings[name] !== undefined && comparable(settings[name]) !== comparable(owner[name]),
  );
}

function comparable(setting: ChosenSettings[(typeof chosenSettings)[number]]) {
  return setting instanceof Date ? setting.getTime() : setting;
}

/** Whether anything could be released sooner, or on fewer people's word, by these than by those that stand. */
function isSooner(given: ImportedSettings, now: OwnerRow, answerDaysDefault: number): boolean {
  return (
    given.inactivityDays < now.inactivityDays ||
    (given.awayUntil && now.awayUntil && given.awayUntil < now.awayUntil) ||
    given.releaseQuorum < now.releaseQuorum ||
    given.releaseWaitingDays < now.releaseWaitingDays ||
    (given.releaseAnswerDays ?? answerDaysDefault) < (now.releaseAnswerDays ?? answerDaysDefault) ||
    (given.releaseMethod === 'inactivity' && now.releaseMethod !== 'inactivity')
  );
}

/** Of a day in an export that is over, or further ahead than anybody may say, nothing is taken. */
function awayThatStands({ awayUntil }: ImportedSettings, at: Date): { awayUntil?: Date } {
  const isRight = awayUntil && wrongAwayDay(londonDay(awayUntil.getTime()), at.getTime()) === null;
  return isRight ? { awayUntil } : {};
}

function settingsOf({ releaseMethod, inactivityDays }: OwnerRow): ReleaseSettings {
  return { releaseMethod, inactivityDays };
}
