import { randomInt, randomUUID } from 'node:crypto';
import type { SpendBudget } from '#server/features/accounts/accounts.limits.ts';
import { findOwner, lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { ActivityLog } from '#server/features/accounts/activity.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import { type PhoneTrouble, phoneTroubleWords } from '#shared/contract/phone.ts';
import { productName } from '#shared/product.ts';
import { countPhoneTry, findPhoneCode, storePhoneCode, storePhoneProof } from './phone.repository.ts';
import {
  phoneCodeMs,
  phoneCodesOfAccountBudget,
  phoneCodesOfNumberBudget,
  phoneCodeTriesMax,
} from './registration.limits.ts';

/** The kind of the text that holds a code; it asks nobody how they are. */
export const phoneCodeKind = 'accounts.phone-code';

/** Twilio's error numbers for what the owner can put right. */
const troubleOfCode: ReadonlyMap<number | null, PhoneTrouble> = new Map([
  [21610, 'stopped'],
  [21614, 'landline'],
]);

export type PhoneProofs = {
  /**
   * Texts a code to the owner's number, in place of the code before.
   *
   * @throws AppError `CONFLICT` where there is nothing to prove, or no texts are sent here; `EMAIL_VERIFICATION_REQUIRED`;
   * `RATE_LIMITED`.
   */
  sendPhoneCode(userId: string): Promise<void>;
  /** From now on the number counts. @throws AppError `VALIDATION` for a code that is wrong or over. */
  provePhone(actor: { userId: string; origin: RequestOrigin }, code: string): Promise<void>;
  /** Why the last code to the owner's number did not leave; null if it did, or waits. */
  phoneTrouble(executor: Executor, owner: Numbered): Promise<PhoneTrouble | null>;
};

type Numbered = Pick<OwnerRow, 'id' | 'phoneNumber' | 'phoneProvenAt'>;

type Dependencies = {
  db: Database;
  clock: Clock;
  audit: Audit;
  activity: ActivityLog;
  notifications: Pick<Notifications, 'enqueue' | 'lastTextRefusal'>;
  serviceKeys: Pick<ServiceKeys, 'derive'>;
  spendBudget: SpendBudget;
  isTextingSetUp?: boolean;
};

/**
 * A number that somebody gave may be mistyped, or another's: it counts once its holder has told us what we texted there.
 * Several accounts may prove one number, as couples do, each with a code of its own.
 */
export function createPhoneProofs(deps: Dependencies): PhoneProofs {
  const { db, clock, audit, activity, notifications, serviceKeys, spendBudget, isTextingSetUp = true } = deps;

  /** A code is good for this account and this number alone. */
  const hashOf = (userId: string, number: string, code: string) =>
    serviceKeys.derive('phone-code', JSON.stringify([userId, number, code]));

  function numberToProve(owner: OwnerRow | null): string {
    if (!owner) throw notFound();
    if (!owner.emailVerified) {
      throw new AppError('EMAIL_VERIFICATION_REQUIRED', 'Confirm your email address first. We sent you a link.');
    }
    if (owner.phone === null) throw new AppError('CONFLICT', 'Save a phone number first.');
    if (owner.phoneProvenAt !== null) throw new AppError('CONFLICT', 'This number is confirmed already.');
    if (!isTextingSetUp) {
      throw new AppError('CONFLICT', 'No texts are sent from here. Reminders go to your email address.');
    }
    if (owner.phoneNumber === null) throw new Error('A phone was saved without its number.');
    return owner.phoneNumber;
  }

  async function phoneTrouble(executor: Executor, { id, phoneNumber, phoneProvenAt }: Numbered) {
    if (phoneNumber === null || phoneProvenAt !== null) return null;
    const refusal = await notifications.lastTextRefusal(executor, {
      userId: id,
      kind: phoneCodeKind,
      phone: phoneNumber,
    });
    return refusal && (troubleOfCode.get(refusal.replyCode) ?? 'refused');
  }

  return {
    phoneTrouble,

    async sendPhoneCode(userId) {
      const number = numberToProve(await findOwner(db, userId));
      await spendBudget(`phone codes of account ${userId}`, phoneCodesOfAccountBudget);
      await spendBudget(`phone codes to ${serviceKeys.derive('phone-codes', number)}`, phoneCodesOfNumberBudget);
      const code = String(randomInt(1_000_000)).padStart(6, '0');
      await db.transaction(async (tx) => {
        const owner = await lockOwnerRow(tx, userId);
        // Changed since: the number that stands there now has its own code.
        if (numberToProve(owner) !== number) return;
        const at = await clock.now(tx);
        await storePhoneCode(tx, userId, hashOf(userId, number, code), new Date(at.getTime() + phoneCodeMs));
        await notifications.enqueue(tx, {
          channel: 'sms',
          kind: phoneCodeKind,
          userId,
          subjectId: null,
          dedupeKey: `${phoneCodeKind}:${randomUUID()}`,
          at,
          phone: number,
          text: codeText(code),
        });
      });
    },

    async provePhone({ userId, origin }, code) {
      const outcome = await db.transaction(async (tx) => {
        const owner = await lockOwnerRow(tx, userId);
        if (!owner) throw notFound();
        const number = owner.phoneNumber;
        const kept = await findPhoneCode(tx, userId);
        const at = await clock.now(tx);
        const isOver = !kept?.expires || kept.expires <= at || kept.tries >= phoneCodeTriesMax;
        if (number === null || !kept?.hash || isOver) return owner.phoneProvenAt === null ? 'over' : 'proven';
        // Keyed, so that how long the comparison takes tells nothing.
        if (kept.hash !== hashOf(userId, number, code)) {
          await countPhoneTry(tx, userId);
          return (await phoneTrouble(tx, owner)) ?? 'wrong';
        }
        await storePhoneProof(tx, userId, at);
        const entry = { userId, action: 'account.phone_proven', resource: 'account', resourceId: userId };
        await audit.record(tx, { ...entry, origin, at });
        await activity.recordActivity(tx, { userId, type: 'change', at, origin });
        return 'proven';
      });
      // Thrown only now: the try is counted.
      if (outcome === 'wrong') throw refused('That code is not right. Look at the newest text, then try again.');
      if (outcome === 'over') throw refused('That code has run out. Ask for a new one.');
      if (outcome !== 'proven') throw refused(phoneTroubleWords[outcome]);
    },
  };
}

/** Says nothing of whose account it is: the number may be a stranger's. */
function codeText(code: string): string {
  return `${productName}: ${code} is your code. Type it in your vault within 10 minutes. If you did not ask for it, do nothing: without it no more is sent here.`;
}

function refused(message: string): AppError {
  return new AppError('VALIDATION', message, { issues: [{ path: 'code', message }] });
}
