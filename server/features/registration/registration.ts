import { randomUUID } from 'node:crypto';
import { type App, perApp } from '#server/app.ts';
import {
  findOwner,
  findOwnerByEmail,
  lockOwnerRow,
  type OwnerRow,
  storeFirstVerified,
} from '#server/features/accounts/accounts.repository.ts';
import { isDesignatedAccount, openAccount } from '#server/features/accounts/accounts.ts';
import { markVerified } from '#server/features/accounts/activity.ts';
import { checkNewPassword } from '#server/features/accounts/common-passwords.ts';
import { findCredentialsById } from '#server/features/accounts/credentials.repository.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { rememberedDevice } from '#server/features/sessions/known-devices.ts';
import { offeredFactorsOf } from '#server/features/sessions/second-factors/offered-factors.ts';
import type { SignedInPerson } from '#server/features/sessions/second-step.ts';
import { browserCookiesOf, setSignInCookies, signInCookiesOf } from '#server/features/sessions/sign-in-cookies.ts';
import { startSession } from '#server/features/sessions/start-session.ts';
import { openVerifiedAddress, sealVerifiedAddress } from '#server/features/sessions/verified-address.ts';
import type { Call, HttpCall } from '#server/http/bind.ts';
import { createTimedCookie } from '#server/http/session.ts';
import { inConstantTime } from '#server/platform/clock/constant-time.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type * as contract from '#shared/contract/accounts.ts';
import { notFound } from '#shared/contract/errors.ts';
import type * as mailboxContract from '#shared/contract/mailbox.ts';
import type { RouteBody } from '#shared/contract/route.ts';
import { sendConfirmationLinks } from './confirmation-links.ts';
import { knowsPassword, recordMailboxProof, registrationMark } from './mailbox-proof.ts';
import { findByVerificationToken } from './mailed-links.repository.ts';
import { addressTakenEmail } from './registration.emails.ts';
import { registrationBudget, verificationLinkMs, verificationMailBudget } from './registration.limits.ts';

/** Same answer to each request for a link, so that it does not reveal whether there is an account. */
const verificationSent = 'If your address is still to be confirmed, a new link is on its way to it.';

/** Cookie with the registration mark (`registrationMark`) of a browser in which an account was registered. */
const markCookieOf = perApp(({ baseUrl }) =>
  createTimedCookie(new URL(baseUrl), { name: 'everkept-registered', maxAgeMs: verificationLinkMs }),
);

/** Opens an account, or mails the owner of a taken address. The caller can't tell which. @throws AppError `VALIDATION` or `RATE_LIMITED`. */
export async function register(app: App, { body, origin, reply }: HttpCall<typeof contract.register>) {
  const mark = await inConstantTime(app.answerFloorMs, () => openOrTell(app, body, origin));
  markCookieOf(app).set(reply, mark);
  return { message: 'We have sent you an email. Press the link in it to confirm your address.' };
}

/** Follows a verification link. A second press is harmless. */
export async function verifyEmail(app: App, call: HttpCall<typeof contract.verifyEmail>) {
  const { query, principal, origin, request, reply } = call;
  // Mail scanners send HEAD first. Only a GET verifies.
  if (request.method === 'HEAD') return reply.redirect('/verify-email');
  const browser = {
    mark: markCookieOf(app).read(request),
    // A password that an administrator chose proves nothing about the reader of the mail.
    signedInAs: principal && !principal.mustChangePassword ? principal.userId : null,
    isSignedIn: principal !== null,
    device: browserCookiesOf(app, request).device,
  };
  const { outcome, email, signedIn } = await verify(app, query.token, browser, origin);
  if (outcome === 'expired') return reply.redirect(`/verify-email?token=${encodeURIComponent(query.token)}`);
  if (outcome === 'unknown') return reply.redirect('/verify-email');
  if (signedIn) {
    setSignInCookies(app, call, signedIn);
    markCookieOf(app).clear(reply);
  } else if (email !== null && principal === null) {
    signInCookiesOf(app).address.set(reply, await sealVerifiedAddress(app, email));
  }
  return reply.redirect('/?verified=true');
}

/** Returns the address that was verified in this browser, for the sign-in page to fill in. */
export async function getVerifiedAddress(app: App, { request }: HttpCall<typeof mailboxContract.getVerifiedAddress>) {
  return { email: await openVerifiedAddress(app, signInCookiesOf(app).address.read(request)) };
}

/** Sends a new link to the person who is signed in, unless the address is verified. */
export async function resendVerification(app: App, { principal }: Call<typeof contract.resendVerification>) {
  const { userId } = principal;
  const known = await findOwner(app.db, userId);
  if (!known) throw notFound();
  await app.limits.spend(`verification mail ${known.email}`, verificationMailBudget);
  await app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, userId);
    if (owner && !owner.emailVerified) await sendConfirmationLinks(app, tx, { ...owner, at: await app.clock.now(tx) });
  });
  return { message: verificationSent };
}

/** Sends a new link to the address of an expired link. Does nothing if the token is unknown or the address is verified. */
export async function resendVerificationByLink(app: App, { body }: Call<typeof contract.resendVerificationByLink>) {
  await inConstantTime(app.answerFloorMs, () => replaceLink(app, body.token));
  return { message: verificationSent };
}

/** Opens an account, or mails the owner of a taken address. Returns the registration mark for the browser. */
async function openOrTell(app: App, form: RouteBody<typeof contract.register>, origin: RequestOrigin): Promise<string> {
  checkNewPassword(form);
  await app.limits.spend(`register ${form.email}`, registrationBudget);
  const passwordHash = await app.passwords.hash(form.password);
  return app.db.transaction(async (tx) => {
    const at = await app.clock.now(tx);
    const userId = await openAccount(app, tx, {
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
      if (owner) await tellOwner(app, tx, owner, at);
      return registrationMark(app, null);
    }
    await sendConfirmationLinks(app, tx, { id: userId, email: form.email, at });
    const entry = { userId, action: 'account.register', resource: 'account', resourceId: userId };
    await recordAudit(app, tx, { ...entry, origin, at });
    return registrationMark(app, userId);
  });
}

async function tellOwner(app: App, tx: Executor, owner: OwnerRow, at: Date): Promise<void> {
  const hour = at.toISOString().slice(0, 13);
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'accounts.address-taken',
    userId: owner.id,
    subjectId: null,
    dedupeKey: `accounts.address-taken:${owner.id}:${hour}`,
    at,
    to: { address: owner.email },
    mail: addressTakenEmail({ to: owner, baseUrl: app.baseUrl }),
  });
}

/** Browser that opened a verification link. */
type OpeningBrowser = {
  /** Registration mark of this browser. Null if it has none. */
  mark: string | null;
  /** Account that is signed in with a password of its owner's choice. Null if none is. */
  signedInAs: string | null;
  /** True if any account is signed in. */
  isSignedIn: boolean;
  /** Cookie of a known device. Null if it has none. */
  device: string | null;
};

type Verification = {
  outcome: 'verified' | 'expired' | 'unknown';
  /** Address that the sign-in page may fill in. Null unless the link was live. */
  email: string | null;
  /** Person whom the link signs in, since they registered in this very browser. Null for all others. */
  signedIn: SignedInPerson | null;
};

/**
 * Verifies an address by a link. If the browser's user knows the account's password, it also proves the mailbox.
 * The first such proof signs in the person who registered in this browser within the last day.
 */
async function verify(app: App, token: string, browser: OpeningBrowser, origin: RequestOrigin): Promise<Verification> {
  const tokenHash = app.serviceKeys.hashToken(token);
  return app.db.transaction(async (tx) => {
    const found = await findByVerificationToken(tx, tokenHash);
    const owner = found && (await lockOwnerRow(tx, found.id));
    // Read again under the lock, because another request may have replaced the link meanwhile.
    const holder = owner && (await findByVerificationToken(tx, tokenHash));
    if (!owner || !holder) return { outcome: 'unknown', email: null, signedIn: null };
    const userId = owner.id;
    const at = await app.clock.now(tx);
    if (!holder.expiresAt || holder.expiresAt <= at) {
      return { outcome: owner.emailVerified ? 'verified' : 'expired', email: null, signedIn: null };
    }
    // The proof is stored before `markVerified`, whose listeners may read it.
    const isProvenNow =
      knowsPassword(app, browser, userId) &&
      (await recordMailboxProof(app, tx, { userId, by: 'verification-link', origin, at }));
    if (!owner.emailVerified || owner.firstVerifiedAt === null) {
      // If an operator vouched for the address, the listeners of `markVerified` have run already.
      if (owner.emailVerified) await storeFirstVerified(tx, userId, at);
      else await markVerified(app, tx, userId, at);
      const entry = { userId, action: 'account.verify', resource: 'account', resourceId: userId };
      await recordAudit(app, tx, { ...entry, origin, at });
    }
    const maySignIn = isProvenNow && !browser.isSignedIn;
    const signedIn = maySignIn ? await signInByMark(app, tx, { owner, browser, origin, at }) : null;
    return { outcome: 'verified', email: owner.email, signedIn };
  });
}

type SigningIn = { owner: OwnerRow; browser: OpeningBrowser; origin: RequestOrigin; at: Date };

/**
 * Signs in the person who registered in this browser and has the mailed link. A password reset asks for no more.
 * Null if the account is over a day old, has a second factor or a temporary password, is being deleted, or is the
 * administrator's.
 */
async function signInByMark(
  app: App,
  tx: Executor,
  { owner, browser, origin, at }: SigningIn,
): Promise<SignedInPerson | null> {
  const userId = owner.id;
  const isRecent = at.getTime() - owner.createdAt.getTime() <= verificationLinkMs;
  if (!isRecent || owner.tempPassword || owner.deletionRequestedAt) return null;
  if (isDesignatedAccount(app, { ...owner, emailVerified: true, mailboxProvenAt: at })) return null;
  if ((await offeredFactorsOf(tx, userId)).length > 0) return null;
  const start = { userId, previousToken: null, origin, at, method: 'registration', secondFactor: null } as const;
  const token = await startSession(app, tx, { ...start, isKept: false });
  const signedIn = await findOwner(tx, userId);
  const credentials = await findCredentialsById(tx, userId);
  if (!signedIn || !credentials) throw notFound();
  return { token, owner: signedIn, device: rememberedDevice(app, credentials, browser.device), isKept: false };
}

async function replaceLink(app: App, token: string): Promise<void> {
  const tokenHash = app.serviceKeys.hashToken(token);
  const holder = await findByVerificationToken(app.db, tokenHash);
  if (!holder) return;
  await app.limits.spend(`verification mail ${holder.email}`, verificationMailBudget);
  await app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, holder.id);
    const isStillCurrent = (await findByVerificationToken(tx, tokenHash)) !== null;
    if (owner && isStillCurrent && !owner.emailVerified)
      await sendConfirmationLinks(app, tx, { ...owner, at: await app.clock.now(tx) });
  });
}
