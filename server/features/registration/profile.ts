import { type App, serviceOf } from '#server/app.ts';
import { findOwner, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { describeUser } from '#server/features/accounts/accounts.ts';
import { recordActivity } from '#server/features/accounts/activity.ts';
import { formerPhoneAfter } from '#server/features/accounts/former-phone.ts';
import { provenPhone } from '#server/features/accounts/proven-phone.ts';
import { textableNumber } from '#server/features/accounts/textable-phone.ts';
import type { UserAnswer } from '#server/features/accounts/user-answer.ts';
import { hasRecorded, recordAudit } from '#server/features/audit/record.ts';
import { type Proved, requireFreshSignIn } from '#server/features/sessions/fresh-sign-in.ts';
import type { Call } from '#server/http/bind.ts';
import type { RequestOrigin } from '#server/http/principal.ts';
import type * as accountsContract from '#shared/contract/accounts.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/phone.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import type { ReleaseMethod } from '#shared/rules/inactivity.ts';
import { storePhone } from './phone.repository.ts';
import { phoneTroubleOf, provePhone, sendPhoneCode } from './phone.ts';
import { isUntouched, maySaveUnverified, type SafetySettings } from './profile.rules.ts';

type UserProfile = RouteAnswer<typeof contract.getUserProfile>;

/** Saves release settings and moves what waits for them. It is a sign of life. The release feature provides it. */
export const saveReleaseSettingsOf =
  serviceOf<
    (
      actor: Proved & { origin: RequestOrigin },
      settings: { releaseMethod: ReleaseMethod; inactivityDays: number },
    ) => Promise<unknown>
  >('SaveReleaseSettings');

const settingsSaved = 'account.safety_settings';
/** Audit actions that show that an owner has saved their settings, here or in the release settings. */
const settingsActions = [settingsSaved, 'release.settings_changed'];

/** @throws AppError `UNAUTHENTICATED` if the account is gone. */
export async function getUser(app: App, { principal }: Call<typeof accountsContract.getUser>): Promise<UserAnswer> {
  const owner = await findOwner(app.db, principal.userId);
  if (!owner) throw new AppError('UNAUTHENTICATED', 'Sign in to continue.');
  return describeUser(app, owner);
}

/** Second name of `getUser`. */
export function getAuthUser(app: App, call: Call<typeof accountsContract.getAuthUser>): Promise<UserAnswer> {
  return getUser(app, call);
}

export function getUserProfile(app: App, { principal }: Call<typeof contract.getUserProfile>): Promise<UserProfile> {
  return profileOf(app, principal.userId);
}

/** @throws AppError `VALIDATION` for a code that is wrong or has expired. */
export async function verifyPhone(app: App, call: Call<typeof contract.verifyPhone>): Promise<UserProfile> {
  await provePhone(app, call);
  return profileOf(app, call.principal.userId);
}

/**
 * Saves the answers of the setup wizard. Left-out fields stay. Before the address is verified this is allowed once. A new number
 * is texted a code if the address is verified, and does not count before that code was typed.
 *
 * @throws AppError `EMAIL_VERIFICATION_REQUIRED`, `VALIDATION` for a phone that can't be texted, or
 * `REAUTHENTICATION_REQUIRED` if it changes anything.
 */
export async function updateUserProfile(app: App, call: Call<typeof contract.updateUserProfile>): Promise<UserProfile> {
  const { principal, origin } = call;
  const { userId } = principal;
  const { present, wanted, needsCode } = await savePhone(app, call);
  if (needsCode) await tryToSendCode(app, userId);
  const { releaseMethod, inactivityDays } = wanted;
  if (isChanged({ ...present, phone: wanted.phone }, wanted))
    await saveReleaseSettingsOf(app)({ ...principal, origin }, { releaseMethod, inactivityDays });
  else await noteChoice(app, userId, origin);
  const owner = await findOwner(app.db, userId);
  const isPhoneProven = owner !== null && provenPhone(owner) !== null;
  const phoneTrouble = owner && (await phoneTroubleOf(app, app.db, owner));
  return { ...wanted, isPhoneProven, phoneTrouble, hasChosenSettings: true };
}

async function profileOf(app: App, userId: string): Promise<UserProfile> {
  const { db } = app;
  const owner = await findOwner(db, userId);
  if (!owner) throw notFound();
  const settings = settingsOf(owner);
  const hasChosenSettings = !isUntouched(settings) || (await hasRecorded(db, userId, settingsActions));
  const phoneTrouble = await phoneTroubleOf(app, db, owner);
  return { ...settings, isPhoneProven: provenPhone(owner) !== null, phoneTrouble, hasChosenSettings };
}

type Saving = { present: SafetySettings; wanted: SafetySettings; needsCode: boolean };

/** Saves the phone under the lock. Returns the settings before and the wanted ones. */
async function savePhone(
  app: App,
  { principal, body: form, origin }: Call<typeof contract.updateUserProfile>,
): Promise<Saving> {
  const { userId } = principal;
  return app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, userId);
    if (!owner) throw notFound();
    const present = settingsOf(owner);
    const wanted = {
      phone: form.phone === undefined ? present.phone : form.phone,
      releaseMethod: form.releaseMethod ?? present.releaseMethod,
      inactivityDays: form.inactivityDays ?? present.inactivityDays,
    };
    if (!owner.emailVerified && !maySaveUnverified(present, wanted)) {
      throw new AppError('EMAIL_VERIFICATION_REQUIRED', 'Confirm your email address to change your settings.');
    }
    // Texts go to this number, and an answer to one is a check-in.
    if (isChanged(present, wanted)) await requireFreshSignIn(app, principal, tx);
    if (present.phone === wanted.phone) return { present, wanted, needsCode: false };

    const number = textableNumber(wanted.phone);
    const at = await app.clock.now(tx);
    const isSameNumber = number !== null && number === owner.phoneNumber;
    const former = isSameNumber ? null : formerPhoneAfter(owner, at);
    await storePhone(tx, { userId, phone: wanted.phone, number, former, at });
    const entry = { userId, action: 'account.phone', resource: 'account', resourceId: userId };
    await recordAudit(app, tx, { ...entry, origin, at });
    await recordActivity(app, tx, { userId, type: 'change', at, origin });
    return { present, wanted, needsCode: wanted.phone !== null && owner.emailVerified && !isSameNumber };
  });
}

/** Ignores a refusal: the number is saved anyway, and the page offers to send another code. */
async function tryToSendCode(app: App, userId: string): Promise<void> {
  try {
    await sendPhoneCode(app, userId);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

/**
 * Records a save that changes nothing, once. It is still the owner's choice of the defaults, and only the log distinguishes it
 * from settings that were never reviewed.
 */
async function noteChoice(app: App, userId: string, origin: RequestOrigin): Promise<void> {
  if (await hasRecorded(app.db, userId, settingsActions)) return;
  await app.db.transaction(async (tx) => {
    if (!(await lockOwnerRow(tx, userId))) throw notFound();
    const at = await app.clock.now(tx);
    const entry = { userId, action: settingsSaved, resource: 'account', resourceId: userId };
    await recordAudit(app, tx, { ...entry, origin, at });
    await recordActivity(app, tx, { userId, type: 'change', at, origin });
  });
}

function isChanged(present: SafetySettings, wanted: SafetySettings): boolean {
  return (
    wanted.phone !== present.phone ||
    wanted.releaseMethod !== present.releaseMethod ||
    wanted.inactivityDays !== present.inactivityDays
  );
}

function settingsOf({ phone, releaseMethod, inactivityDays }: OwnerRow): SafetySettings {
  return { phone, releaseMethod, inactivityDays };
}
