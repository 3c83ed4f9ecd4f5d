import { AppError } from '#shared/contract/errors.ts';
import type { MessageStatus } from '#shared/rules/categories.ts';
import { isSealedEnvelope } from '#shared/rules/letters/sealed-envelope.ts';
import { canCreateMessage, type PlanName, plans, unlimited } from '#shared/rules/plans.ts';

/**
 * Refuses one more message if the plan has no room. `undelivered` is the number that counts now.
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

/** Refuses several messages if the plan has no room for all of them. @throws AppError `MESSAGE_LIMIT_EXCEEDED`. */
export function requireRoomForMany(
  plan: PlanName,
  { undelivered, added }: { undelivered: number; added: number },
): void {
  if (added === 0 || canCreateMessage(plan, undelivered + added - 1)) return;

  const { messageLimit: limit, title } = plans[plan];
  throw new AppError(
    'MESSAGE_LIMIT_EXCEEDED',
    `With these there would be ${undelivered + added} messages, and ${title} has room for ${limit}. Nothing was added. Upgrade first, or delete some.`,
    { upgradeRequired: true, current: undelivered, limit },
  );
}

/** True if the plan limits the number of messages. */
export function isLimited(plan: PlanName): boolean {
  return plans[plan].messageLimit !== unlimited;
}

/** Refuses a change of a message that a reader has. @throws AppError `CONFLICT`. */
export function requireChangeable({ status, hasReader }: { status: MessageStatus; hasReader: boolean }): void {
  if (status === 'delivered') {
    throw new AppError('CONFLICT', 'This message has been delivered, so it can no longer be changed.');
  }
  if (!hasReader) return;
  throw new AppError(
    'CONFLICT',
    'One of its readers can open this message already, so it can no longer be changed. The others get it with your next release.',
  );
}

type SealedOrNot = { encryptedContent?: unknown };
const isSealed = ({ encryptedContent }: SealedOrNot) => encryptedContent !== null && encryptedContent !== undefined;

/** Refuses readable content beside words that a browser has sealed. @throws AppError `CONFLICT`. */
export function requireUnsealed(letter: SealedOrNot): void {
  if (!isSealed(letter)) return;
  throw new AppError(
    'CONFLICT',
    'A letter with a passphrase is sealed in your browser, with everything in its envelope. Open the letter there, then add to it and save it.',
  );
}

/**
 * Requires that the browser has sealed both the letter and its file, or neither. An earlier file beside sealed words may stay.
 * @throws AppError `CONFLICT`.
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
      ? 'Everything in a letter with a passphrase must be sealed with that passphrase. Seal its file in your browser too, or remove the file.'
      : 'The file of this letter is sealed with a passphrase, and its words are not. Add the file again, or remove it.',
  );
}

/**
 * Requires that all contents of the sealed file are staged, because the file goes with the passphrase.
 * @throws AppError `CONFLICT`.
 */
export function requireAllStaged(there: number, staged: readonly string[]): void {
  if (there === new Set(staged).size) return;
  throw new AppError(
    'CONFLICT',
    'The contents of the envelope are no longer there, so the letter was not changed. Save it again.',
  );
}

/** True if a change that removes the passphrase is stored already. Its answer was lost, and it is repeated. */
export function isTakenIn(
  known: SealedOrNot,
  staged: readonly string[] | undefined,
  lying: readonly { id: string }[],
): boolean {
  if (staged === undefined || isSealed(known)) return false;
  const ids = new Set(lying.map(({ id }) => id));
  return staged.every((id) => ids.has(id));
}

/** Requires that the words are still sealed: staged files belong to them. @throws AppError `CONFLICT`. */
export function requireSealed(letter: SealedOrNot): void {
  if (isSealed(letter)) return;
  throw new AppError(
    'CONFLICT',
    'The passphrase of this letter was removed on another page. Copy your words from here, then open the letter again.',
  );
}

/**
 * Refuses words that are sealed with the key of an earlier file. Another page has replaced the file since, so they would not
 * open it. @throws AppError `CONFLICT`.
 */
export function requireSameFile({ sealedFile }: { sealedFile?: string | undefined }, there: string | undefined): void {
  if (sealedFile === undefined || sealedFile === there) return;
  throw new AppError(
    'CONFLICT',
    'The contents of this letter’s envelope were changed on another page. Copy your words from here, then open the letter again.',
  );
}

/** Divides messages into lists of ids that are read together, in their order. A list within the limits is as long as it can be. */
export function readAtOnce(
  found: readonly { id: string; length: number }[],
  { countMax, lengthMax }: { countMax: number; lengthMax: number },
): string[][] {
  const lists: string[][] = [];
  let lengthLeft = 0;
  for (const { id, length } of found) {
    const list = lists.at(-1);
    if (list && list.length < countMax && length <= lengthLeft) {
      list.push(id);
      lengthLeft -= length;
    } else {
      lists.push([id]);
      lengthLeft = lengthMax - length;
    }
  }
  return lists;
}
