import type { App } from '#server/app.ts';
import { findOwner } from '#server/features/accounts/accounts.repository.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import type { DepartureWriter } from '#server/features/notifications/mail-reactions.ts';
import { newToken } from '#server/platform/crypto/token.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { findHoldings } from './holdings.repository.ts';
import { storeVerificationToken } from './mailed-links.repository.ts';
import { findNotMeHolder, insertNotMeLink, moveNotMeLinkEnd } from './not-me-links.repository.ts';
import { verificationEmail } from './registration.emails.ts';
import { notMeLinkMs, verificationLinkMs } from './registration.limits.ts';

export { findHoldings } from './holdings.repository.ts';

/** Links that answer "is this account yours?": one verifies the address, and the other says "not me". */
export type ConfirmationUrls = { verifyUrl: string; notMeUrl: string };

type Asked = { id: string; email: string; at: Date };

/** Emails both links, which ask if the account is the reader's. The mail is written when it leaves, with counts of the contents. */
export async function sendConfirmationLinks(app: App, tx: Executor, asked: Asked): Promise<void> {
  const { tokenHash, urls } = await renewLinks(app, tx, asked);
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'accounts.verification',
    userId: asked.id,
    subjectId: null,
    dedupeKey: `accounts.verification:${tokenHash}`,
    at: asked.at,
    to: { address: asked.email },
    mail: verificationEmail({ ...urls, holdings: null, isVouched: false, baseUrl: app.baseUrl }),
    given: urls,
  });
}

/** Writes the mail of `sendConfirmationLinks` at its departure. Null if its account or links are gone. */
export async function writeVerification(
  app: App,
  executor: Executor,
  { userId, given, at }: Parameters<DepartureWriter>[1],
) {
  const { verifyUrl, notMeUrl } = given;
  const owner = userId === null ? null : await findOwner(executor, userId);
  if (!owner || !verifyUrl || !notMeUrl) return null;
  await startNotMeDays(app, executor, notMeUrl, at);
  const holdings = await findHoldings(executor, owner.id);
  return verificationEmail({ verifyUrl, notMeUrl, holdings, isVouched: owner.emailVerified, baseUrl: app.baseUrl });
}

/** Makes new links. The earlier verification link ends, and earlier "not me" links stay valid. The account's row is locked. */
export async function renewConfirmationUrls(app: App, tx: Executor, asked: Asked): Promise<ConfirmationUrls> {
  return (await renewLinks(app, tx, asked)).urls;
}

/** Makes a link "This was not me". Earlier links stay valid. */
export async function issueNotMeUrl(
  { baseUrl, serviceKeys }: App,
  tx: Executor,
  { id: userId, at }: { id: string; at: Date },
): Promise<string> {
  const token = newToken();
  const expiresAt = new Date(at.getTime() + notMeLinkMs);
  await insertNotMeLink(tx, { tokenHash: serviceKeys.hashToken(token), userId, expiresAt });
  return `${baseUrl}/not-me/${token}`;
}

/** Restarts the validity of a "not me" link when its mail leaves. */
export async function startNotMeDays(
  { serviceKeys }: App,
  executor: Executor,
  notMeUrl: string,
  at: Date,
): Promise<void> {
  const token = notMeUrl.slice(notMeUrl.lastIndexOf('/') + 1);
  await moveNotMeLinkEnd(executor, serviceKeys.hashToken(token), new Date(at.getTime() + notMeLinkMs));
}

/** Returns the account of a "not me" link. Null if the link is unknown, used or expired. */
export function notMeHolder({ serviceKeys }: App, executor: Executor, token: string, at: Date): Promise<string | null> {
  return findNotMeHolder(executor, serviceKeys.hashToken(token), at);
}

async function renewLinks(app: App, tx: Executor, asked: Asked) {
  const token = newToken();
  const tokenHash = app.serviceKeys.hashToken(token);
  const expiresAt = new Date(asked.at.getTime() + verificationLinkMs);
  await storeVerificationToken(tx, { userId: asked.id, tokenHash, expiresAt });
  const verifyUrl = `${app.baseUrl}/api/verify-email?token=${token}`;
  return { tokenHash, urls: { verifyUrl, notMeUrl: await issueNotMeUrl(app, tx, asked) } };
}
