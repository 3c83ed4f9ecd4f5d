import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Accounts, OwnerRow, Principal } from '#server/features/accounts/accounts.service.ts';
import type { RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Files } from '#server/features/files/files.service.ts';
import type { Messages } from '#server/features/messages/messages.service.ts';
import type { FreshSignIns } from '#server/features/sessions/fresh-sign-in.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { Upload } from '#server/platform/files/incoming.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { importForm } from '#shared/contract/export.ts';
import { type ImportLimits, importLimits, importsPerDayMax } from '#shared/rules/imports.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { fileSize } from '#shared/rules/sizes.ts';
import { openPackage } from './import-package.ts';
import { pickNew } from './import-pick.ts';
import { createImportQueue } from './import-queue.ts';
import {
  createImportStore,
  type ImportCall,
  type ImportChoices,
  type ImportResult,
  type StoreDependencies,
} from './import-store.ts';

export type { ImportChoices, ImportResult } from './import-store.ts';

type ImportForm = z.output<typeof importForm>;

export type Imports = {
  /** Takes what fits of an export into the vault of its sender. @throws AppError where it can't be read; then nothing was. */
  importUpload(
    call: { principal: Principal; origin: RequestOrigin; signal?: AbortSignal },
    upload: Upload<ImportForm>,
  ): Promise<ImportResult>;
  /** The same for the operator's command, with the key where the export is an archive. */
  importFile(
    email: string,
    content: Readable,
    choices: Partial<ImportChoices> & { key: string | null },
  ): Promise<ImportResult>;
};

export type ImportsDependencies = StoreDependencies & {
  accounts: Pick<Accounts, 'ownerByEmail' | 'openVault'>;
  freshSignIns: Pick<FreshSignIns, 'requireFreshSignIn'>;
  files: Pick<Files, 'hold' | 'keep' | 'giveOut' | 'release' | 'usedBytes'>;
  messages: Pick<Messages, 'roomForImported'>;
  /** Counts a use of something that has a name. @throws AppError `RATE_LIMITED`. */
  spendBudget(name: string, budget: { limit: number; windowMs: number }): Promise<void>;
  /** Counts bytes of text that an account writes. @throws AppError `RATE_LIMITED`. */
  spendWritten(account: { userId: string; plan: OwnerRow['plan'] }, bytes: number): Promise<void>;
};

const nowhere: RequestOrigin = { ipAddress: null, userAgent: null };
/** What a form may hold beside its file. */
const formBytesMax = 1_000_000;
/**
 * Brings an export back. What is sent is held sealed in the store, and its files are stored before the one transaction
 * that makes the vault refer to them: whatever goes wrong before its end, nothing of it is in the vault.
 */
export function createImports(dependencies: ImportsDependencies): Imports {
  const { db, accounts, freshSignIns, files, messages, spendBudget, spendWritten } = dependencies;
  const turns = createImportQueue();
  const store = createImportStore(dependencies);

  type Held = { path: string; sizeBytes: number };
  type Taking = {
    vault: Vault;
    plan: OwnerRow['plan'];
    held: Held;
    key: string | null;
    limits: ImportLimits;
    signal?: AbortSignal;
  };

  function take(call: ImportCall, { vault, plan, held, key, limits, signal }: Taking): Promise<ImportResult> {
    const file = { ...held, name: 'import', mimeType: 'application/octet-stream' };
    const read = (range: { start: number; end: number }) => files.giveOut(vault, file).open(range);
    return turns.ofProcess(async () => {
      const caller = { owner: call.userId, ...(signal && { signal }) };
      const given = await openPackage({ sizeBytes: held.sizeBytes, read }, { key, limits, caller });
      const before = await store.fingerprint(vault, call.userId);
      const kept: string[] = [];
      try {
        const { asReady, preview } = call;
        const into = { files, vault, plan, asReady, kept: preview ? null : kept, ...(signal && { signal }) };
        const picked = await pickNew(into, given, {
          ...before,
          usedBytes: await files.usedBytes(call.userId),
          messageRoom: await messages.roomForImported(db, { userId: call.userId, plan }),
        });
        return await store.put(call, vault, { picked, given: given.given, before: before.print });
      } catch (error) {
        for (const path of kept) await files.release(path);
        throw error;
      }
    }, signal);
  }

  return {
    async importUpload({ principal, origin, signal }, upload) {
      const { userId, plan } = principal;
      const limits = importLimits[plan];
      const refusal = () => tooLarge(limits);
      if ((upload.announcedBytes ?? 0) > limits.fileBytesMax + formBytesMax) throw refusal();
      return turns.ofOwner(userId, async () => {
        await spendBudget(`import ${userId}`, { limit: importsPerDayMax, windowMs: dayMs });
        const vault = await accounts.openVault(db, userId);
        const held: Held[] = [];
        try {
          const { key, ...choices } = await upload.read(async ({ content }) => {
            held.push(await files.hold(vault, content, { bytesMax: limits.fileBytesMax, refusal }));
          });
          if (choices.takeSettings || choices.asReady) await freshSignIns.requireFreshSignIn(principal);
          const [file] = held;
          if (!file) throw new Error('A form without a file was read to its end.');
          // Its text, at most: files in it are counted as storage.
          if (!choices.preview) await spendWritten(principal, Math.min(file.sizeBytes, limits.textBytesMax));
          const call = { ...choices, userId, origin, isByOperator: false };
          return await take(call, { vault, plan, held: file, key, limits, ...(signal && { signal }) });
        } finally {
          for (const { path } of held) await files.release(path);
        }
      });
    },

    async importFile(email, content, { key, preview = false, takeSettings = false, asReady = false }) {
      const owner = await accounts.ownerByEmail(db, email);
      if (!owner) throw notFound(`There is no account with the address ${email}.`);
      const vault = await accounts.openVault(db, owner.id);
      const call = { preview, takeSettings, asReady, userId: owner.id, origin: nowhere, isByOperator: true };
      // The operator decides what is worth its time; what fits is still a matter of the owner's plan.
      const limits = importLimits.lifetime;
      const refusal = () => tooLarge(limits);
      const held = await files.hold(vault, content, { bytesMax: limits.fileBytesMax, refusal });
      try {
        return await take(call, { vault, plan: owner.plan, held, key, limits });
      } finally {
        await files.release(held.path);
      }
    },
  };
}

function tooLarge({ fileBytesMax }: ImportLimits): AppError {
  return new AppError(
    'PAYLOAD_TOO_LARGE',
    `This file is larger than ${fileSize(fileBytesMax)}, which is as much as your plan takes at once. Export without documents, and add those one by one.`,
  );
}
