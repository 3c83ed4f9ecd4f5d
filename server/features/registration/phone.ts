import { randomInt, randomUUID } from 'node:crypto';
import { type App, isTextingSetUp } from '#server/app.ts';
import { findOwner, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordActivity } from '#server/features/accounts/activity.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { lastTextRefusal } from '#server/features/notifications/sms-replies.ts';
import type { Call } from '#server/http/bind.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/phone.ts';
import { type PhoneTrouble, phoneTroubleWords } from '#shared/contract/phone.ts';
import { productName } from '#shared/product.ts';
import { countPhoneTry, findPhoneCode, storePhoneCode, storePhoneProof } from './phone.repository.ts';
import {
  phoneCodeMs,
  phoneCodesOfAccountBudget,
  phoneCodesOfNumberBudget,
  phoneCodeTriesMax,
} from './registration.limits.ts';

// A typed number may be mistyped or a stranger's. It counts after its owner has typed the texted code. Several accounts
// may prove one number, as couples do, each with a separate code.

/** Twilio's error numbers for trouble that the owner can fix. */
const troubleOfCode: ReadonlyMap<number | null, PhoneTrouble> = new Map([
  [21610, 'stopped'],
  [21614, 'landline'],
]);

/** Texts a new code. @throws AppError as `sendPhoneCode` does. */
export async function resendPhoneCode(app: App, { principal }: Call<typeof contract.resendPhoneCode>) {
  await sendPhoneCode(app, principal.userId);
  return { message: 'A new code is on its way to your phone.' };
}

/** Proves the number: it counts from now on. @throws AppError `VALIDATION` for a code that is wrong or has expired. */
export async function provePhone(app: App, call: Call<typeof contract.verifyPhone>): Promise<void> {
  const outcome = await app.db.transaction((tx) => tryCode(app, tx, call));
  // Thrown after the commit, so that the try is counted.
  if (outcome === 'wrong') throw refused('That code is not right. Look at the newest text, then try again.');
  if (outcome === 'over') throw refused('That code has expired. Ask for a new one.');
  if (outcome !== 'proven') throw refused(phoneTroubleWords[outcome]);
}

/**
 * Texts a code to the owner's number. It replaces the code before.
 *
 * @throws AppError `CONFLICT` if there is nothing to prove, or no texts are sent here; `EMAIL_VERIFICATION_REQUIRED`;
 * `RATE_LIMITED`.
 */
export async function sendPhoneCode(app: App, userId: string): Promise<void> {
  const { db, limits, serviceKeys } = app;
  const number = numberToProve(app, await findOwner(db, userId));
  await limits.spend(`phone codes of account ${userId}`, phoneCodesOfAccountBudget);
  await limits.spend(`phone codes to ${serviceKeys.derive('phone-codes', number)}`, phoneCodesOfNumberBudget);
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  await db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, userId);
    // If the number changed meanwhile, the new one has its own code.
    if (numberToProve(app, owner) !== number) return;
    const at = await app.clock.now(tx);
    await storePhoneCode(tx, userId, hashOf(app, userId, number, code), new Date(at.getTime() + phoneCodeMs));
    await enqueueNotification(app, tx, {
      channel: 'sms',
      kind: 'accounts.phone-code',
      userId,
      subjectId: null,
      dedupeKey: `accounts.phone-code:${randomUUID()}`,
      at,
      phone: number,
      text: codeText(code),
    });
  });
}

/** Reason why the last code to the owner's number failed. Null if it left, or waits. */
export async function phoneTroubleOf(
  app: App,
  executor: Executor,
  { id: userId, phoneNumber, phoneProvenAt }: OwnerRow,
): Promise<PhoneTrouble | null> {
  if (phoneNumber === null || phoneProvenAt !== null) return null;
  const text = { userId, kind: 'accounts.phone-code', phone: phoneNumber };
  const refusal = await lastTextRefusal(app, executor, text);
  return refusal && (troubleOfCode.get(refusal.replyCode) ?? 'refused');
}

async function tryCode(
  app: App,
  tx: Executor,
  { principal: { userId }, body, origin }: Call<typeof contract.verifyPhone>,
): Promise<PhoneTrouble | 'proven' | 'over' | 'wrong'> {
  const owner = await lockOwnerRow(tx, userId);
  if (!owner) throw notFound();
  const number = owner.phoneNumber;
  const kept = await findPhoneCode(tx, userId);
  const at = await app.clock.now(tx);
  const isOver = !kept?.expires || kept.expires <= at || kept.tries >= phoneCodeTriesMax;
  if (number === null || !kept?.hash || isOver) return owner.phoneProvenAt === null ? 'over' : 'proven';
  // The hash is keyed, so the time of the comparison reveals nothing.
  if (kept.hash !== hashOf(app, userId, number, body.code)) {
    await countPhoneTry(tx, userId);
    return (await phoneTroubleOf(app, tx, owner)) ?? 'wrong';
  }
  await storePhoneProof(tx, userId, at);
  const entry = { userId, action: 'account.phone_proven', resource: 'account', resourceId: userId };
  await recordAudit(app, tx, { ...entry, origin, at });
  await recordActivity(app, tx, { userId, type: 'change', at, origin });
  return 'proven';
}

/** A code is valid for one account and one number. */
function hashOf({ serviceKeys }: App, userId: string, number: string, code: string): string {
  return serviceKeys.derive('phone-code', JSON.stringify([userId, number, code]));
}

function numberToProve(app: App, owner: OwnerRow | null): string {
  if (!owner) throw notFound();
  if (!owner.emailVerified) {
    throw new AppError('EMAIL_VERIFICATION_REQUIRED', 'Confirm your email address first. We sent you a link.');
  }
  if (owner.phone === null) throw new AppError('CONFLICT', 'Save a phone number first.');
  if (owner.phoneProvenAt !== null) throw new AppError('CONFLICT', 'This number is confirmed already.');
  if (!isTextingSetUp(app)) {
    throw new AppError('CONFLICT', 'No texts are sent from here. Reminders go to your email address.');
  }
  if (owner.phoneNumber === null) throw new Error('A phone was saved without its number.');
  return owner.phoneNumber;
}

/** Names no account, since the number may be a stranger's. */
function codeText(code: string): string {
  return `${productName}: ${code} is your code. Type it in your vault within 10 minutes. If you did not ask for it, do nothing: without it no more is sent here.`;
}

function refused(message: string): AppError {
  return new AppError('VALIDATION', message, { issues: [{ path: 'code', message }] });
}
