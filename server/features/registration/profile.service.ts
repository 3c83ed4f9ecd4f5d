import {
  findOwner,
  lockOwnerRow,
  type OwnerRow,
  storePlanOffered,
} from '#server/features/accounts/accounts.repository.ts';
import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { ActivityLog } from '#server/features/accounts/activity.service.ts';
import { formerPhoneAfter } from '#server/features/accounts/former-phone.ts';
import { provenPhone } from '#server/features/accounts/proven-phone.ts';
import { textableNumber } from '#server/features/accounts/textable-phone.ts';
import type { UserAnswer } from '#server/features/accounts/user-answer.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { FreshSignIns, Proved } from '#server/features/sessions/fresh-sign-in.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { getUserProfile, updateUserProfile } from '#shared/contract/phone.ts';
import type { RouteAnswer, RouteBody } from '#shared/contract/route.ts';
import type { ReleaseMethod } from '#shared/rules/inactivity.ts';
import { storePhone } from './phone.repository.ts';
import type { PhoneProofs } from './phone.service.ts';
import { isUntouched, maySaveUnverified, type SafetySettings } from './profile.rules.ts';

export type UserProfile = RouteAnswer<typeof getUserProfile>;

/** Who saves, from where, and what they have proved. */
export type ProfileActor = Proved & { origin: RequestOrigin };

/** The release feature's own use case: saves, and moves what is waiting. It counts as activity by itself. */
export type SaveReleaseSettings = (
  actor: ProfileActor,
  settings: { releaseMethod: ReleaseMethod; inactivityDays: number },
) => Promise<unknown>;

const settingsSaved = 'account.safety_settings';
/** What the log holds once an owner has saved their settings, here or in the release settings. */
const settingsActions = [settingsSaved, 'release.settings_changed'];

type Saving = { present: SafetySettings; wanted: SafetySettings; needsCode: boolean };

export type Profiles = {
  /** The signed-in person as the web knows them. @throws AppError `UNAUTHENTICATED` where the account is gone. */
  userAnswer(userId: string): Promise<UserAnswer>;
  profile(userId: string): Promise<UserProfile>;
  /** Remembers that the account was led to the plan it chose at registration, so that no other browser leads it there again. */
  notePlanOffered(userId: string): Promise<void>;
  /**
   * Saves what the setup wizard asks; what is left out stays. Before the address is verified this is allowed once. Another
   * number is texted a code, once the address is verified, and counts for nothing until that was typed.
   *
   * @throws AppError `EMAIL_VERIFICATION_REQUIRED`, `VALIDATION` for a phone that can't be texted, or
   * `REAUTHENTICATION_REQUIRED` if it changes anything.
   */
  updateProfile(actor: ProfileActor, form: RouteBody<typeof updateUserProfile>): Promise<UserProfile>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'describeUser'>;
  audit: Audit;
  activity: ActivityLog;
  freshSignIns: Pick<FreshSignIns, 'requireFreshSignIn'>;
  saveReleaseSettings: SaveReleaseSettings;
  phones: Pick<PhoneProofs, 'sendPhoneCode' | 'phoneTrouble'>;
};

export function createProfiles(deps: Dependencies): Profiles {
  const { db, clock, audit, activity, freshSignIns, saveReleaseSettings, phones, accounts } = deps;

  /** Saves the phone, under the lock, and gives what the settings were and are to be. */
  async function savePhone(actor: ProfileActor, form: RouteBody<typeof updateUserProfile>): Promise<Saving> {
    const { userId, origin } = actor;
    return db.transaction(async (tx) => {
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
      if (isChanged(present, wanted)) await freshSignIns.requireFreshSignIn(actor, tx);
      if (present.phone === wanted.phone) return { present, wanted, needsCode: false };

      const number = textableNumber(wanted.phone);
      const at = await clock.now(tx);
      const isSameNumber = number !== null && number === owner.phoneNumber;
      const former = isSameNumber ? null : formerPhoneAfter(owner, at);
      await storePhone(tx, { userId, phone: wanted.phone, number, former, at });
      await audit.record(tx, { userId, action: 'account.phone', resource: 'account', resourceId: userId, origin, at });
      await activity.recordActivity(tx, { userId, type: 'change', at, origin });
      return { present, wanted, needsCode: wanted.phone !== null && owner.emailVerified && !isSameNumber };
    });
  }

  /** The number is saved whether or not it can be texted now: the page offers to ask for a code again. */
  async function tryToSendCode(userId: string): Promise<void> {
    try {
      await phones.sendPhoneCode(userId);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }

  /**
   * A save that changes nothing is still a choice: somebody who wants what every account starts with. It is written
   * down once, since only the log can tell it from settings that nobody has looked at.
   */
  async function noteChoice({ userId, origin }: { userId: string; origin: RequestOrigin }): Promise<void> {
    if (await audit.hasRecorded(db, userId, settingsActions)) return;
    await db.transaction(async (tx) => {
      if (!(await lockOwnerRow(tx, userId))) throw notFound();
      const at = await clock.now(tx);
      await audit.record(tx, { userId, action: settingsSaved, resource: 'account', resourceId: userId, origin, at });
      await activity.recordActivity(tx, { userId, type: 'change', at, origin });
    });
  }

  return {
    async userAnswer(userId) {
      const owner = await findOwner(db, userId);
      if (!owner) throw new AppError('UNAUTHENTICATED', 'Sign in to continue.');
      return accounts.describeUser(owner);
    },
    async profile(userId) {
      const owner = await findOwner(db, userId);
      if (!owner) throw notFound();
      const settings = settingsOf(owner);
      const hasChosenSettings = !isUntouched(settings) || (await audit.hasRecorded(db, userId, settingsActions));
      const phoneTrouble = await phones.phoneTrouble(db, owner);
      return { ...settings, isPhoneProven: provenPhone(owner) !== null, phoneTrouble, hasChosenSettings };
    },
    notePlanOffered: async (userId) => storePlanOffered(db, userId, await clock.now()),
    async updateProfile(actor, form) {
      const { present, wanted, needsCode } = await savePhone(actor, form);
      if (needsCode) await tryToSendCode(actor.userId);
      const { releaseMethod, inactivityDays } = wanted;
      if (isChanged({ ...present, phone: wanted.phone }, wanted))
        await saveReleaseSettings(actor, { releaseMethod, inactivityDays });
      else await noteChoice(actor);
      const owner = await findOwner(db, actor.userId);
      const isPhoneProven = owner !== null && provenPhone(owner) !== null;
      const phoneTrouble = owner && (await phones.phoneTrouble(db, owner));
      return { ...wanted, isPhoneProven, phoneTrouble, hasChosenSettings: true };
    },
  };
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
