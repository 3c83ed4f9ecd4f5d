import type { Accounts, Principal } from '#server/features/accounts/accounts.service.ts';
import type { Files } from '#server/features/files/files.service.ts';
import type { Renamed } from '#server/features/files/receive-file.ts';
import type { Vaults } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { OutgoingFile, Upload } from '#server/platform/files/incoming.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { addEnclosure, addOriginal, updateEnclosure as updateRoute } from '#shared/contract/letters/enclosures.ts';
import type { RouteBody, RouteForm } from '#shared/contract/route.ts';
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
  updateEnclosure,
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
import type { Changes, OwnersMessageCall } from './messages.change.ts';
import { filesChangeOf } from './messages.ready-changes.ts';
import { type AttachmentRow, findAttachment } from './messages.repository.ts';
import { requireChangeable, requireSealed, requireUnsealed } from './messages.rules.ts';

type OneCall = OwnersMessageCall & { enclosureId: string };
/** With `asTaken` a JPEG keeps what its camera wrote into it. */
type EncloseCall = OwnersMessageCall & { asTaken?: boolean };

/** What lies in the envelope of a letter beside its words and its attachment: pictures and a voice. */
export type Enclosures = {
  /**
   * Puts a file in, behind what is there; beside sealed words that are about to lose their passphrase it is staged. @throws AppError `NOT_FOUND`, `CONFLICT` for what is delivered or has as many as
   * it may, and whatever `Files.take` refuses.
   */
  enclose(call: EncloseCall, upload: Upload<RouteForm<typeof addEnclosure>>): Promise<ShownEnclosure & Renamed>;
  /**
   * Keeps a file beside a picture as its original, in place of any that was there. @throws AppError `NOT_FOUND`, `CONFLICT` for
   * what is delivered, and whatever `Files.take` refuses.
   */
  keepOriginal(call: OneCall, upload: Upload<RouteForm<typeof addOriginal>>): Promise<ShownEnclosure & Renamed>;
  /** @throws AppError `NOT_FOUND`, or `CONFLICT` for what is delivered. */
  removeOriginal(call: OneCall): Promise<void>;
  /** @throws AppError `NOT_FOUND`, or `CONFLICT` for what is delivered. */
  changeEnclosure(call: OneCall, change: RouteBody<typeof updateRoute>): Promise<ShownEnclosure>;
  /** @throws AppError `NOT_FOUND`, or `CONFLICT` for what is delivered. */
  removeEnclosure(call: OneCall): Promise<void>;
  /** One of them, or the original of one. @throws AppError `NOT_FOUND`. */
  enclosure(principal: Principal, messageId: string, enclosureId: string): Promise<OutgoingFile>;
  /** The same for the reader of a letter. @throws AppError `NOT_FOUND`. */
  enclosureForDelivery(
    executor: Executor,
    letter: { userId: string; messageId: string },
    enclosureId: string,
  ): Promise<OutgoingFile>;
};

export type EnclosuresDependencies = {
  db: Database;
  vaults: Pick<Vaults, 'open'>;
  accounts: Pick<Accounts, 'openVault'>;
  files: Pick<Files, 'take' | 'requireRoom' | 'giveOut'>;
  changes: Changes;
};

export function createEnclosures({ db, vaults, accounts, files, changes }: EnclosuresDependencies): Enclosures {
  /** Locks the message, and gives what it has. */
  async function lockWithEnclosures(tx: Executor, call: OwnersMessageCall, at: Date) {
    const known = await changes.lockToChange(tx, call, at);
    await touchMessage(tx, call.id, at);
    return { known, rows: await listWithStaged(tx, call.id) };
  }

  return {
    async enclose(call, upload) {
      const { principal, id: messageId } = call;
      // Once more under the lock; here so that nobody sends a file for nothing.
      const before = await findAttachment(db, principal.userId, messageId);
      if (!before) throw notFound();
      requireChangeable({ ...before, hasReader: before.deliveredAt !== null });
      const { asTaken = false } = call;
      const intake = { principal, use: 'enclosures', asTaken, replacedBytes: bytesToGo(before) } as const;
      return files.take(intake, upload, (fields, file) =>
        changes.change(call, async (tx, at, plan) => {
          const { known, rows } = await lockWithEnclosures(tx, call, at);
          const kind = enclosureKindOf(file.name);
          if (!kind) throw new Error('A file was taken that is neither a picture nor a voice.');
          const staging = fields.staging ?? null;
          if (staging) requireSealed(known);
          else requireUnsealed(known);
          // What another page has left: two at once would each begin anew.
          const freedPaths = staging ? await deleteStagedByOthers(tx, messageId, staging) : [];
          const beside = rows.filter((row) => row.staging === staging);
          requirePlaceFor(kind, beside);
          const bytes = { addedBytes: file.sizeBytes, replacedBytes: bytesToGo(known) };
          await files.requireRoom(tx, { userId: principal.userId, plan }, bytes);

          const vault = vaults.open(principal.userId, principal.vaultKey);
          const owned = { userId: principal.userId, messageId, staging, position: beside.length + 1, createdAt: at };
          const words = { caption: fields.caption, transcript: '' };
          const row = newEnclosure(vault, owned, { kind, afterParagraph: null, ...words, file });
          await insertEnclosures(tx, [row]);
          const ready = filesChangeOf(known, staging);
          return { result: openEnclosure(vault, row), action: 'message.enclose', id: messageId, freedPaths, ready };
        }),
      );
    },

    async keepOriginal(call, upload) {
      const { principal, id: messageId, enclosureId: id } = call;
      const before = await findAttachment(db, principal.userId, messageId);
      if (!before) throw notFound();
      requireChangeable({ ...before, hasReader: before.deliveredAt !== null });
      requirePicture(await findEnclosure(db, { messageId, id }));
      const intake = { principal, use: 'originals', replacedBytes: bytesToGo(before) } as const;
      return files.take(intake, upload, (_fields, file) =>
        changes.change(call, async (tx, at, plan) => {
          const { known, rows } = await lockWithEnclosures(tx, call, at);
          const row = oneOf(rows, id);
          if (!row.staging) requireUnsealed(known);
          const replacedBytes = (row.original?.fileSize ?? 0) + bytesToGo(known);
          const bytes = { addedBytes: file.sizeBytes, replacedBytes };
          await files.requireRoom(tx, { userId: principal.userId, plan }, bytes);

          const vault = vaults.open(principal.userId, principal.vaultKey);
          const freedPaths = await deleteOriginal(tx, id);
          const original = newOriginal(vault, { ...row, createdAt: at }, file);
          await insertEnclosures(tx, [original]);
          const result = openEnclosure(vault, { ...row, original });
          const ready = filesChangeOf(known, row.staging);
          return { result, action: 'message.enclose', id: messageId, freedPaths, ready };
        }),
      );
    },

    removeOriginal: (call) =>
      changes.change(call, async (tx, at) => {
        const { known, rows } = await lockWithEnclosures(tx, call, at);
        const row = oneOf(rows, call.enclosureId);
        if (!row.original) throw notFound();
        const freedPaths = await deleteOriginal(tx, call.enclosureId);
        const ready = filesChangeOf(known, row.staging);
        return { result: undefined, action: 'message.enclosure_remove', id: call.id, freedPaths, ready };
      }),

    changeEnclosure: (call, { position, afterParagraph, ...words }) =>
      changes.change(call, async (tx, at) => {
        const { known, rows } = await lockWithEnclosures(tx, call, at);
        const row = oneOf(rows, call.enclosureId);
        const vault = vaults.open(call.principal.userId, call.principal.vaultKey);
        const place = afterParagraph === undefined ? {} : { afterParagraph };
        const columns = { ...sealChange(vault, row.id, words), ...place };
        if (Object.keys(columns).length > 0) await updateEnclosure(tx, row.id, columns);
        const order = position === undefined ? rows : movedTo(rows, row, position);
        await orderEnclosures(
          tx,
          order.map(({ id }) => id),
        );
        const changed = { ...row, ...columns, position: order.indexOf(row) + 1 };
        const ready = filesChangeOf(known, row.staging);
        return { result: openEnclosure(vault, changed), action: 'message.enclosure_change', id: call.id, ready };
      }),

    removeEnclosure: (call) =>
      changes.change(call, async (tx, at) => {
        const { known, rows } = await lockWithEnclosures(tx, call, at);
        const row = oneOf(rows, call.enclosureId);
        const freedPaths = await deleteEnclosure(tx, row.id);
        const left = rows.filter((each) => each !== row).map(({ id }) => id);
        await orderEnclosures(tx, left);
        const ready = filesChangeOf(known, row.staging);
        return { result: undefined, action: 'message.enclosure_remove', id: call.id, freedPaths, ready };
      }),

    async enclosure({ userId, vaultKey }, messageId, id) {
      const row = await findEnclosure(db, { messageId, id });
      if (row?.userId !== userId) throw notFound();
      const vault = vaults.open(userId, vaultKey);
      return files.giveOut(vault, fileOf(vault, row));
    },

    async enclosureForDelivery(executor, { userId, messageId }, id) {
      const row = await findEnclosure(executor, { messageId, id });
      if (!row || row.staging) throw notFound();
      const vault = await accounts.openVault(executor, userId);
      return files.giveOut(vault, fileOf(vault, row));
    },
  };
}

/** What is staged takes the place of the sealed file, which goes with the passphrase: both need not have room at once. */
function bytesToGo({ attachmentMimeType: mimeType, attachmentSize }: Omit<AttachmentRow, 'userId'>): number {
  return isSealedEnvelope({ mimeType }) ? (attachmentSize ?? 0) : 0;
}

/** @throws AppError `NOT_FOUND`. */
function oneOf(rows: readonly EnclosureRow[], id: string): EnclosureRow {
  const row = rows.find((each) => each.id === id);
  if (!row) throw notFound();
  return row;
}

/** @throws AppError `NOT_FOUND` for what is no picture in a letter: nothing else has an original. */
function requirePicture(row: StoredEnclosure | null): void {
  if (row?.kind !== 'picture' || row.originalOf !== null) throw notFound();
}

/** The same rows, with one of them at another place. */
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
