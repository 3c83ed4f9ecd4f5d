import type { App } from '#server/app.ts';
import { findOwnerByEmail, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { markVerified, recordActivity } from '#server/features/accounts/activity.ts';
import { checkNewPassword } from '#server/features/accounts/common-passwords.ts';
import { findCredentialsById, storePassword } from '#server/features/accounts/credentials.repository.ts';
import { identitiesOf } from '#server/features/accounts/identities.repository.ts';
import { providerNameOf } from '#server/features/accounts/provider-names.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { requireFreshSession, requireSecondStep } from '#server/features/sessions/fresh-sign-in.ts';
import { rememberedDevice, throttlingKeyOf } from '#server/features/sessions/known-devices.ts';
import { clearTries } from '#server/features/sessions/login-throttling.ts';
import { offeredFactorsOf } from '#server/features/sessions/second-factors/offered-factors.ts';
import { currentPasswordBudget } from '#server/features/sessions/sessions.limits.ts';
import { endAllSessions, renewSessionToken } from '#server/features/sessions/sessions.ts';
import { browserCookiesOf, setDeviceCookie, signInCookiesOf } from '#server/features/sessions/sign-in-cookies.ts';
import { removeEveryIdentity } from '#server/features/ways-in/ways-in.ts';
import type { Call, HttpCall } from '#server/http/bind.ts';
import { inConstantTime } from '#server/platform/clock/constant-time.ts';
import { newToken } from '#server/platform/crypto/token.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type * as contract from '#shared/contract/accounts.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type * as waysInContract from '#shared/contract/sign-in/ways-in.ts';
import { normalisedPassword } from '#shared/rules/passwords.ts';
import { issueNotMeUrl } from './confirmation-links.ts';
import { handOver, noNames, wasNeverProven } from './hand-over.ts';
import { findHoldings } from './holdings.repository.ts';
import { recordMailboxProof } from './mailbox-proof.ts';
import { findByResetToken, storeResetToken } from './mailed-links.repository.ts';
import { nameList, passwordChangedEmail, resetEmail, unlinkedWords } from './registration.emails.ts';
import { resetLinkMs, resetMailBudget } from './registration.limits.ts';

/** Answer to each request for a link, whether or not there is an account. */
const resetSent = 'If there is an account with this address, a link to choose a new password is on its way to it.';

/** Sends a link if the address has an account. The caller can't tell. */
export async function resetPassword(app: App, { body, origin }: Call<typeof contract.resetPassword>) {
  await inConstantTime(app.answerFloorMs, () => sendLink(app, body.email, origin));
  return { message: resetSent };
}

export async function completeResetPassword(
  app: App,
  { body, origin, reply }: HttpCall<typeof contract.completeResetPassword>,
) {
  const completed = await completeReset(app, body, origin);
  signInCookiesOf(app).session.clear(reply);
  return { message: 'Your password is changed. Sign in with the new one.', ...completed };
}

/**
 * Sets a password for an account that has none. The other sessions end.
 *
 * @throws AppError `REAUTHENTICATION_REQUIRED`; `CONFLICT` if there is a password; `VALIDATION` for a guessable one.
 */
export async function setFirstPassword(app: App, call: HttpCall<typeof waysInContract.setFirstPassword>) {
  const { db } = app;
  const { body, principal, origin, request, reply } = call;
  const { userId, sessionId } = principal;
  const { device } = browserCookiesOf(app, request);
  await requireFreshSession(app, db, principal);
  const credentials = await findCredentialsById(db, userId);
  if (!credentials) throw notFound();
  if (credentials.password !== null) throw hasPassword();
  checkNewPassword({ password: body.password, email: credentials.email });
  const passwordHash = await app.passwords.hash(body.password);
  const kept = await db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, userId);
    await requireFreshSession(app, tx, principal);
    if (!owner || (await findCredentialsById(tx, userId))?.password !== null) throw hasPassword();
    const at = await app.clock.now(tx);
    await endAllSessions(tx, userId, sessionId);
    const ways = waysThatStay(await linkedProviders(app, tx, userId));
    await setPassword(app, tx, { owner, passwordHash, action: 'account.password_set', ways, origin, at });
    await recordActivity(app, tx, { userId, type: 'change', at, origin });
    return rememberedDevice(app, { email: owner.email, devicesForgottenAt: at }, device);
  });
  setDeviceCookie(app, reply, kept);
  return { ok: true as const };
}

/**
 * Changes the password. The other sessions end, and this session gets another token, which voids a copied cookie.
 *
 * @throws AppError `VALIDATION`; `REAUTHENTICATION_REQUIRED` if a second factor is turned on that the session has not passed.
 */
export async function changePassword(app: App, call: HttpCall<typeof contract.changePassword>) {
  const { db, passwords, limits } = app;
  const { body, principal, origin, request, reply } = call;
  const { userId, sessionId } = principal;
  const { device } = browserCookiesOf(app, request);
  await requireSecondStep(app, principal);
  await limits.spend(`current password ${userId}`, currentPasswordBudget);
  const credentials = await findCredentialsById(db, userId);
  if (!credentials) throw notFound();
  const { password, currentPassword } = body;
  if (!(await passwords.verify(credentials.password, currentPassword))) throw wrongPassword();

  const email = credentials.email;
  checkNewPassword({ password, email });
  const isSame = normalisedPassword(password) === normalisedPassword(currentPassword);
  if (credentials.tempPassword && isSame) throw sameAsGiven();
  const passwordHash = await passwords.hash(password);
  const kept = await db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, userId);
    const current = await findCredentialsById(tx, userId);
    if (!owner || current?.password !== credentials.password) throw wrongPassword();
    const at = await app.clock.now(tx);
    await endAllSessions(tx, userId, sessionId);
    const token = await renewSessionToken(app, tx, { sessionId, userId, at, isOwnProof: true });
    const ways = waysThatStay(await linkedProviders(app, tx, userId));
    await setPassword(app, tx, { owner, passwordHash, action: 'account.password_change', ways, origin, at });
    await recordActivity(app, tx, { userId, type: 'change', at, origin });
    return { token, device: rememberedDevice(app, { email, devicesForgottenAt: at }, device) };
  });
  signInCookiesOf(app).session.set(reply, kept.token, principal.isKept);
  setDeviceCookie(app, reply, kept.device);
  return { message: 'Your password is changed. Other devices were signed out.' };
}

async function sendLink(app: App, email: string, origin: RequestOrigin): Promise<void> {
  const { baseUrl, clock, limits, serviceKeys } = app;
  await limits.spend(`reset mail ${email}`, resetMailBudget);
  const token = newToken();
  await app.db.transaction(async (tx) => {
    const known = await findOwnerByEmail(tx, email);
    const owner = known && (await lockOwnerRow(tx, known.id));
    if (!owner) return;
    const at = await clock.now(tx);
    const tokenHash = serviceKeys.hashToken(token);
    await storeResetToken(tx, { userId: owner.id, tokenHash, expiresAt: new Date(at.getTime() + resetLinkMs) });
    await enqueueNotification(app, tx, {
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
        doubts: await doubtsOf(app, tx, owner, at),
        unlinks: wasNeverProven(owner) ? [] : await linkedProviders(app, tx, owner.id),
        baseUrl,
      }),
    });
    const entry = { userId: owner.id, action: 'account.reset_request', resource: 'account', resourceId: owner.id };
    await recordAudit(app, tx, { ...entry, origin, at });
  });
}

type CompletedReset = {
  isHandedOver: boolean;
  /** True if this is the first proof of the mailbox, and the account's content stayed. */
  isFirstSign: boolean;
  /** Names of the providers that no longer open the account. */
  unlinkedProviders: string[];
  /** True if a passkey or an authenticator app stayed. */
  hasSecondStep: boolean;
};

/**
 * Sets a new password with a link, once. Every session ends. A mailed link proves the address too. If it is the first proof, the
 * vault is handed over empty.
 *
 * @throws AppError `NOT_FOUND` for a link that is unknown, used or too old; `VALIDATION` for a guessable password.
 */
async function completeReset(
  app: App,
  { token, password }: { token: string; password: string },
  origin: RequestOrigin,
): Promise<CompletedReset> {
  const { db, clock } = app;
  const tokenHash = app.serviceKeys.hashToken(token);
  const holder = await findByResetToken(db, tokenHash);
  if (!holder?.expiresAt || holder.expiresAt <= (await clock.now())) throw deadLink();
  checkNewPassword({ password, email: holder.email });
  const passwordHash = await app.passwords.hash(password);

  return db.transaction(async (tx) => {
    const known = await lockOwnerRow(tx, holder.id);
    // Read after the lock, since another use of the link may have come first.
    const current = await findByResetToken(tx, tokenHash);
    const at = await clock.now(tx);
    if (!known || !current?.expiresAt || current.expiresAt <= at) throw deadLink();
    const isHandedOver = wasNeverProven(known);
    const owner = isHandedOver ? await handOver(app, tx, known, { names: noNames, origin, at }) : known;
    const userId = owner.id;
    await endAllSessions(tx, userId);
    const unlinkedProviders = await removeEveryIdentity(app, tx, { userId, origin, at });
    const hasSecondStep = (await offeredFactorsOf(tx, userId)).length > 0;
    const ways = waysAfterReset(unlinkedProviders, hasSecondStep);
    await setPassword(app, tx, { owner, passwordHash, action: 'account.reset', ways, origin, at });
    // An existing passkey or app may belong to a person who does not read this mailbox.
    if (!hasSecondStep) await recordMailboxProof(app, tx, { userId, by: 'reset', origin, at });
    if (!owner.emailVerified) await markVerified(app, tx, userId, at);
    const isFirstSign = !isHandedOver && owner.mailboxProvenAt === null;
    return { isHandedOver, isFirstSign, unlinkedProviders, hasSecondStep };
  });
}

type NewPassword = {
  owner: OwnerRow;
  passwordHash: string;
  action: string;
  /** Sentence about the other ways to sign in. Null if there are none. */
  ways: string | null;
  origin: RequestOrigin;
  at: Date;
};

async function setPassword(app: App, tx: Executor, given: NewPassword): Promise<void> {
  const { owner, passwordHash, action, ways, origin, at } = given;
  await storePassword(tx, { userId: owner.id, passwordHash, at });
  await clearTries(tx, throttlingKeyOf(app, owner.email));
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'accounts.password-changed',
    userId: owner.id,
    subjectId: null,
    dedupeKey: `accounts.password-changed:${owner.id}:${at.toISOString()}`,
    at,
    to: { address: owner.email },
    mail: passwordChangedEmail({ to: owner, ways, baseUrl: app.baseUrl }),
  });
  await recordAudit(app, tx, { userId: owner.id, action, resource: 'account', resourceId: owner.id, origin, at });
}

/** Names of the providers that are linked, including those that are not set up here any more. */
async function linkedProviders({ identityProviders }: App, executor: Executor, userId: string): Promise<string[]> {
  const linked = await identitiesOf(executor, userId);
  return linked.map(({ issuer }) => providerNameOf(identityProviders, issuer));
}

/**
 * Content of the account, and a link to be rid of it, for an address that counts as verified without a proof of its mailbox. A
 * mail scanner may have verified it for a person who only typed it. Null if the mailbox is proven, or never was verified.
 */
async function doubtsOf(app: App, tx: Executor, owner: OwnerRow, at: Date) {
  if (owner.mailboxProvenAt !== null || wasNeverProven(owner)) return null;
  const holdings = await findHoldings(tx, owner.id);
  return holdings && { holdings, notMeUrl: await issueNotMeUrl(app, tx, { id: owner.id, at }) };
}

/** Effect of a new password by mail on the other ways to sign in. Null if there were none. */
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
  return notFound('This link has been used already, or is more than an hour old. Ask for a new one.');
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
