import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { type Change, changeInVault } from '#server/features/accounts/change-in-vault.ts';
import type { RequestOrigin } from '#server/features/audit/record.ts';
import { findDeleted } from '#server/features/deleted-rows/deleted-rows.service.ts';
import type { Proved } from '#server/features/sessions/fresh-sign-in.ts';
import type { Vault, WrappedKey } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import { type ContactRow, findContact } from './contacts.repository.ts';
import { lockOwnerAndTrustees } from './trustees.repository.ts';

/** An owner's request, and the key of the change if it has one. */
export type OwnersCall = {
  principal: Proved & { vaultKey: WrappedKey };
  origin: RequestOrigin;
  changeKey?: string | undefined;
};

/** An owner and their open vault in the transaction of a change. The owner's row is locked. */
export type ContactChange = { tx: Executor; owner: OwnerRow; vault: Vault; at: Date };

/** A change that was made. A repeat is not recorded. */
type Done<Result> = { id: string; result: Result; details?: Record<string, unknown>; isRepeat?: boolean };

/**
 * Runs a change of one contact, `id`, or of a new one. It is a sign of life, which is recorded before the change: a release
 * ends while the contact and their link to the portal still exist, so that they can be notified.
 */
export function changeContact<Result>(
  app: App,
  { principal, origin, id, action }: OwnersCall & { id?: string; action: string },
  act: (change: ContactChange) => Promise<Done<Result>>,
): Promise<Result> {
  const { userId, vaultKey } = principal;
  const lockFirst = async (tx: Executor) => {
    const known = id === undefined ? null : await findContactOrDeleted(tx, userId, id);
    if (known) await lockContact(tx, known);
  };
  return changeInVault(app, { principal, origin, lockFirst }, async (tx, at, owner): Promise<Change<Result>> => {
    const done = await act({ tx, owner, vault: app.vaults.open(userId, vaultKey), at });
    const { id: resourceId, details, result, isRepeat } = done;
    return isRepeat ? { result } : { result, audit: { action, resource: 'trusted_contact', resourceId, details } };
  });
}

/** Locks the owner and the accounts that can be trustee through this contact. It comes before other locks. */
export function lockContact(
  tx: Executor,
  { id, userId, email }: { id: string; userId: string; email: string },
): Promise<void> {
  return lockOwnerAndTrustees(tx, { userId, contactId: id, email });
}

/** @throws AppError `NOT_FOUND`. */
export async function findOwnContact(executor: Executor, userId: string, id: string): Promise<ContactRow> {
  const contact = await findContact(executor, userId, id);
  if (!contact) throw notFound();
  return contact;
}

/** Finds a contact, or a deleted one, whose address tells which accounts have to be locked. */
async function findContactOrDeleted(tx: Executor, userId: string, id: string) {
  const contact = await findContact(tx, userId, id);
  if (contact) return contact;
  const kept = await findDeleted(tx, { userId, kind: 'contact', id });
  return kept && { id, userId, email: String(kept.row.email) };
}
