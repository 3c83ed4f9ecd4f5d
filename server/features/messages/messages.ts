import type { App } from '#server/app.ts';
import { type DeletedRow, keepDeleted, putBack } from '#server/features/deleted-rows/deleted-rows.service.ts';
import { outgoingFile, requireFileRoom, takeUpload } from '#server/features/files/files.ts';
import type { Renamed } from '#server/features/files/receive-file.ts';
import type { Call } from '#server/http/bind.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import { notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/messages.ts';
import { deleteStaged } from './enclosures.repository.ts';
import { attachedFileOf } from './messages.attachments.ts';
import { changeMessage, type OwnersCall, type OwnersMessageCall } from './messages.change.ts';
import { oneChangeOf, restoredChangeOf } from './messages.ready-changes.ts';
import {
  countUndelivered,
  deleteMessageRow,
  findAttachment,
  findCreatedAs,
  updateMessageRow,
} from './messages.repository.ts';
import { isLimited, requireChangeable, requireRoom } from './messages.rules.ts';
import {
  type MessageInput,
  type OwnersMessage,
  requireVersion,
  storeChangedMessage,
  storeNewMessage,
} from './messages.writing.ts';

/** @throws AppError `MESSAGE_LIMIT_EXCEEDED`, or `REAUTHENTICATION_REQUIRED` if a ready message has a new reader. */
export function createMessage(app: App, call: OwnersCall & { body: MessageInput }): Promise<OwnersMessage> {
  return storeNewMessage(app, call, call.body, null);
}

/**
 * @throws AppError `NOT_FOUND`, `CONFLICT` for a delivered message, `CHANGED_ELSEWHERE` if the stored version is another one, or
 * `REAUTHENTICATION_REQUIRED` as `createMessage`.
 */
export function updateMessage(app: App, call: OwnersMessageCall & { body: MessageInput }): Promise<OwnersMessage> {
  return storeChangedMessage(app, call, call.body, null);
}

/** @throws AppError as `createMessage` and `takeUpload`. */
export async function createMessageWithAttachment(
  app: App,
  call: Call<typeof contract.createMessageWithAttachment>,
): Promise<OwnersMessage & Renamed> {
  const { db } = app;
  const { principal, changeKey, upload } = call;
  // Checked again under the lock. Here, so that the owner uploads no file in vain.
  const earlier = changeKey && (await findCreatedAs(db, principal.userId, changeKey));
  if (!earlier) requireRoom(principal.plan, await countUndelivered(db, principal.userId));
  // A repeat after a lost answer needs no more room: its file is stored already.
  const stored = earlier ? await findAttachment(db, principal.userId, earlier) : null;
  const replacedBytes = stored?.attachmentSize ?? 0;
  return takeUpload(app, { principal, use: 'attachments', replacedBytes }, upload, (fields, file) =>
    storeNewMessage(app, call, fields, file),
  );
}

/** Replaces the file of a message, if it has one. @throws AppError as `updateMessage` and `takeUpload`. */
export async function updateMessageWithAttachment(
  app: App,
  call: Call<typeof contract.updateMessageWithAttachment>,
): Promise<OwnersMessage & Renamed> {
  const { principal, params, upload } = call;
  const known = await findAttachment(app.db, principal.userId, params.id);
  if (!known) throw notFound();
  requireChangeable({ ...known, hasReader: known.deliveredAt !== null });
  const intake = { principal, use: 'attachments', replacedBytes: known.attachmentSize ?? 0 } as const;
  return takeUpload(app, intake, upload, (fields, file) => storeChangedMessage(app, call, fields, file));
}

/** @throws AppError `NOT_FOUND`, or `CHANGED_ELSEWHERE` if the stored version is another one. */
export function deleteMessage(
  app: App,
  call: OwnersMessageCall & { query: { version?: string | undefined } },
): Promise<void> {
  const { id } = call.params;
  const { userId } = call.principal;
  return changeMessage(app, call, async (tx, at, plan) => {
    await requireVersion(app, tx, call, call.query.version);
    const freedPaths = await deleteStaged(tx, id);
    await keepDeleted(tx, { userId, kind: 'message', id }, { plan, at });
    const deleted = await deleteMessageRow(tx, userId, id);
    if (!deleted) throw notFound();
    return { result: undefined, action: 'message.delete', id, freedPaths, ready: oneChangeOf(deleted, 'deleted') };
  });
}

/** Restores a deleted message. @throws AppError `NOT_FOUND`, `MESSAGE_LIMIT_EXCEEDED` or `STORAGE_LIMIT_EXCEEDED`. */
export function restoreMessage(app: App, call: OwnersMessageCall): Promise<void> {
  const { id } = call.params;
  const { userId } = call.principal;
  return changeMessage(app, call, async (tx, at, plan) => {
    const requireFit = async ({ row, fileBytes }: DeletedRow) => {
      if (row.status !== 'delivered' && isLimited(plan)) requireRoom(plan, await countUndelivered(tx, userId));
      if (fileBytes > 0) await requireFileRoom(tx, { userId, plan }, { addedBytes: fileBytes });
    };
    const kept = await putBack(tx, { userId, kind: 'message', id }, { at, requireFit });
    if (!kept) throw notFound();
    // Its letters waited for their day and were deleted with it, so the writer has to look at it again.
    if (kept.row.status === 'delivered' && kept.row.delivered_at === null)
      await updateMessageRow(tx, id, { status: 'draft' });
    return { result: undefined, action: 'message.restore', id, ready: restoredChangeOf(kept.row) };
  });
}

/** @throws AppError `NOT_FOUND`. */
export async function downloadAttachment(
  app: App,
  { principal: { userId, vaultKey }, params }: Call<typeof contract.downloadAttachment>,
): Promise<OutgoingFile> {
  const row = await findAttachment(app.db, userId, params.id);
  const vault = app.vaults.open(userId, vaultKey);
  const file = row && attachedFileOf(vault, row);
  if (!file) throw notFound();
  return outgoingFile(app, vault, file);
}
