import type { z } from 'zod';
import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordActivity } from '#server/features/accounts/activity.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { restoreContact } from '#server/features/contacts/contact-removal.ts';
import { titleOfDeleted } from '#server/features/deleted-rows/deleted-rows.sealing.ts';
import {
  deletedSince,
  findDeleted,
  listDeleted,
  removeDeleted as removeDeletedRow,
} from '#server/features/deleted-rows/deleted-rows.service.ts';
import { restoreDocument } from '#server/features/documents/documents.ts';
import { removeFreed } from '#server/features/files/stored-files.ts';
import { restoreMessage } from '#server/features/messages/messages.ts';
import { detailsOf } from '#server/features/ready-changes/ready-changes.rules.ts';
import { noteReadyChange } from '#server/features/ready-changes/ready-changes.service.ts';
import { requireFreshSignIn } from '#server/features/sessions/fresh-sign-in.ts';
import type { Call } from '#server/http/bind.ts';
import { notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/vault/recently-deleted.ts';
import { type DeletedKind, recentlyDeletedMs } from '#shared/rules/retention.ts';

type DeletedItem = z.output<typeof contract.deletedItemSchema>;

/** A deletion is never refused, so a restored row counts for both copies: the deleted one and the one put back. */
const restoredCopies = 2;

/** Lists deleted items that can be restored, newest first. */
export async function listRecentlyDeleted(
  app: App,
  { principal }: Call<typeof contract.listRecentlyDeleted>,
): Promise<DeletedItem[]> {
  const { userId, vaultKey } = principal;
  const rows = await listDeleted(app.db, userId, deletedSince(await app.clock.now()));
  if (rows.length === 0) return [];
  const vault = app.vaults.open(userId, vaultKey);
  return rows.map((row) => {
    const { kind, id, deletedAt } = row;
    const title = titleOfDeleted(vault, row);
    const item = { kind, id, deletedAt, goneAt: new Date(deletedAt.getTime() + recentlyDeletedMs) };
    return title === null ? { ...item, title: '', isDamaged: true } : { ...item, title };
  });
}

/**
 * Restores a deleted item. A letter or a document counts for the plan again, and a contact as one who has just accepted.
 *
 * @throws AppError `NOT_FOUND`, `RATE_LIMITED`, and every error that creating it again would throw.
 */
export async function restoreDeleted(
  app: App,
  { principal, origin, params }: Call<typeof contract.restoreDeleted>,
): Promise<void> {
  const { kind, id } = params;
  const call = { principal, origin, params };
  const kept = await findDeleted(app.db, { userId: principal.userId, kind, id });
  // Before the transaction, which would occupy its connection meanwhile. Files stay in the store and do not count.
  if (kept) await app.limits.spendWritten(principal, restoredCopies * (kept.sizeBytes - kept.fileBytes), 'restore');
  if (kind === 'message') return restoreMessage(app, call);
  return kind === 'document' ? restoreDocument(app, call) : restoreContact(app, { principal, origin, id });
}

/** Deletes permanently. @throws AppError `NOT_FOUND`, or `REAUTHENTICATION_REQUIRED` because it can't be undone. */
export async function removeDeleted(
  app: App,
  { principal, origin, params }: Call<typeof contract.removeDeleted>,
): Promise<void> {
  const { kind, id } = params;
  const { userId } = principal;
  const freed = await app.db.transaction(async (tx) => {
    if (!(await lockOwnerRow(tx, userId))) throw notFound();
    await requireFreshSignIn(app, principal, tx);
    const at = await app.clock.now(tx);
    await recordActivity(app, tx, { userId, type: 'change', at, origin });
    const kept = await findDeleted(tx, { userId, kind, id });
    const paths = await removeDeletedRow(tx, { userId, kind, id });
    if (!kept || !paths) throw notFound();
    const wasReady = kind === 'message' && kept.row.status === 'ready';
    if (wasReady) await noteReadyChange(tx, userId, at);
    const details = wasReady ? detailsOf({ kinds: ['forgotten'], newReaders: [] }) : undefined;
    await recordAudit(app, tx, { userId, ...forgetting[kind], resourceId: id, details, origin, at });
    return paths;
  });
  await removeFreed(app, freed);
}

const forgetting: Record<DeletedKind, { action: string; resource: string }> = {
  message: { action: 'message.forget', resource: 'message' },
  document: { action: 'document.forget', resource: 'document' },
  contact: { action: 'contact.forget', resource: 'trusted_contact' },
};
