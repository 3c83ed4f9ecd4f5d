import { AppError } from '#shared/contract/errors.ts';
import type { MessageStatus } from '#shared/rules/categories.ts';
import { isSealedEnvelope } from '#shared/rules/letters/sealed-envelope.ts';
import { canCreateMessage, type PlanName, plans, unlimited } from '#shared/rules/plans.ts';

/**
 * Refuses one more message where the plan has no room. `undelivered` is how many count now.
 * @throws AppError `MESSAGE_LIMIT_EXCEEDED`.
 */
export function requireRoom(plan: PlanName, undelivered: number): void {
  if (canCreateMessage(plan, undelivered)) return;

  const { messageLimit: limit, title } = plans[plan];
  throw new AppError(
    'MESSAGE_LIMIT_EXCEEDED',
    `You have reached the plan limit of ${limit} messages on ${title}. Upgrade to write more, or delete one first.`,
    { upgradeRequired: true, current: undelivered, limit },
  );
}

/** The same for many at once, of which all or none come in. @throws AppError `MESSAGE_LIMIT_EXCEEDED`. */
export function requireRoomForMany(
  plan: PlanName,
  { undelivered, added }: { undelivered: number; added: number },
): void {
  if (added === 0 || canCreateMessage(plan, undelivered + added - 1)) return;

  const { messageLimit: limit, title } = plans[plan];
  throw new AppError(
    'MESSAGE_LIMIT_EXCEEDED',
    `With these there would be ${undelivered + added} messages, and ${title} has room for ${limit}. Nothing was taken. Upgrade first, or delete some.`,
    { upgradeRequired: true, current: undelivered, limit },
  );
}

/** Whether the plan sets an end to how many messages are written. */
export function isLimited(plan: PlanName): boolean {
  return plans[plan].messageLimit !== unlimited;
}

/**
 * What was delivered is in somebody else's hands, be it of one alone of those it is for. @throws AppError `CONFLICT`.
 */
export function requireChangeable({ status, hasReader }: { status: MessageStatus; hasReader: boolean }): void {
  if (status === 'delivered') {
    throw new AppError('CONFLICT', 'This message has been delivered, so it can no longer be changed.');
  }
  if (!hasReader) return;
  throw new AppError(
    'CONFLICT',
    'Somebody can read this message already, so it can no longer be changed. The others get it with your next release.',
  );
}

type SealedOrNot = { encryptedContent?: unknown };
const isSealed = ({ encryptedContent }: SealedOrNot) => encryptedContent !== null && encryptedContent !== undefined;

/** Beside words that a browser has sealed nothing is put that we could read. @throws AppError `CONFLICT`. */
export function requireUnsealed(letter: SealedOrNot): void {
  if (!isSealed(letter)) return;
  throw new AppError(
    'CONFLICT',
    'A letter with a passphrase is sealed in your browser, with all that lies in its envelope. Open it there, and save it with what you add.',
  );
}

/**
 * A letter and the file beside it are both sealed by the browser, or neither is. A file that lay beside sealed words before
 * may stay. @throws AppError `CONFLICT`.
 */
export function requireSealedAlike(
  letter: SealedOrNot,
  file: { mimeType: string | null; isNew: boolean },
  before?: SealedOrNot,
): void {
  if (file.mimeType === null || isSealed(letter) === isSealedEnvelope(file)) return;
  if (isSealed(letter) && !file.isNew && before && isSealed(before)) return;
  throw new AppError(
    'CONFLICT',
    isSealed(letter)
      ? 'A letter with a passphrase holds nothing that is not sealed with it. Seal its file in your browser too, or take it out.'
      : 'The file of this letter is sealed with a passphrase, and its words are not. Send the file anew, or take it out.',
  );
}

/**
 * The sealed file of a letter goes as its words lose their passphrase: not before all that was put in from it is there.
 * @throws AppError `CONFLICT`.
 */
export function requireAllStaged(there: number, staged: readonly string[]): void {
  if (there === new Set(staged).size) return;
  throw new AppError(
    'CONFLICT',
    'What you put into the envelope is not there any more, so the letter was left as it is. Save it once more.',
  );
}

/** Whether a change that took the passphrase off has been made already, and comes once more since its answer was lost. */
export function isTakenIn(
  known: SealedOrNot,
  staged: readonly string[] | undefined,
  lying: readonly { id: string }[],
): boolean {
  if (staged === undefined || isSealed(known)) return false;
  const ids = new Set(lying.map(({ id }) => id));
  return staged.every((id) => ids.has(id));
}

/** What is staged belongs to words that are still sealed. @throws AppError `CONFLICT`. */
export function requireSealed(letter: SealedOrNot): void {
  if (isSealed(letter)) return;
  throw new AppError(
    'CONFLICT',
    'The passphrase of this letter was taken off on another page. Copy what you have written here, then open the letter again.',
  );
}

/**
 * Words are sealed with the key of the file beside them. Where another page has sealed another file since, they would open
 * nothing: neither is changed. @throws AppError `CONFLICT`.
 */
export function requireSameFile({ sealedFile }: { sealedFile?: string | undefined }, there: string | undefined): void {
  if (sealedFile === undefined || sealedFile === there) return;
  throw new AppError(
    'CONFLICT',
    'What lies in the envelope of this letter was changed on another page. Copy what you have written here, then open the letter again.',
  );
}
