import { AppError } from '#shared/contract/errors.ts';
import type { MessageStatus } from '#shared/rules/categories.ts';
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

/**
 * Beside words that a browser has sealed nothing may lie that we could read. @throws AppError `CONFLICT`.
 */
export function requireUnsealed({ encryptedContent }: { encryptedContent: unknown }): void {
  if (encryptedContent === null || encryptedContent === undefined) return;
  throw new AppError(
    'CONFLICT',
    'A letter with a passphrase is sealed in your browser, and pictures and voice can’t be yet. Take the passphrase off, or the pictures and the voice out.',
  );
}
