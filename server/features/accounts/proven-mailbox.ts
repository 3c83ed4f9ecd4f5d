import { AppError } from '#shared/contract/errors.ts';
import type { OwnerRow } from './accounts.repository.ts';

/**
 * A factor shuts out whoever has none, by a new password too. A verified address is not enough to add one: a mail scanner may
 * have opened the link of an account that somebody registered for another's address.
 *
 * @throws AppError `CONFLICT`.
 */
export function requireProvenMailbox({ mailboxProvenAt }: Pick<OwnerRow, 'mailboxProvenAt'>): void {
  if (mailboxProvenAt !== null) return;
  const message = 'First show that the mailbox of your account is yours, on this page. Then you can add a second step.';
  throw new AppError('CONFLICT', message);
}
