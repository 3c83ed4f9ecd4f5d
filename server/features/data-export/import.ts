import type { Readable } from 'node:stream';
import { type App, perApp } from '#server/app.ts';
import { findOwnerByEmail, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { bufferUpload, countStoredBytes, outgoingFile } from '#server/features/files/files.ts';
import { removeFreed } from '#server/features/files/stored-files.ts';
import { countRoomForMessages } from '#server/features/messages/messages.import.ts';
import { requireFreshSignIn } from '#server/features/sessions/fresh-sign-in.ts';
import type { HttpCall } from '#server/http/bind.ts';
import { leftSignal } from '#server/http/bodies/downloads.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/export.ts';
import { type ImportLimits, importLimits, importsPerDayMax } from '#shared/rules/imports.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { fileSize } from '#shared/rules/sizes.ts';
import { openPackage } from './import-package.ts';
import { pickNew } from './import-pick.ts';
import { createImportQueue } from './import-queue.ts';
import { fingerprint, type ImportCall, type ImportChoices, type ImportResult, storeImport } from './import-store.ts';

export type { ImportChoices, ImportResult } from './import-store.ts';

type Buffered = { path: string; sizeBytes: number };
type Taking = {
  vault: Vault;
  plan: OwnerRow['plan'];
  buffered: Buffered;
  key: string | null;
  limits: ImportLimits;
  signal?: AbortSignal;
};

const nowhere = { ipAddress: null, userAgent: null };
/** Bytes of a form beside its file. */
const formBytesMax = 1_000_000;

const queueOf = perApp(createImportQueue);

/** Imports the new content of an export into the vault of its sender. @throws AppError if it can't be read, and imports nothing then. */
export async function importData(
  app: App,
  { principal, origin, upload, reply }: HttpCall<typeof contract.importData>,
): Promise<ImportResult> {
  const { userId, plan } = principal;
  const signal = leftSignal(reply);
  const limits = importLimits[plan];
  const refusal = () => tooLarge(limits);
  if ((upload.announcedBytes ?? 0) > limits.fileBytesMax + formBytesMax) throw refusal();
  return queueOf(app).ofOwner(userId, async () => {
    await app.limits.spend(`import ${userId}`, { limit: importsPerDayMax, windowMs: dayMs });
    const vault = await openVault(app, app.db, userId);
    const buffered: Buffered[] = [];
    try {
      const { key, ...choices } = await upload.read(async ({ content }) => {
        buffered.push(await bufferUpload(app, vault, content, { bytesMax: limits.fileBytesMax, refusal }));
      });
      if (choices.takeSettings || choices.asReady) await requireFreshSignIn(app, principal);
      const [file] = buffered;
      if (!file) throw new Error('A form without a file was read to its end.');
      // An upper limit of its text. Files in it count as storage.
      if (!choices.preview) await app.limits.spendWritten(principal, Math.min(file.sizeBytes, limits.textBytesMax));
      const call = { ...choices, userId, origin, isByOperator: false };
      return await take(app, call, { vault, plan, buffered: file, key, limits, signal });
    } finally {
      await removeFreed(
        app,
        buffered.map(({ path }) => path),
      );
    }
  });
}

/** Imports an export for the operator's command. An archive needs its key. */
export async function importFile(
  app: App,
  { email, content }: { email: string; content: Readable },
  { key, preview = false, takeSettings = false, asReady = false }: Partial<ImportChoices> & { key: string | null },
): Promise<ImportResult> {
  const owner = await findOwnerByEmail(app.db, email);
  if (!owner) throw notFound(`There is no account with the address ${email}.`);
  const vault = await openVault(app, app.db, owner.id);
  const call = { preview, takeSettings, asReady, userId: owner.id, origin: nowhere, isByOperator: true };
  // The operator decides how long an import may take. The owner's plan still limits the storage.
  const limits = importLimits.lifetime;
  const buffered = await bufferUpload(app, vault, content, {
    bytesMax: limits.fileBytesMax,
    refusal: () => tooLarge(limits),
  });
  try {
    return await take(app, call, { vault, plan: owner.plan, buffered, key, limits });
  } finally {
    await removeFreed(app, [buffered.path]);
  }
}

/**
 * Reads an uploaded export, which is buffered sealed in the store. Its files are stored before the one transaction that makes the
 * vault refer to them, so a failure before the end of that transaction leaves nothing in the vault.
 */
function take(app: App, call: ImportCall, taking: Taking): Promise<ImportResult> {
  const { vault, plan, buffered, key, limits } = taking;
  const signal = taking.signal && { signal: taking.signal };
  const file = { ...buffered, name: 'import', mimeType: 'application/octet-stream' };
  const read = (range: { start: number; end: number }) => outgoingFile(app, vault, file).open(range);
  return queueOf(app).ofProcess(async () => {
    const caller = { owner: call.userId, ...signal };
    const given = await openPackage({ sizeBytes: buffered.sizeBytes, read }, { key, limits, caller });
    const before = await fingerprint(app, app.db, { vault, userId: call.userId });
    const kept: string[] = [];
    try {
      const { asReady, preview } = call;
      const into = { app, vault, plan, asReady, kept: preview ? null : kept, ...signal };
      const picked = await pickNew(into, given, {
        ...before,
        usedBytes: await countStoredBytes(app.db, call.userId),
        messageRoom: await countRoomForMessages(app.db, { userId: call.userId, plan }),
      });
      return await storeImport(app, call, { vault, picked, given: given.given, before: before.print });
    } catch (error) {
      await removeFreed(app, kept);
      throw error;
    }
  }, taking.signal);
}

function tooLarge({ fileBytesMax }: ImportLimits): AppError {
  return new AppError(
    'PAYLOAD_TOO_LARGE',
    `This file is larger than ${fileSize(fileBytesMax)}, the most that your plan can import at once. Export without documents, and add those one by one.`,
  );
}
