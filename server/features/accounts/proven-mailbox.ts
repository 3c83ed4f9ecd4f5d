import { AppError } from '#shared/contract/errors.ts';
import type { OwnerRow } from './accounts.repository.ts';

/**
 * A second factor locks out everyone without it, even with a new password. A verified address is not enough to add one:
 * a stranger may have registered it, and a mail scanner opened the link.
 * @throws AppError `CONFLICT`.
 */
export function requireProvenMailbox({ mailboxProvenAt }: Pick<OwnerRow, 'mailboxProvenAt'>): void {
  if (mailboxProvenAt !== null) return;
  const message = 'First show that the mailbox of your account is yours, on this page. Then you can add a second step.';
  throw new AppError('CONFLICT', message);
}
