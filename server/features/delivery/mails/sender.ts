import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { Sender } from './delivery.emails.ts';

/** Release that a mail is about, with its owner. */
export type AboutRelease = { requestId: string; owner: OwnerRow; at: Date };

/**
 * Returns the writer's name in a mail and on the page. An owner without a name is named by the address that recipients
 * know.
 */
export function senderOf({ firstName, lastName, email }: OwnersName): Sender {
  const name = [firstName, lastName].filter(Boolean).join(' ') || email;
  return { name, firstName: firstName || name };
}

export type OwnersName = { firstName: string | null; lastName: string | null; email: string };

/** Day (UTC) in the keys of mails that are sent once a day. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
