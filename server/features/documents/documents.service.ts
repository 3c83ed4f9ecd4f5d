import { randomUUIDv7 } from 'node:crypto';
import type { z } from 'zod';
import type { Accounts, Principal } from '#server/features/accounts/accounts.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import { type DeletedRow, keepDeleted, putBack } from '#server/features/deleted-rows/deleted-rows.service.ts';
import type { Files } from '#server/features/files/files.service.ts';
import type { Renamed, TakenFile } from '#server/features/files/receive-file.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Vaults } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { OutgoingFile, Upload } from '#server/platform/files/incoming.ts';
import type { documentBody, documentForm, documentSchema } from '#shared/contract/documents.ts';
import { notFound } from '#shared/contract/errors.ts';
import { createDocumentImports, type DocumentImports } from './documents.import.service.ts';
import {
  countVisibleDocumentsOf,
  deleteDocumentRow,
  findDocument,
  insertDocument,
  listDocumentsOfOwner,
  listVisibleDocuments,
  lockDocument,
  type SealedDocument,
  updateDocumentRow,
} from './documents.repository.ts';
import { fileOf, openListed, openRow, sealFileName, sealWords } from './documents.sealing.ts';

/** What an owner says of a document that is stored, and of one that comes with its file. */
export type DocumentInput = z.output<typeof documentBody>;
export type DocumentFields = z.output<typeof documentForm>;
/** A document as its owner sees it. */
export type OwnersDocument = z.output<typeof documentSchema>;
/** What a trusted contact sees of one that was made visible to them. */
export type VisibleDocument = { id: string; name: string; sizeBytes: number; mimeType: string };

type OwnersCall = { principal: Principal; origin: RequestOrigin };
type OwnersDocumentCall = OwnersCall & { id: string };

export type Documents = DocumentImports & {
  /** Newest first. A plan that lost the vault still shows and gives out what is in it. */
  list(principal: Principal): Promise<OwnersDocument[]>;
  /** @throws AppError whatever `Files.take` refuses. */
  create(call: OwnersCall, upload: Upload<DocumentFields>): Promise<OwnersDocument & Renamed>;
  /** @throws AppError `NOT_FOUND`. */
  update(call: OwnersDocumentCall, input: DocumentInput): Promise<OwnersDocument>;
  /** @throws AppError `NOT_FOUND`. */
  remove(call: OwnersDocumentCall): Promise<void>;
  /** Takes back what was deleted. @throws AppError `NOT_FOUND` or `STORAGE_LIMIT_EXCEEDED`. */
  restore(call: OwnersDocumentCall): Promise<void>;
  /** @throws AppError `NOT_FOUND`. */
  download(principal: Principal, id: string): Promise<OutgoingFile>;

  /** What trusted contacts may see, newest first. */
  visibleDocuments(executor: Executor, userId: string): Promise<VisibleDocument[]>;
  /** How many there are of each owner; one without any is left out. */
  countVisibleOf(executor: Executor, userIds: readonly string[]): Promise<Map<string, number>>;
  /** @throws AppError `NOT_FOUND`, also for a document that contacts may not see. */
  visibleFile(executor: Executor, userId: string, id: string): Promise<OutgoingFile>;
};

export type DocumentsDependencies = {
  db: Database;
  clock: Clock;
  vaults: Pick<Vaults, 'open'>;
  accounts: Pick<Accounts, 'lockOwner' | 'recordActivity' | 'openVault'>;
  audit: Pick<Audit, 'record'>;
  files: Pick<Files, 'take' | 'requireRoom' | 'giveOut' | 'release'>;
};

/** The documents of an owner. A change is a sign of life, as it is for messages. */
export function createDocuments({ db, clock, vaults, accounts, audit, files }: DocumentsDependencies): Documents {
  type Act<Result> = { result: Result; action: string; id: string };

  /** Runs a change under the owner's lock, and writes down who made it. */
  function change<Result>(
    { principal, origin }: OwnersCall,
    act: (tx: Executor, at: Date, plan: Principal['plan']) => Promise<Act<Result>>,
  ): Promise<Result> {
    const { userId } = principal;
    return db.transaction(async (tx) => {
      const owner = await accounts.lockOwner(tx, userId);
      if (!owner) throw notFound();

      const at = await clock.now(tx);
      await accounts.recordActivity(tx, { userId, type: 'change', at, origin });
      const { result, action, id } = await act(tx, at, owner.plan);
      await audit.record(tx, { userId, action, resource: 'document', resourceId: id, origin, at });
      return result;
    });
  }

  return {
    ...createDocumentImports({ files }),

    async list({ userId, vaultKey }) {
      const rows = await listDocumentsOfOwner(db, userId);
      const vault = vaults.open(userId, vaultKey);
      return rows.map((row) => openListed(vault, row));
    },

    create: (call, upload) =>
      files.take({ principal: call.principal, use: 'documentVault' }, upload, (fields, file) =>
        change(call, async (tx, at, plan) => {
          const { userId, vaultKey } = call.principal;
          await files.requireRoom(tx, { userId, plan }, { addedBytes: file.sizeBytes });

          const id = randomUUIDv7();
          const vault = vaults.open(userId, vaultKey);
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
          };
          await insertDocument(tx, row);
          return { result: openRow(vault, row), action: 'document.create', id };
        }),
      ),

    update: (call, input) =>
      change(call, async (tx, at) => {
        const { principal, id } = call;
        const known = await lockDocument(tx, principal.userId, id);
        if (!known) throw notFound();

        const vault = vaults.open(principal.userId, principal.vaultKey);
        const { category, visibleToTrustedContact } = input;
        const columns = { ...sealWords(vault, id, input), category, visibleToTrustedContact, updatedAt: at };
        await updateDocumentRow(tx, id, columns);
        return { result: openListed(vault, { ...known, ...columns }), action: 'document.update', id };
      }),

    remove: (call) =>
      change(call, async (tx, at, plan) => {
        const { id } = call;
        const { userId } = call.principal;
        await keepDeleted(tx, { userId, kind: 'document', id }, { plan, at });
        if (!(await deleteDocumentRow(tx, userId, id))) throw notFound();
        return { result: undefined, action: 'document.delete', id };
      }),

    restore: (call) =>
      change(call, async (tx, at, plan) => {
        const { id } = call;
        const { userId } = call.principal;
        const requireFit = ({ fileBytes }: DeletedRow) =>
          files.requireRoom(tx, { userId, plan }, { addedBytes: fileBytes });
        const kept = await putBack(tx, { userId, kind: 'document', id }, { at, requireFit });
        if (!kept) throw notFound();
        return { result: undefined, action: 'document.restore', id };
      }),

    async download({ userId, vaultKey }, id) {
      const row = await findDocument(db, userId, id);
      if (!row) throw notFound();
      const vault = vaults.open(userId, vaultKey);
      return files.giveOut(vault, fileOf(openListed(vault, row)));
    },

    countVisibleOf: countVisibleDocumentsOf,

    async visibleDocuments(executor, userId) {
      const rows = await listVisibleDocuments(executor, userId);
      if (rows.length === 0) return [];
      const vault = await accounts.openVault(executor, userId);
      return rows.map((row) => {
        const { id, name, fileSize, mimeType } = openListed(vault, row);
        return { id, name, sizeBytes: fileSize, mimeType };
      });
    },

    async visibleFile(executor, userId, id) {
      const row = await findDocument(executor, userId, id);
      if (!row?.visibleToTrustedContact) throw notFound();
      const vault = await accounts.openVault(executor, userId);
      return files.giveOut(vault, fileOf(openListed(vault, row)));
    },
  };
}

/** Title of a new document. The page proposes the file's own name, so a corrected ending is corrected in it too. */
function titleOf({ name }: DocumentFields, file: TakenFile): string {
  return !name || name === file.givenName ? file.name : name;
}
