import { randomUUID, randomUUIDv7 } from 'node:crypto';
import type { z } from 'zod';
import type { App } from '#server/app.ts';
import { changeInVault } from '#server/features/accounts/change-in-vault.ts';
import type { RequestOrigin } from '#server/features/audit/record.ts';
import { keepDeleted, putBack } from '#server/features/deleted-rows/deleted-rows.service.ts';
import { outgoingFile, requireFileRoom, takeUpload } from '#server/features/files/files.ts';
import type { Renamed, TakenFile } from '#server/features/files/receive-file.ts';
import { removeFreed } from '#server/features/files/stored-files.ts';
import { meetVersion, type NamedChange } from '#server/features/versions/versions.rules.ts';
import type { Call } from '#server/http/bind.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import type * as contract from '#shared/contract/documents.ts';
import { notFound } from '#shared/contract/errors.ts';
import { changedElsewhere } from '#shared/contract/vault/versions.ts';
import {
  deleteDocumentRow,
  findCreatedAs,
  findDocument,
  insertDocument,
  lockDocument,
  type SealedDocument,
  updateDocumentRow,
} from './documents.repository.ts';
import { fileOf, openListed, openRow, sealFileName, sealWords } from './documents.sealing.ts';

/** A document as its owner sees it. */
type OwnersDocument = z.output<typeof contract.documentSchema>;
type Fields = z.output<typeof contract.documentForm>;

/** @throws AppError as `takeUpload`. */
export async function createDocument(
  app: App,
  call: Call<typeof contract.createDocument>,
): Promise<OwnersDocument & Renamed> {
  const { principal, changeKey, upload } = call;
  const { userId, vaultKey } = principal;
  // A repeat after a lost answer needs no more room: its file is stored already.
  const stored = changeKey && (await findCreatedAs(app.db, userId, changeKey));
  const replacedBytes = stored ? stored.fileSize : 0;
  return takeUpload(app, { principal, use: 'documentVault', replacedBytes }, upload, async (fields, file) => {
    const { document, isRepeat } = await changeInVault(app, call, async (tx, at, { plan }) => {
      const vault = app.vaults.open(userId, vaultKey);
      const earlier = changeKey && (await findCreatedAs(tx, userId, changeKey));
      if (earlier) return { result: { document: openListed(vault, earlier), isRepeat: true } };
      await requireFileRoom(tx, { userId, plan }, { addedBytes: file.sizeBytes });

      const id = randomUUIDv7();
      const { category, visibleToTrustedContact } = fields;
      const row: SealedDocument = {
        ...sealWords(vault, id, { name: titleOf(fields, file), description: fields.description }),
        id,
        userId,
        category,
        visibleToTrustedContact,
        fileName: sealFileName(vault, id, file.name),
        filePath: file.path,
        fileSize: file.sizeBytes,
        mimeType: file.mimeType,
        createdAt: at,
        updatedAt: at,
        version: changeKey ?? randomUUID(),
        createdAs: changeKey ?? null,
      };
      await insertDocument(tx, row);
      return { result: { document: openRow(vault, row), isRepeat: false }, audit: lineOf('document.create', id) };
    });
    if (isRepeat) await removeFreed(app, [file.path]);
    return document;
  });
}

/** @throws AppError `NOT_FOUND`, or `CHANGED_ELSEWHERE` if the stored version is another one. */
export function updateDocument(app: App, call: Call<typeof contract.updateDocument>): Promise<OwnersDocument> {
  const { principal, changeKey, body } = call;
  const { id } = call.params;
  const vault = app.vaults.open(principal.userId, principal.vaultKey);
  return changeInVault(app, call, async (tx, at) => {
    const change = { userId: principal.userId, id, version: body.version, changeKey };
    const { known, isRepeat } = await lockVersion(tx, vault, change);
    if (isRepeat) return { result: openListed(vault, known) };
    const { category, visibleToTrustedContact } = body;
    const columns = {
      ...sealWords(vault, id, body),
      category,
      visibleToTrustedContact,
      updatedAt: at,
      version: changeKey ?? randomUUID(),
    };
    await updateDocumentRow(tx, id, columns);
    return { result: openListed(vault, { ...known, ...columns }), audit: lineOf('document.update', id) };
  });
}

/** @throws AppError as `updateDocument`. */
export function deleteDocument(app: App, call: Call<typeof contract.deleteDocument>): Promise<void> {
  const { id } = call.params;
  const { version } = call.query;
  const { userId, vaultKey } = call.principal;
  return changeInVault(app, call, async (tx, at, { plan }) => {
    if (version !== undefined) await lockVersion(tx, app.vaults.open(userId, vaultKey), { userId, id, version });
    await keepDeleted(tx, { userId, kind: 'document', id }, { plan, at });
    if (!(await deleteDocumentRow(tx, userId, id))) throw notFound();
    return { result: undefined, audit: lineOf('document.delete', id) };
  });
}

/** Restores a deleted document. @throws AppError `NOT_FOUND` or `STORAGE_LIMIT_EXCEEDED`. */
export function restoreDocument(
  app: App,
  {
    principal,
    origin,
    params: { id },
  }: { principal: { userId: string }; origin: RequestOrigin; params: { id: string } },
): Promise<void> {
  const { userId } = principal;
  return changeInVault(app, { principal, origin }, async (tx, at, { plan }) => {
    const requireFit = ({ fileBytes }: { fileBytes: number }) =>
      requireFileRoom(tx, { userId, plan }, { addedBytes: fileBytes });
    if (!(await putBack(tx, { userId, kind: 'document', id }, { at, requireFit }))) throw notFound();
    return { result: undefined, audit: lineOf('document.restore', id) };
  });
}

/** @throws AppError `NOT_FOUND`. */
export async function downloadDocument(
  app: App,
  { principal, params }: Call<typeof contract.downloadDocument>,
): Promise<OutgoingFile> {
  const { userId, vaultKey } = principal;
  const row = await findDocument(app.db, userId, params.id);
  if (!row) throw notFound();
  const vault = app.vaults.open(userId, vaultKey);
  return outgoingFile(app, vault, fileOf(openListed(vault, row)));
}

/** Locks a document and compares its version with a change. @throws AppError as `updateDocument`. */
async function lockVersion(
  tx: Executor,
  vault: Vault,
  { userId, id, ...change }: NamedChange & { userId: string; id: string },
) {
  const known = await lockDocument(tx, userId, id);
  if (!known) throw notFound();
  const meeting = meetVersion(known, change);
  if (meeting === 'refuse') throw changedElsewhere('document', shownAs(openListed(vault, known)));
  return { known, isRepeat: meeting === 'repeat' };
}

function lineOf(action: string, id: string) {
  return { action, resource: 'document', resourceId: id };
}

/** Title of a new document. The page proposes the file's name, so a corrected ending is corrected in the title too. */
function titleOf({ name }: Fields, file: TakenFile): string {
  return !name || name === file.givenName ? file.name : name;
}

/** A document as its owner reads it, for an answer that no schema narrows. */
function shownAs({ userId: _, filePath: __, createdAs: ___, ...shown }: ReturnType<typeof openListed>) {
  return shown;
}
