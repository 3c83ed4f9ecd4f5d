import { randomUUID } from 'node:crypto';
import type { SpendBudget } from '#server/features/accounts/accounts.limits.ts';
import {
  findOwner,
  findOwnerByEmail,
  lockOwnerRow,
  type OwnerRow,
} from '#server/features/accounts/accounts.repository.ts';
import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { ActivityLog } from '#server/features/accounts/activity.service.ts';
import { checkNewPassword } from '#server/features/accounts/common-passwords.ts';
import { findCredentialsById } from '#server/features/accounts/credentials.repository.ts';
import type { Passwords } from '#server/features/accounts/passwords.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import { offeredFactorsOf } from '#server/features/second-factors/offered-factors.ts';
import type { KnownDevices } from '#server/features/sessions/known-devices.ts';
import type { SignedInPerson } from '#server/features/sessions/second-step.service.ts';
import type { Sessions } from '#server/features/sessions/sessions.service.ts';
import { startSession } from '#server/features/sessions/start-session.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { inConstantTime } from '#server/platform/clock/constant-time.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { register } from '#shared/contract/accounts.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { RouteBody } from '#shared/contract/route.ts';
import type { ConfirmationLinks } from './confirmation-links.service.ts';
import { createRegistrationMarks, type OpeningBrowser, recordMailboxProof } from './mailbox-proof.ts';
import { findByVerificationToken } from './mailed-links.repository.ts';
import { addressTakenEmail } from './registration.emails.ts';
import { registrationBudget, verificationLinkMs, verificationMailBudget } from './registration.limits.ts';

export type VerificationOutcome = {
  is: 'verified' | 'expired' | 'unknown';
  /** What the sign-in page may fill in: the address, where the link was live. */
  email: string | null;
  /** The person who is signed in by the link, since they registered in this very browser; null for everybody else. */
  signedIn: SignedInPerson | null;
};

type RegisterForm = RouteBody<typeof register>;

export type Registration = {
  /**
   * Opens an account, or tells the owner of a taken address; the caller cannot tell which. Gives the mark that the browser
   * keeps until the link is opened in it. @throws AppError `VALIDATION`.
   */
  register(form: RegisterForm, origin: RequestOrigin): Promise<string>;
  /**
   * What a verification link leads to. Pressing it again is fine. In a browser where the account's password was typed it
   * proves the mailbox too, also after a scanner has opened the link; and the first time it signs in the person who
   * registered there within the last day.
   */
  verifyEmail(token: string, browser: OpeningBrowser, origin: RequestOrigin): Promise<VerificationOutcome>;
  /** Sends a new link to somebody signed in; nothing where the address is verified already. */
  resendVerification(userId: string): Promise<void>;
  /** Sends a new link to the address a dead one was for; nothing where the token was never ours. */
  resendVerificationByLink(token: string): Promise<void>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'openAccount' | 'isDesignated'>;
  audit: Audit;
  notifications: Notifications;
  passwords: Passwords;
  spendBudget: SpendBudget;
  activity: ActivityLog;
  serviceKeys: Pick<ServiceKeys, 'derive' | 'hashToken'>;
  confirmationLinks: Pick<ConfirmationLinks, 'askAddress'>;
  sessions: Sessions;
  devices: KnownDevices;
  baseUrl: string;
  answerFloorMs: number;
};

type Entering = { owner: OwnerRow; browser: OpeningBrowser; origin: RequestOrigin; at: Date };

/** Opening an account and verifying its address. */
export function createRegistration(deps: Dependencies): Registration {
  const { db, clock, accounts, audit, notifications, passwords, spendBudget, activity, baseUrl, answerFloorMs } = deps;
  const { confirmationLinks, sessions, devices } = deps;
  const { hashToken } = deps.serviceKeys;
  const marks = createRegistrationMarks(deps.serviceKeys);

  async function tellOwner(tx: Executor, owner: OwnerRow, at: Date): Promise<void> {
    const hour = at.toISOString().slice(0, 13);
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: 'accounts.address-taken',
      userId: owner.id,
      subjectId: null,
      dedupeKey: `accounts.address-taken:${owner.id}:${hour}`,
      at,
      to: { address: owner.email },
      mail: addressTakenEmail({ to: owner, baseUrl }),
    });
  }

  async function openAccount(form: RegisterForm, origin: RequestOrigin): Promise<string> {
    checkNewPassword(form);
    await spendBudget(`register ${form.email}`, registrationBudget);
    const passwordHash = await passwords.hash(form.password);
    return db.transaction(async (tx) => {
      const at = await clock.now(tx);
      const userId = await accounts.openAccount(tx, {
        id: randomUUID(),
        email: form.email,
        passwordHash,
        firstName: form.firstName,
        lastName: form.lastName,
        intendedPlan: form.plan === 'free' ? null : form.plan,
        at,
      });
      if (userId === null) {
        const owner = await findOwnerByEmail(tx, form.email);
        if (owner) await tellOwner(tx, owner, at);
        return marks.markFor(null);
      }
      await confirmationLinks.askAddress(tx, { id: userId, email: form.email, at });
      await audit.record(tx, {
        userId,
        action: 'account.register',
        resource: 'account',
        resourceId: userId,
        origin,
        at,
      });
      return marks.markFor(userId);
    });
  }

  /**
   * Signs in the person who registered in this browser and now holds the link that was mailed: both together are what a reset of
   * the password asks for. Only at the first proof of the mailbox, so once; never past a second factor, nor the administrator.
   */
  async function enterByMark(tx: Executor, { owner, browser, origin, at }: Entering): Promise<SignedInPerson | null> {
    const userId = owner.id;
    const isToday = at.getTime() - owner.createdAt.getTime() <= verificationLinkMs;
    if (!isToday || owner.tempPassword || owner.deletionRequestedAt) return null;
    if (accounts.isDesignated({ ...owner, emailVerified: true, mailboxProvenAt: at })) return null;
    if ((await offeredFactorsOf(tx, userId)).length > 0) return null;
    const start = { userId, previousToken: null, origin, at, method: 'registration', secondFactor: null } as const;
    const token = await startSession({ audit, activity, sessions }, tx, { ...start, isKept: false });
    const signedIn = await findOwner(tx, userId);
    const credentials = await findCredentialsById(tx, userId);
    if (!signedIn || !credentials) throw notFound();
    return { token, owner: signedIn, device: devices.remember(credentials, browser.device), isKept: false };
  }

  async function replaceLink(token: string): Promise<void> {
    const tokenHash = hashToken(token);
    const holder = await findByVerificationToken(db, tokenHash);
    if (!holder) return;
    await spendBudget(`verification mail ${holder.email}`, verificationMailBudget);
    await db.transaction(async (tx) => {
      const owner = await lockOwnerRow(tx, holder.id);
      const isStillCurrent = (await findByVerificationToken(tx, tokenHash)) !== null;
      if (owner && isStillCurrent && !owner.emailVerified)
        await confirmationLinks.askAddress(tx, { ...owner, at: await clock.now(tx) });
    });
  }

  return {
    register: (form, origin) => inConstantTime(answerFloorMs, () => openAccount(form, origin)),

    async verifyEmail(token, browser, origin) {
      const tokenHash = hashToken(token);
      return db.transaction(async (tx) => {
        const found = await findByVerificationToken(tx, tokenHash);
        const owner = found && (await lockOwnerRow(tx, found.id));
        const holder = owner && (await findByVerificationToken(tx, tokenHash));
        if (!owner || !holder) return { is: 'unknown', email: null, signedIn: null };
        const userId = owner.id;
        const at = await clock.now(tx);
        if (!holder.expiresAt || holder.expiresAt <= at) {
          return { is: owner.emailVerified ? 'verified' : 'expired', email: null, signedIn: null };
        }
        // Before those who wait for the address are told: what they do may depend on it.
        const isProvenNow =
          marks.knowsPassword(browser, userId) &&
          (await recordMailboxProof({ activity, audit }, tx, { userId, by: 'verification-link', origin, at }));
        if (!owner.emailVerified || owner.firstVerifiedAt === null) {
          // Where an operator had vouched for it, all that hangs on the address has happened.
          if (owner.emailVerified) await activity.hearFromMailbox(tx, userId, at);
          else await activity.markVerified(tx, userId, at);
          const entry = { userId, action: 'account.verify', resource: 'account', resourceId: userId };
          await audit.record(tx, { ...entry, origin, at });
        }
        const maySignIn = isProvenNow && browser.signedInAs === null && !browser.isSignedIn;
        const signedIn = maySignIn ? await enterByMark(tx, { owner, browser, origin, at }) : null;
        return { is: 'verified', email: owner.email, signedIn };
      });
    },

    async resendVerification(userId) {
      const known = await findOwner(db, userId);
      if (!known) throw notFound();
      await spendBudget(`verification mail ${known.email}`, verificationMailBudget);
      await db.transaction(async (tx) => {
        const owner = await lockOwnerRow(tx, userId);
        if (owner && !owner.emailVerified)
          await confirmationLinks.askAddress(tx, { ...owner, at: await clock.now(tx) });
      });
    },

    resendVerificationByLink: (token) => inConstantTime(answerFloorMs, () => replaceLink(token)),
  };
}
