import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Accounts, OwnerRow, Principal } from '#server/features/accounts/accounts.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Contacts } from '#server/features/contacts/contacts.service.ts';
import type { Documents } from '#server/features/documents/documents.service.ts';
import type { Files } from '#server/features/files/files.service.ts';
import type { Guidance } from '#server/features/guidance/guidance.service.ts';
import type { Messages } from '#server/features/messages/messages.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { Database } from '#server/platform/db/database.ts';
import type { Upload } from '#server/platform/files/incoming.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import { type importAnswer, importBytesMax, type importForm } from '#shared/contract/export.ts';
import { type ImportPackage, openPackage } from './import-package.ts';
import { type Picked, pickNew } from './import-pick.ts';

export type ImportResult = z.output<typeof importAnswer>;
type ImportForm = z.output<typeof importForm>;

type ImportCall = { userId: string; origin: RequestOrigin; isByOperator: boolean };

export type Imports = {
  /** Takes an export into the vault of its sender. @throws AppError for whatever can't be taken; then nothing was. */
  importUpload(
    call: { principal: Principal; origin: RequestOrigin },
    upload: Upload<ImportForm>,
  ): Promise<ImportResult>;
  /** The same for the operator's command, with the key where the export is an archive. */
  importFile(email: string, content: Readable, key: string | null): Promise<ImportResult>;
};

export type ImportsDependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'lockOwner' | 'ownerByEmail' | 'openVault' | 'recordActivity'>;
  audit: Pick<Audit, 'record'>;
  files: Pick<Files, 'hold' | 'keep' | 'giveOut' | 'release' | 'requireRoom' | 'usedBytes'>;
  messages: Pick<Messages, 'knownMessages' | 'insertImported'>;
  documents: Pick<Documents, 'knownDocuments' | 'insertImported'>;
  contacts: Pick<Contacts, 'insertImported'>;
  guidance: Pick<Guidance, 'mergeImported'>;
};

const nowhere: RequestOrigin = { ipAddress: null, userAgent: null };

/**
 * Brings an export back. What is sent is held sealed in the store, and its files are stored before the one transaction
 * that makes the vault refer to them: whatever goes wrong before its end, nothing of it is in the vault.
 */
export function createImports(dependencies: ImportsDependencies): Imports {
  const { db, clock, accounts, audit, files, messages, documents, contacts, guidance } = dependencies;

  async function hold<Answer>(
    vault: Vault,
    content: Readable,
    use: (held: { path: string; sizeBytes: number }) => Promise<Answer>,
  ): Promise<Answer> {
    const held = await files.hold(vault, content, { bytesMax: importBytesMax, refusal: tooLarge });
    try {
      return await use(held);
    } finally {
      await files.release(held.path);
    }
  }

  function open(vault: Vault, { path, sizeBytes }: { path: string; sizeBytes: number }, key: string | null) {
    const held = files.giveOut(vault, { path, name: 'import', sizeBytes, mimeType: 'application/octet-stream' });
    return openPackage({ sizeBytes, read: (range) => held.open(range) }, key);
  }

  async function take(call: ImportCall, plan: OwnerRow['plan'], vault: Vault, given: ImportPackage) {
    const { userId } = call;
    const before = await fingerprint(vault, userId);
    const kept: string[] = [];
    try {
      const picked = await pickNew({ files, vault, plan, kept }, given, {
        ...before,
        usedBytes: await files.usedBytes(userId),
      });
      return await store(call, vault, { picked, given, before: before.print });
    } catch (error) {
      for (const path of kept) await files.release(path);
      throw error;
    }
  }

  /** What is there, and a print of it that another change would alter. */
  async function fingerprint(vault: Vault, userId: string, executor: Parameters<Messages['knownMessages']>[0] = db) {
    const knownMessages = await messages.knownMessages(executor, userId, vault);
    const knownDocuments = await documents.knownDocuments(executor, userId, vault);
    const print = createHash('sha256')
      .update(JSON.stringify([knownMessages, knownDocuments]))
      .digest('base64');
    return { knownMessages, knownDocuments, print };
  }

  type Ready = { picked: Picked; given: ImportPackage; before: string };

  function store(
    { userId, origin, isByOperator }: ImportCall,
    vault: Vault,
    { picked, given, before }: Ready,
  ): Promise<ImportResult> {
    return db.transaction(async (tx) => {
      const owner = await accounts.lockOwner(tx, userId);
      if (!owner) throw notFound();
      const at = await clock.now(tx);
      // What the operator does is no sign of the owner's life.
      if (!isByOperator) await accounts.recordActivity(tx, { userId, type: 'change', at, origin });
      if ((await fingerprint(vault, userId, tx)).print !== before) throw changedMeanwhile();

      const { plan } = owner;
      await files.requireRoom(tx, { userId, plan }, { addedBytes: picked.fileBytes });
      await messages.insertImported(tx, { userId, plan, vault }, picked.messages.map(notAfter(at)));
      await documents.insertImported(tx, { userId, vault }, picked.documents.map(notAfter(at)));
      const people = given.given.contacts;
      const added = await contacts.insertImported(tx, { owner, vault, at }, people.map(bornBy(at)));
      const lists = given.given.checklists;
      const hasChecklists = await guidance.mergeImported(tx, { userId, plan, vault, at }, lists);
      const result = {
        messages: picked.messages.length,
        documents: picked.documents.length,
        contacts: added,
        checklists: hasChecklists ? lists.length : 0,
        alreadyThere: picked.alreadyThere + people.length - added,
        withoutFile: picked.withoutFile,
      };
      const details = { ...result, ...(isByOperator ? { by: 'operator' } : {}) };
      const entry = { action: 'import.create', resource: 'vault', resourceId: userId, details };
      await audit.record(tx, { ...entry, userId, origin, at });
      return result;
    });
  }

  return {
    async importUpload({ principal, origin }, upload) {
      const { userId, plan } = principal;
      const vault = await accounts.openVault(db, userId);
      const held: { path: string; sizeBytes: number }[] = [];
      try {
        const { key } = await upload.read(async ({ content }) => {
          held.push(await files.hold(vault, content, { bytesMax: importBytesMax, refusal: tooLarge }));
        });
        const [file] = held;
        if (!file) throw new Error('A form without a file was read to its end.');
        return await take({ userId, origin, isByOperator: false }, plan, vault, await open(vault, file, key));
      } finally {
        for (const { path } of held) await files.release(path);
      }
    },

    async importFile(email, content, key) {
      const owner = await accounts.ownerByEmail(db, email);
      if (!owner) throw notFound(`There is no account with the address ${email}.`);
      const vault = await accounts.openVault(db, owner.id);
      const call = { userId: owner.id, origin: nowhere, isByOperator: true };
      return hold(vault, content, async (held) => take(call, owner.plan, vault, await open(vault, held, key)));
    },
  };
}

/** A clock elsewhere may have been fast. */
function notAfter(at: Date) {
  const earlier = (given: Date) => (given < at ? given : at);
  return <Row extends { createdAt: Date; updatedAt: Date }>(row: Row): Row => ({
    ...row,
    createdAt: earlier(row.createdAt),
    updatedAt: earlier(row.updatedAt),
  });
}

function bornBy(at: Date) {
  return <Row extends { createdAt: Date }>(row: Row): Row => ({
    ...row,
    createdAt: row.createdAt < at ? row.createdAt : at,
  });
}

function tooLarge(): AppError {
  const gigabytes = importBytesMax / 1_000_000_000;
  return new AppError(
    'PAYLOAD_TOO_LARGE',
    `This file is larger than ${gigabytes} GB, which is as much as can be taken at once. Export without documents, and add those one by one.`,
  );
}

function changedMeanwhile(): AppError {
  return new AppError('CONFLICT', 'Your vault was changed while the import was read, so nothing was taken. Try again.');
}
