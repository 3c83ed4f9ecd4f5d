import type { App } from '#server/app.ts';
import { findOwner, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordActivity } from '#server/features/accounts/activity.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { isReleaseOpen } from '#server/features/release-state/checkin-links.repository.ts';
import { setNextStepAt, updateOwnerSettings } from '#server/features/release-state/release-owners.repository.ts';
import { type Proved, requireFreshSignIn } from '#server/features/sessions/fresh-sign-in.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/release/release.ts';
import type { RouteAnswer, RouteBody } from '#shared/contract/route.ts';
import { settingsChangedElsewhere } from '#shared/contract/vault/versions.ts';
import { beginningOfLondonDay, londonDay } from '#shared/rules/london-day.ts';
import { wrongAwayDay } from './away-day.ts';
import { getRelease } from './release-overview.ts';

type ReleaseSettings = RouteAnswer<typeof contract.getReleaseSettings>;
type ReleasePreferences = RouteBody<typeof contract.updateReleasePreferences>;
type OwnersCall = { principal: { userId: string }; origin: RequestOrigin };
/** Call with the proofs of identity: a session alone must not decide when a release is confirmed, or by whom. */
type ProvenCall = { principal: Proved; origin: RequestOrigin };

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

export async function getReleaseSettings(
  { db }: App,
  { principal }: { principal: { userId: string } },
): Promise<ReleaseSettings> {
  const owner = await findOwner(db, principal.userId);
  if (!owner) throw notFound();
  return settingsOf(owner);
}

/** @throws AppError `REAUTHENTICATION_REQUIRED` if it changes anything, or `CHANGED_ELSEWHERE`. */
export async function updateReleaseSettings(
  app: App,
  call: ProvenCall & { body: RouteBody<typeof contract.updateReleaseSettings> },
): Promise<ReleaseSettings> {
  const { releaseMethod, inactivityDays, before } = call.body;
  const change = saving(app, call, { releaseMethod, inactivityDays }, before);
  return settingsOf(await act(app, call, { type: 'change', action: 'release.settings_changed', change }));
}

/** @throws AppError as `updateReleaseSettings` and `updateAway`. */
export async function updateReleasePreferences(app: App, call: ProvenCall & { body: ReleasePreferences }) {
  const { awayUntil, before, ...chosen } = call.body;
  const save = saving(app, call, preferenceColumns(chosen), before && preferenceColumns(before));
  const change: Change = async (tx, owner, at) => {
    await save(tx, owner, at);
    if (awayUntil !== undefined) await savingAway(app, call, awayUntil)(tx, owner, at);
  };
  await act(app, call, { type: 'change', action: 'release.preferences_changed', change });
  return getRelease(app, call);
}

/**
 * Sets the day until which the owner is away, as `2027-02-01`. Null if they are back. Setting it delays a silence, so it
 * needs a fresh sign-in. Removing it does not.
 * @throws AppError as `updateReleaseSettings`, and `VALIDATION` for a day that has passed or is too far ahead.
 */
export async function updateAway(app: App, call: ProvenCall & { body: { until: string | null } }) {
  const change = savingAway(app, call, call.body.until);
  await act(app, call, { type: 'change', action: 'release.away_changed', change });
  return getRelease(app, call);
}

/** Owner's Stop: a check-in that is logged as a Stop. */
export async function stopRelease(app: App, call: OwnersCall) {
  await act(app, call, { type: 'manual', action: 'release.stopped', isStop: true });
  return getRelease(app, call);
}

export async function checkin(app: App, call: OwnersCall): Promise<{ ok: true; lastCheckinAt: Date }> {
  const { lastCheckinAt } = await act(app, call, { type: 'manual', action: 'user.checked_in' });
  return { ok: true, lastCheckinAt };
}

/**
 * Applies the settings of an export, and returns true if it did. The caller holds the owner's lock, asks for a fresh
 * sign-in, and records the import and any activity. An operator's import is no activity. It changes nothing while a
 * release is open, and nothing that would make one come sooner.
 */
export async function applyImportedSettings(
  { settings: { releaseGraceDays } }: App,
  tx: Executor,
  { userId, at, isByOperator }: { userId: string; at: Date; isByOperator: boolean },
  settings: ImportedSettings,
): Promise<boolean> {
  const owner = await findOwner(tx, userId);
  if (!owner) throw notFound();
  const { awayUntil: _, ...chosen } = settings;
  const applied = { ...chosen, ...awayThatStands(settings, at) };
  if (isByOperator && (isSooner(applied, owner, releaseGraceDays) || (await isReleaseOpen(tx, userId)))) return false;
  await updateOwnerSettings(tx, userId, applied);
  // Another period has other dates, which the next round computes.
  await setNextStepAt(tx, userId, at);
  return true;
}

type Act = { type: 'change' | 'manual'; action: string; change?: Change; isStop?: boolean };

/** Changes settings before it counts the activity, which ends an open silence or request and sets the next visit. */
function act(
  app: App,
  { principal: { userId }, origin }: OwnersCall,
  { type, action, change, isStop = false }: Act,
): Promise<OwnerRow> {
  return app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, userId);
    if (!owner) throw notFound();
    const at = await app.clock.now(tx);
    await change?.(tx, owner, at);
    await recordAudit(app, tx, { userId, action, resource: 'user', resourceId: userId, origin, at });
    await recordActivity(app, tx, { userId, type, at, origin, isStop });
    const changed = await findOwner(tx, userId);
    if (!changed) throw notFound();
    return changed;
  });
}

function saving(
  app: App,
  { principal }: ProvenCall,
  settings: ChosenSettings,
  before: ChosenSettings | undefined,
): Change {
  return async (tx, owner) => {
    const stored = { ...owner, releaseAnswerDays: owner.releaseAnswerDays ?? app.settings.releaseGraceDays };
    // A repeat after a lost answer names the settings before its own first try.
    if (!isChanged(owner, settings)) return;
    if (before && isChanged(stored, before)) throw settingsChangedElsewhere(settingsOf(owner));
    await requireFreshSignIn(app, principal, tx);
    await updateOwnerSettings(tx, owner.id, settings);
  };
}

function savingAway(app: App, { principal }: ProvenCall, until: string | null): Change {
  return async (tx, owner, at) => {
    const awayUntil = until === null ? null : beginningOfLondonDay(until);
    if (!isChanged(owner, { awayUntil })) return;
    if (until !== null) {
      const wrong = wrongAwayDay(until, at.getTime());
      if (wrong) throw new AppError('VALIDATION', wrong, { issues: [{ path: 'until', message: wrong }] });
      await requireFreshSignIn(app, principal, tx);
    }
    await updateOwnerSettings(tx, owner.id, { awayUntil });
    // An owner who is back earlier has earlier dates. The next round computes them.
    await setNextStepAt(tx, owner.id, at);
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

/** True if these settings could make a release come sooner, or with fewer confirmations, than the present ones. */
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

/** Ignores an imported day that has passed or is further ahead than allowed. */
function awayThatStands({ awayUntil }: ImportedSettings, at: Date): { awayUntil?: Date } {
  const isRight = awayUntil && wrongAwayDay(londonDay(awayUntil.getTime()), at.getTime()) === null;
  return isRight ? { awayUntil } : {};
}

type PreferenceFields = Pick<ReleasePreferences, 'quorum' | 'waitingDays' | 'answerDays'>;

function preferenceColumns({ quorum, waitingDays, answerDays }: PreferenceFields) {
  return { releaseQuorum: quorum, releaseWaitingDays: waitingDays, releaseAnswerDays: answerDays };
}

function settingsOf({ releaseMethod, inactivityDays }: OwnerRow): ReleaseSettings {
  return { releaseMethod, inactivityDays };
}
