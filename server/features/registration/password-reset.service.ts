import type { SpendBudget } from '#server/features/accounts/accounts.limits.ts';
import { findOwnerByEmail, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { SessionActor } from '#server/features/accounts/accounts.service.ts';
import type { ActivityLog } from '#server/features/accounts/activity.service.ts';
import { checkNewPassword } from '#server/features/accounts/common-passwords.ts';
import { findCredentialsById, storePassword } from '#server/features/accounts/credentials.repository.ts';
import { identitiesOf } from '#server/features/accounts/identities.repository.ts';
import type { Passwords } from '#server/features/accounts/passwords.ts';
import { providerNameOf } from '#server/features/accounts/provider-names.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import { offeredFactorsOf } from '#server/features/second-factors/offered-factors.ts';
import type { FreshSignIns, Proved } from '#server/features/sessions/fresh-sign-in.ts';
import type { KnownDevices } from '#server/features/sessions/known-devices.ts';
import type { LoginThrottling } from '#server/features/sessions/login-throttling.service.ts';
import { currentPasswordBudget } from '#server/features/sessions/sessions.limits.ts';
import type { Sessions } from '#server/features/sessions/sessions.service.ts';
import type { IdentityLinkDependencies } from '#server/features/ways-in/identity-links.service.ts';
import { removeEveryIdentity } from '#server/features/ways-in/ways-in.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { inConstantTime } from '#server/platform/clock/constant-time.ts';
import { type HashToken, newToken } from '#server/platform/crypto/token.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import { normalisedPassword } from '#shared/rules/passwords.ts';
import type { ConfirmationLinks } from './confirmation-links.service.ts';
import { type HandOvers, noNames, wasNeverProven } from './hand-over.service.ts';
import type { HoldingsOf } from './holdings.ts';
import { recordMailboxProof } from './mailbox-proof.ts';
import { findByResetToken, storeResetToken } from './mailed-links.repository.ts';
import { nameList, passwordChangedEmail, resetEmail, unlinkedWords } from './registration.emails.ts';
import { resetLinkMs, resetMailBudget } from './registration.limits.ts';

/** Who changes it, in which session and on which device. */
type CompletedReset = {
  isHandedOver: boolean;
  /** Nobody had shown before that whoever signs in reads this mailbox, and what is in the account has stayed. */
  isFirstSign: boolean;
  /** Names of the providers that no longer open the account. */
  unlinkedProviders: string[];
  /** Whether a passkey or an authenticator app has stayed. */
  hasSecondStep: boolean;
};
type PasswordChanger = SessionActor & Proved & { device: string | null };
type KeptByBrowser = { token: string; device: string };

export type PasswordReset = {
  /** Sends a link where the address has an account. The caller cannot tell. */
  requestReset(email: string, origin: RequestOrigin): Promise<void>;
  /**
   * Sets a new password with a link, once; every session ends. A link that came by mail proves the address too; where it is
   * the first proof, the vault is handed over empty, which the answer says.
   *
   * @throws AppError `NOT_FOUND` for a link that is unknown, used or too old; `VALIDATION` for a guessable password.
   */
  completeReset(form: { token: string; password: string }, origin: RequestOrigin): Promise<CompletedReset>;
  /**
   * Changes the password of somebody signed in; the other sessions end, and a copied cookie of this one is worthless too.
   * Gives the session's new token, and what the device keeps; see `KnownDevices`.
   *
   * @throws AppError `VALIDATION`; `REAUTHENTICATION_REQUIRED` where a second factor is turned on that the session has
   * not passed.
   */
  changePassword(actor: PasswordChanger, form: { currentPassword: string; password: string }): Promise<KeptByBrowser>;
  /**
   * Sets a password for an account that has none; the other sessions end. Returns what the device keeps.
   *
   * @throws AppError `REAUTHENTICATION_REQUIRED`; `CONFLICT` if there is a password; `VALIDATION` for a guessable one.
   */
  setFirstPassword(actor: SessionActor & { device: string | null }, password: string): Promise<string>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  hashToken: HashToken;
  audit: Audit;
  notifications: Notifications;
  passwords: Passwords;
  spendBudget: SpendBudget;
  activity: ActivityLog;
  sessions: Sessions;
  devices: KnownDevices;
  throttling: Pick<LoginThrottling, 'clear'>;
  handOvers: Pick<HandOvers, 'handOver'>;
  confirmationLinks: Pick<ConfirmationLinks, 'issueNotMeUrl'>;
  holdingsOf: HoldingsOf;
  freshSignIns: Pick<FreshSignIns, 'requireSecondStep' | 'requireFreshSession'>;
  identityLinks: IdentityLinkDependencies;
  baseUrl: string;
  answerFloorMs: number;
};

type NewPassword = {
  owner: OwnerRow;
  passwordHash: string;
  action: string;
  /** Sentence about the other ways to sign in; null if there are none. */
  ways: string | null;
  origin: RequestOrigin;
  at: Date;
};

export function createPasswordReset(deps: Dependencies): PasswordReset {
  const { db, clock, audit, notifications, passwords, spendBudget, activity, sessions } = deps;
  const { hashToken, devices, throttling, freshSignIns, handOvers, baseUrl, answerFloorMs } = deps;

  async function setPassword(tx: Executor, given: NewPassword): Promise<void> {
    const { owner, passwordHash, action, ways, origin, at } = given;
    await storePassword(tx, { userId: owner.id, passwordHash, at });
    await throttling.clear(tx, devices.throttlingKeyOf(owner.email));
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: 'accounts.password-changed',
      userId: owner.id,
      subjectId: null,
      dedupeKey: `accounts.password-changed:${owner.id}:${at.toISOString()}`,
      at,
      to: { address: owner.email },
      mail: passwordChangedEmail({ to: owner, ways, baseUrl }),
    });
    await audit.record(tx, { userId: owner.id, action, resource: 'account', resourceId: owner.id, origin, at });
  }

  /** Names of the providers that open the account, also of those that are not set up here any more. */
  async function linkedProviders(executor: Executor, userId: string): Promise<string[]> {
    const linked = await identitiesOf(executor, userId);
    return linked.map(({ issuer }) => providerNameOf(deps.identityLinks.providers, issuer));
  }

  /**
   * An address that counts as verified may have been verified by a mail scanner, for somebody who only typed it. Where nothing
   * shows that whoever signs in reads this mailbox, the mail says what is in the account, and how to be rid of it.
   */
  async function doubtsOf(tx: Executor, owner: OwnerRow, at: Date) {
    if (owner.mailboxProvenAt !== null || wasNeverProven(owner)) return null;
    const holdings = await deps.holdingsOf(tx, owner.id);
    return holdings && { holdings, notMeUrl: await deps.confirmationLinks.issueNotMeUrl(tx, { ...owner, at }) };
  }

  async function sendLink(email: string, origin: RequestOrigin): Promise<void> {
    await spendBudget(`reset mail ${email}`, resetMailBudget);
    const token = newToken();
    await db.transaction(async (tx) => {
      const known = await findOwnerByEmail(tx, email);
      const owner = known && (await lockOwnerRow(tx, known.id));
      if (!owner) return;
      const at = await clock.now(tx);
      const tokenHash = hashToken(token);
      await storeResetToken(tx, { userId: owner.id, tokenHash, expiresAt: new Date(at.getTime() + resetLinkMs) });
      await notifications.enqueue(tx, {
        channel: 'email',
        kind: 'accounts.reset',
        userId: owner.id,
        subjectId: null,
        dedupeKey: `accounts.reset:${tokenHash}`,
        at,
        to: { address: owner.email },
        mail: resetEmail({
          to: owner,
          url: `${baseUrl}/reset-password/${token}`,
          isFirstProof: wasNeverProven(owner),
          doubts: await doubtsOf(tx, owner, at),
          unlinks: wasNeverProven(owner) ? [] : await linkedProviders(tx, owner.id),
          baseUrl,
        }),
      });
      const entry = { userId: owner.id, action: 'account.reset_request', resource: 'account', resourceId: owner.id };
      await audit.record(tx, { ...entry, origin, at });
    });
  }

  return {
    requestReset: (email, origin) => inConstantTime(answerFloorMs, () => sendLink(email, origin)),

    async completeReset({ token, password }, origin) {
      const tokenHash = hashToken(token);
      const holder = await findByResetToken(db, tokenHash);
      if (!holder?.expiresAt || holder.expiresAt <= (await clock.now())) throw deadLink();
      checkNewPassword({ password, email: holder.email });
      const passwordHash = await passwords.hash(password);

      return db.transaction(async (tx) => {
        const known = await lockOwnerRow(tx, holder.id);
        // Only now, behind the lock, is it certain that no other use of the link came first.
        const current = await findByResetToken(tx, tokenHash);
        const at = await clock.now(tx);
        if (!known || !current?.expiresAt || current.expiresAt <= at) throw deadLink();
        const isHandedOver = wasNeverProven(known);
        const owner = isHandedOver ? await handOvers.handOver(tx, known, { names: noNames, origin, at }) : known;
        await sessions.endAll(tx, owner.id);
        const unlinkedProviders = await removeEveryIdentity(deps.identityLinks, tx, { userId: owner.id, origin, at });
        const hasSecondStep = (await offeredFactorsOf(tx, owner.id)).length > 0;
        const ways = waysAfterReset(unlinkedProviders, hasSecondStep);
        await setPassword(tx, { owner, passwordHash, action: 'account.reset', ways, origin, at });
        // A passkey or an app that is there already may be of somebody who does not read this mailbox.
        const proof = { userId: owner.id, by: 'reset', origin, at } as const;
        if (!hasSecondStep) await recordMailboxProof({ activity, audit }, tx, proof);
        if (!owner.emailVerified) await activity.markVerified(tx, owner.id, at);
        const isFirstSign = !isHandedOver && owner.mailboxProvenAt === null;
        return { isHandedOver, isFirstSign, unlinkedProviders, hasSecondStep };
      });
    },

    async changePassword(actor, { currentPassword, password }) {
      const { userId, sessionId, origin, device } = actor;
      await freshSignIns.requireSecondStep(actor);
      await spendBudget(`current password ${userId}`, currentPasswordBudget);
      const credentials = await findCredentialsById(db, userId);
      if (!credentials) throw notFound();
      if (!(await passwords.verify(credentials.password, currentPassword))) throw wrongPassword();

      const email = credentials.email;
      checkNewPassword({ password, email });
      if (credentials.tempPassword && normalisedPassword(password) === normalisedPassword(currentPassword))
        throw sameAsGiven();
      const passwordHash = await passwords.hash(password);
      return db.transaction(async (tx) => {
        const owner = await lockOwnerRow(tx, userId);
        const current = await findCredentialsById(tx, userId);
        if (!owner || current?.password !== credentials.password) throw wrongPassword();
        const at = await clock.now(tx);
        await sessions.endAll(tx, userId, sessionId);
        const token = await sessions.renewToken(tx, { sessionId, userId, at, isOwnProof: true });
        const ways = waysThatStay(await linkedProviders(tx, userId));
        await setPassword(tx, { owner, passwordHash, action: 'account.password_change', ways, origin, at });
        await activity.recordActivity(tx, { userId, type: 'change', at, origin });
        return { token, device: devices.remember({ email, devicesForgottenAt: at }, device) };
      });
    },

    async setFirstPassword({ userId, sessionId, origin, device }, password) {
      await freshSignIns.requireFreshSession(db, { userId, sessionId });
      const credentials = await findCredentialsById(db, userId);
      if (!credentials) throw notFound();
      if (credentials.password !== null) throw hasPassword();
      checkNewPassword({ password, email: credentials.email });
      const passwordHash = await passwords.hash(password);
      return db.transaction(async (tx) => {
        const owner = await lockOwnerRow(tx, userId);
        await freshSignIns.requireFreshSession(tx, { userId, sessionId });
        if (!owner || (await findCredentialsById(tx, userId))?.password !== null) throw hasPassword();
        const at = await clock.now(tx);
        await sessions.endAll(tx, userId, sessionId);
        const ways = waysThatStay(await linkedProviders(tx, userId));
        await setPassword(tx, { owner, passwordHash, action: 'account.password_set', ways, origin, at });
        await activity.recordActivity(tx, { userId, type: 'change', at, origin });
        return devices.remember({ email: owner.email, devicesForgottenAt: at }, device);
      });
    },
  };
}

/** What a new password by mail did to the other ways to sign in; null if there were none. */
function waysAfterReset(unlinked: readonly string[], hasSecondStep: boolean): string | null {
  const removed = unlinked.length === 0 ? [] : [unlinkedWords(unlinked)];
  const stayed = hasSecondStep
    ? ['Your second step stays on. If you do not know a passkey or an app that it asks for, reply to this email.']
    : [];
  return [...removed, ...stayed].join(' ') || null;
}

function waysThatStay(providers: readonly string[]): string | null {
  if (providers.length === 0) return null;
  return `You can still sign in with ${nameList(providers)} too. Remove that under Privacy & Security if you do not use it.`;
}

function hasPassword(): AppError {
  return new AppError('CONFLICT', 'Your account has a password already. Change it on this page.');
}

function deadLink(): AppError {
  return notFound('This link has been used already, or its hour is up. Ask for a new one.');
}

/** The administrator who chose it knows it. */
function sameAsGiven(): AppError {
  const message = 'Choose another password than the one you were given.';
  return new AppError('VALIDATION', message, { issues: [{ path: 'password', message }] });
}

function wrongPassword(): AppError {
  const message = 'That is not your current password.';
  return new AppError('VALIDATION', message, { issues: [{ path: 'currentPassword', message }] });
}
