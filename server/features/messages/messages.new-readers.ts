import type { App } from '#server/app.ts';
import { findOwner, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { type Proved, staleSignIn } from '#server/features/sessions/fresh-sign-in.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { RecipientInput } from '#shared/contract/letters/recipients.ts';
import { mailboxOf } from '#shared/rules/addresses/mailboxes.ts';
import type { MessageStatus } from '#shared/rules/categories.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { listPromisedRecipients } from './recipients.repository.ts';
import { openRecipient } from './recipients.sealing.ts';

/** Days after registration in which the first ready letter of a vault asks for no fresh sign-in. */
const firstLetterDays = 1;

type Reading = {
  principal: Proved;
  vault: Vault;
  /** Status that the letter is about to have. */
  status: MessageStatus;
  given: readonly RecipientInput[];
  at: Date;
};

/**
 * Asks for a fresh sign-in if a ready letter names a mailbox that no ready or delivered letter of this vault named before. A
 * session that was left open must not redirect letters. Call it under the owner's lock, before the letter is written.
 *
 * @throws AppError `REAUTHENTICATION_REQUIRED`.
 */
export async function requireFreshForNewReader(app: App, tx: Executor, reading: Reading): Promise<void> {
  if (reading.status !== 'ready') return;
  const stale = await staleSignIn(app, reading.principal, tx);
  if (stale && (await namesNewMailbox(tx, reading))) throw stale;
}

async function namesNewMailbox(tx: Executor, { principal, vault, given, at }: Reading): Promise<boolean> {
  const unknown = new Set(given.map(({ email }) => mailboxOf(email)));
  const promised = await listPromisedRecipients(tx, principal.userId);
  if (promised.length === 0 && isNewcomer(await findOwner(tx, principal.userId), at)) return false;
  for (const row of promised) {
    const opened = unlessBroken(() => openRecipient(vault, row));
    if (opened) unknown.delete(mailboxOf(opened.email));
    if (unknown.size === 0) return false;
  }
  return true;
}

/** A newcomer may write for an hour at a first letter, and is not asked for the password that they just chose. */
function isNewcomer(owner: OwnerRow | null, at: Date): boolean {
  return owner !== null && at.getTime() - owner.createdAt.getTime() < firstLetterDays * dayMs;
}
