import type { App } from '#server/app.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { outgoingFile, requireFileRoom, takeUpload } from '#server/features/files/files.ts';
import type { Renamed } from '#server/features/files/receive-file.ts';
import type { Call } from '#server/http/bind.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/letters/enclosures.ts';
import { wordsChangedElsewhere } from '#shared/contract/vault/versions.ts';
import { type EnclosureKind, enclosureKindOf, enclosuresMax } from '#shared/rules/letters/enclosures.ts';
import { isSealedEnvelope } from '#shared/rules/letters/sealed-envelope.ts';
import {
  deleteEnclosure,
  deleteOriginal,
  deleteStagedByOthers,
  findEnclosure,
  insertEnclosures,
  listWithStaged,
  orderEnclosures,
  touchMessage,
  updateEnclosureRow,
} from './enclosures.repository.ts';
import type { EnclosureRow, StoredEnclosure } from './enclosures.rows.ts';
import {
  fileOf,
  newEnclosure,
  newOriginal,
  openEnclosure,
  type ShownEnclosure,
  sealChange,
} from './enclosures.sealing.ts';
import { changeMessage, lockToChange, type OwnersMessageCall } from './messages.change.ts';
import { filesChangeOf } from './messages.ready-changes.ts';
import { type AttachmentRow, findAttachment } from './messages.repository.ts';
import { requireChangeable, requireSealed, requireUnsealed } from './messages.rules.ts';

type OneCall = OwnersMessageCall & { params: { enclosureId: string } };

/**
 * Adds a picture or a voice as the last one of its letter. Beside sealed words that are about to lose their passphrase it is
 * staged. @throws AppError `NOT_FOUND`, `CONFLICT` for a delivered or full letter, and as `takeUpload`.
 */
export async function addEnclosure(
  app: App,
  call: Call<typeof contract.addEnclosure>,
): Promise<ShownEnclosure & Renamed> {
  const {
    principal,
    upload,
    query: { asTaken },
  } = call;
  const messageId = call.params.id;
  const before = await findChangeable(app, call);
  const intake = { principal, use: 'enclosures', asTaken, replacedBytes: bytesToGo(before) } as const;
  return takeUpload(app, intake, upload, (fields, file) =>
    changeMessage(app, call, async (tx, at, plan) => {
      const { known, rows } = await lockWithEnclosures(app, tx, call, at);
      const staging = fields.staging ?? null;
      const vault = app.vaults.open(principal.userId, principal.vaultKey);
      const earlier = call.changeKey && rows.find((row) => row.createdAs === call.changeKey && row.staging === staging);
      if (earlier) {
        const result = openEnclosure(vault, earlier);
        return { result, action: null, id: messageId, freedPaths: [file.path], ready: null };
      }
      const kind = enclosureKindOf(file.name);
      if (!kind) throw new Error('A file was taken that is neither a picture nor a voice.');
      if (staging) requireSealed(known);
      else requireUnsealed(known);
      // Staged files that another page has left.
      const freedPaths = staging ? await deleteStagedByOthers(tx, messageId, staging) : [];
      const beside = rows.filter((row) => row.staging === staging);
      requirePlaceFor(kind, beside);
      const bytes = { addedBytes: file.sizeBytes, replacedBytes: bytesToGo(known) };
      await requireFileRoom(tx, { userId: principal.userId, plan }, bytes);

      const names = { createdAt: at, createdAs: call.changeKey ?? null };
      const owned = { userId: principal.userId, messageId, staging, position: beside.length + 1, ...names };
      const words = { caption: fields.caption, transcript: '' };
      const row = newEnclosure(vault, owned, { kind, afterParagraph: null, ...words, file });
      await insertEnclosures(tx, [row]);
      const ready = filesChangeOf(known, staging);
      return { result: openEnclosure(vault, row), action: 'message.enclose', id: messageId, freedPaths, ready };
    }),
  );
}

/**
 * Stores a file beside a picture as its original, in place of an earlier one.
 * @throws AppError `NOT_FOUND`, `CONFLICT` for a delivered letter, and as `takeUpload`.
 */
export async function addOriginal(
  app: App,
  call: Call<typeof contract.addOriginal>,
): Promise<ShownEnclosure & Renamed> {
  const {
    principal,
    upload,
    params: { id: messageId, enclosureId: id },
  } = call;
  const before = await findChangeable(app, call);
  requirePicture(await findEnclosure(app.db, { messageId, id }));
  const intake = { principal, use: 'originals', replacedBytes: bytesToGo(before) } as const;
  return takeUpload(app, intake, upload, (_fields, file) =>
    changeMessage(app, call, async (tx, at, plan) => {
      const { known, rows } = await lockWithEnclosures(app, tx, call, at);
      const row = oneOf(rows, id);
      if (!row.staging) requireUnsealed(known);
      const replacedBytes = (row.original?.fileSize ?? 0) + bytesToGo(known);
      const bytes = { addedBytes: file.sizeBytes, replacedBytes };
      await requireFileRoom(tx, { userId: principal.userId, plan }, bytes);

      const vault = app.vaults.open(principal.userId, principal.vaultKey);
      const freedPaths = await deleteOriginal(tx, id);
      const original = newOriginal(vault, { ...row, createdAt: at }, file);
      await insertEnclosures(tx, [original]);
      const result = openEnclosure(vault, { ...row, original });
      const ready = filesChangeOf(known, row.staging);
      return { result, action: 'message.enclose', id: messageId, freedPaths, ready };
    }),
  );
}

/** @throws AppError `NOT_FOUND`, or `CONFLICT` for a delivered letter. */
export function removeOriginal(app: App, call: OneCall): Promise<void> {
  const { id: messageId, enclosureId } = call.params;
  return changeMessage(app, call, async (tx, at) => {
    const { known, rows } = await lockWithEnclosures(app, tx, call, at);
    const row = oneOf(rows, enclosureId);
    if (!row.original) throw notFound();
    const freedPaths = await deleteOriginal(tx, enclosureId);
    const ready = filesChangeOf(known, row.staging);
    return { result: undefined, action: 'message.enclosure_remove', id: messageId, freedPaths, ready };
  });
}

/** @throws AppError `NOT_FOUND`, `CONFLICT` for a delivered letter, or `CHANGED_ELSEWHERE` if other words are stored. */
export function updateEnclosure(app: App, call: Call<typeof contract.updateEnclosure>): Promise<ShownEnclosure> {
  const { id: messageId, enclosureId } = call.params;
  const { position, afterParagraph, before, ...words } = call.body;
  return changeMessage(app, call, async (tx, at) => {
    const { known, rows } = await lockWithEnclosures(app, tx, call, at);
    const row = oneOf(rows, enclosureId);
    const vault = app.vaults.open(call.principal.userId, call.principal.vaultKey);
    requireWords(openEnclosure(vault, row), { before, words });
    const place = afterParagraph === undefined ? {} : { afterParagraph };
    const columns = { ...sealChange(vault, row.id, words), ...place };
    if (Object.keys(columns).length > 0) await updateEnclosureRow(tx, row.id, columns);
    const order = position === undefined ? rows : movedTo(rows, row, position);
    await orderEnclosures(
      tx,
      order.map(({ id }) => id),
    );
    const changed = { ...row, ...columns, position: order.indexOf(row) + 1 };
    const ready = filesChangeOf(known, row.staging);
    return { result: openEnclosure(vault, changed), action: 'message.enclosure_change', id: messageId, ready };
  });
}

/** @throws AppError `NOT_FOUND`, or `CONFLICT` for a delivered letter. */
export function removeEnclosure(app: App, call: OneCall): Promise<void> {
  const { id: messageId, enclosureId } = call.params;
  return changeMessage(app, call, async (tx, at) => {
    const { known, rows } = await lockWithEnclosures(app, tx, call, at);
    const row = oneOf(rows, enclosureId);
    const freedPaths = await deleteEnclosure(tx, row.id);
    const left = rows.filter((each) => each !== row).map(({ id }) => id);
    await orderEnclosures(tx, left);
    const ready = filesChangeOf(known, row.staging);
    return { result: undefined, action: 'message.enclosure_remove', id: messageId, freedPaths, ready };
  });
}

/** Returns the file of an enclosure or of an original for its writer. @throws AppError `NOT_FOUND`. */
export async function getEnclosure(
  app: App,
  { principal: { userId, vaultKey }, params }: Call<typeof contract.getEnclosure>,
): Promise<OutgoingFile> {
  const row = await findEnclosure(app.db, { messageId: params.id, id: params.enclosureId });
  if (row?.userId !== userId) throw notFound();
  const vault = app.vaults.open(userId, vaultKey);
  return outgoingFile(app, vault, fileOf(vault, row));
}

/** Returns the file of an enclosure or of an original for the reader of a letter. @throws AppError `NOT_FOUND`. */
export async function openDeliveredEnclosure(
  app: App,
  executor: Executor,
  { userId, messageId }: { userId: string; messageId: string },
  id: string,
): Promise<OutgoingFile> {
  const row = await findEnclosure(executor, { messageId, id });
  if (!row || row.staging) throw notFound();
  const vault = await openVault(app, executor, userId);
  return outgoingFile(app, vault, fileOf(vault, row));
}

/** Finds a message that may be changed, before its file is uploaded. The lock checks again. */
async function findChangeable({ db }: App, { principal, params }: OwnersMessageCall): Promise<AttachmentRow> {
  const found = await findAttachment(db, principal.userId, params.id);
  if (!found) throw notFound();
  requireChangeable({ ...found, hasReader: found.deliveredAt !== null });
  return found;
}

/** Locks the message and reads its enclosures. */
async function lockWithEnclosures(app: App, tx: Executor, call: OwnersMessageCall, at: Date) {
  const known = await lockToChange(app, tx, call, at);
  await touchMessage(tx, call.params.id, at);
  return { known, rows: await listWithStaged(tx, call.params.id) };
}

/** Bytes of the sealed file that goes with the passphrase. Staged files replace it, so the plan needs no room for both. */
function bytesToGo({ attachmentMimeType: mimeType, attachmentSize }: Omit<AttachmentRow, 'userId'>): number {
  return isSealedEnvelope({ mimeType }) ? (attachmentSize ?? 0) : 0;
}

/** @throws AppError `NOT_FOUND`. */
function oneOf(rows: readonly EnclosureRow[], id: string): EnclosureRow {
  const row = rows.find((each) => each.id === id);
  if (!row) throw notFound();
  return row;
}

/** @throws AppError `NOT_FOUND` for all but pictures in a letter: only they have an original. */
function requirePicture(row: StoredEnclosure | null): void {
  if (row?.kind !== 'picture' || row.originalOf !== null) throw notFound();
}

/** Rows in the order after one of them was moved. */
function movedTo(rows: readonly EnclosureRow[], row: EnclosureRow, position: number): EnclosureRow[] {
  const others = rows.filter((each) => each !== row);
  others.splice(position - 1, 0, row);
  return others;
}

/** @throws AppError `CONFLICT`. */
function requirePlaceFor(kind: EnclosureKind, rows: readonly EnclosureRow[]): void {
  const there = rows.filter((row) => row.kind === kind).length;
  if (there < enclosuresMax[kind]) return;
  throw new AppError('CONFLICT', fullSentences[kind]);
}

const fullSentences: Record<EnclosureKind, string> = {
  picture: `A letter has room for ${enclosuresMax.picture} pictures. Take one out before you add another.`,
  voice: 'This letter has a recording already. Take that out before you add another.',
};

type WordsOf = Pick<ShownEnclosure, 'caption' | 'transcript'>;
type WordsChange = { before: WordsOf | undefined; words: { [Name in keyof WordsOf]?: string | undefined } };

/** Accepts words that are stored already, as after a lost answer. @throws AppError `CHANGED_ELSEWHERE` if other words are stored. */
function requireWords(stored: ShownEnclosure, { before, words }: WordsChange): void {
  const isSame = (word: keyof WordsOf) => stored[word] === before?.[word] || stored[word] === words[word];
  if (before && !(isSame('caption') && isSame('transcript'))) throw wordsChangedElsewhere(stored);
}
