import { randomUUID } from 'node:crypto';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { newToken } from '#server/platform/crypto/token.ts';
import type { Vaults } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { register } from '#shared/contract/accounts.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { RouteBody } from '#shared/contract/route.ts';
import { addressTakenEmail, verificationEmail } from './accounts.emails.ts';
import { registrationBudget, type SpendBudget, verificationLinkMs, verificationMailBudget } from './accounts.limits.ts';
import {
  findOwner,
  findOwnerByEmail,
  insertAccount,
  insertVaultKey,
  lockOwnerRow,
  type OwnerRow,
} from './accounts.repository.ts';
import type { ActivityLog } from './activity.service.ts';
import { checkNewPassword } from './common-passwords.ts';
import { findByVerificationToken, storeVerificationToken } from './credentials.repository.ts';
import { inEvenTime } from './even-time.ts';
import { createRegistrationMarks, keepMailboxProof, type OpeningBrowser } from './mailbox-proof.ts';
import type { Passwords } from './passwords.ts';

export type VerificationOutcome = 'verified' | 'expired' | 'unknown';

type RegisterForm = RouteBody<typeof register>;

export type Registration = {
  /**
   * Opens an account, or tells the owner of a taken address; the caller cannot tell which. Gives the mark that the browser
   * keeps until the link is opened in it. @throws AppError `VALIDATION`.
   */
  register(form: RegisterForm, origin: RequestOrigin): Promise<string>;
  /**
   * What a verification link leads to. Pressing it again is fine. In a browser where the account's password was typed it
   * proves the mailbox too, also after a scanner has opened the link.
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
  vaults: Vaults;
  audit: Audit;
  notifications: Notifications;
  passwords: Passwords;
  spendBudget: SpendBudget;
  activity: ActivityLog;
  serviceKeys: Pick<ServiceKeys, 'derive' | 'hashToken'>;
  baseUrl: string;
  answerFloorMs: number;
};

type Link = { userId: string; email: string; token: string; at: Date };

/** Opening an account and verifying its address. */
export function createRegistration(deps: Dependencies): Registration {
  const { db, clock, vaults, audit, notifications, passwords, spendBudget, activity, baseUrl, answerFloorMs } = deps;
  const { hashToken } = deps.serviceKeys;
  const marks = createRegistrationMarks(deps.serviceKeys);

  async function sendLink(tx: Executor, { userId, email, token, at }: Link): Promise<void> {
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: 'accounts.verification',
      userId,
      subjectId: null,
      dedupeKey: `accounts.verification:${hashToken(token)}`,
      at,
      to: { address: email },
      mail: verificationEmail({ url: `${baseUrl}/api/verify-email?token=${token}`, baseUrl }),
    });
  }

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

  async function renewLink(tx: Executor, owner: OwnerRow, at: Date): Promise<void> {
    const token = newToken();
    await storeVerificationToken(tx, {
      userId: owner.id,
      tokenHash: hashToken(token),
      expiresAt: new Date(at.getTime() + verificationLinkMs),
    });
    await sendLink(tx, { userId: owner.id, email: owner.email, token, at });
  }

  async function openAccount(form: RegisterForm, origin: RequestOrigin): Promise<string> {
    checkNewPassword(form);
    await spendBudget(`register ${form.email}`, registrationBudget);
    const passwordHash = await passwords.hash(form.password);
    const token = newToken();
    return db.transaction(async (tx) => {
      const at = await clock.now(tx);
      const userId = await insertAccount(tx, {
        id: randomUUID(),
        email: form.email,
        passwordHash,
        firstName: form.firstName,
        lastName: form.lastName,
        intendedPlan: form.plan === 'free' ? null : form.plan,
        verificationTokenHash: hashToken(token),
        verificationExpiresAt: new Date(at.getTime() + verificationLinkMs),
        at,
      });
      if (userId === null) {
        const owner = await findOwnerByEmail(tx, form.email);
        if (owner) await tellOwner(tx, owner, at);
        return marks.markFor(null);
      }
      await insertVaultKey(tx, { userId, ...vaults.create(userId), at });
      await sendLink(tx, { userId, email: form.email, token, at });
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

  async function replaceLink(token: string): Promise<void> {
    const tokenHash = hashToken(token);
    const holder = await findByVerificationToken(db, tokenHash);
    if (!holder) return;
    await spendBudget(`verification mail ${holder.email}`, verificationMailBudget);
    await db.transaction(async (tx) => {
      const owner = await lockOwnerRow(tx, holder.id);
      const isStillCurrent = (await findByVerificationToken(tx, tokenHash)) !== null;
      if (owner && isStillCurrent && !owner.emailVerified) await renewLink(tx, owner, await clock.now(tx));
    });
  }

  return {
    register: (form, origin) => inEvenTime(answerFloorMs, () => openAccount(form, origin)),

    async verifyEmail(token, browser, origin) {
      const tokenHash = hashToken(token);
      return db.transaction(async (tx) => {
        const found = await findByVerificationToken(tx, tokenHash);
        if (!found) return 'unknown';
        await lockOwnerRow(tx, found.id);
        const holder = await findByVerificationToken(tx, tokenHash);
        if (!holder) return 'unknown';
        const userId = holder.id;
        const at = await clock.now(tx);
        if (!holder.expiresAt || holder.expiresAt <= at) return holder.emailVerified ? 'verified' : 'expired';
        // Before those who wait for the address are told: what they do may depend on it.
        if (marks.knowsPassword(browser, userId)) {
          await keepMailboxProof({ activity, audit }, tx, { userId, by: 'verification-link', origin, at });
        }
        if (!holder.emailVerified) {
          await activity.markVerified(tx, userId, at);
          const entry = { userId, action: 'account.verify', resource: 'account', resourceId: userId };
          await audit.record(tx, { ...entry, origin, at });
        }
        return 'verified';
      });
    },

    async resendVerification(userId) {
      const known = await findOwner(db, userId);
      if (!known) throw notFound();
      await spendBudget(`verification mail ${known.email}`, verificationMailBudget);
      await db.transaction(async (tx) => {
        const owner = await lockOwnerRow(tx, userId);
        if (owner && !owner.emailVerified) await renewLink(tx, owner, await clock.now(tx));
      });
    },

    resendVerificationByLink: (token) => inEvenTime(answerFloorMs, () => replaceLink(token)),
  };
}
