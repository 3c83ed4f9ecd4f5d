import { createHash } from 'node:crypto';
import type { App } from '#server/app.ts';
import { lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordActivity } from '#server/features/accounts/activity.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { insertImportedContacts } from '#server/features/contacts/contacts.import.ts';
import {
  insertImportedDocuments,
  type KnownDocument,
  listKnownDocuments,
} from '#server/features/documents/documents.import.ts';
import { requireFileRoom } from '#server/features/files/files.ts';
import { insertImportedFirstWeeks } from '#server/features/first-weeks/first-weeks.ts';
import { mergeImportedChecklists } from '#server/features/guidance/guidance.ts';
import {
  insertImportedMessages,
  type KnownMessage,
  listKnownMessages,
} from '#server/features/messages/messages.import.ts';
import { detailsOf } from '#server/features/ready-changes/ready-changes.rules.ts';
import { noteReadyChange } from '#server/features/ready-changes/ready-changes.service.ts';
import { applyImportedSettings } from '#server/features/release-settings/release-settings.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { mapInSlices } from '#server/platform/slices.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { ImportedSettings, importData } from '#shared/contract/export.ts';
import type { RouteAnswer, RouteForm } from '#shared/contract/route.ts';
import { hasFeature } from '#shared/rules/plans.ts';
import { type ImportGiven, type SettingsGiven, settingsIn } from './export-format.ts';
import type { Picked } from './import-pick.ts';

export type ImportResult = RouteAnswer<typeof importData>;
/** Choices of the sender about an export. */
export type ImportChoices = Omit<RouteForm<typeof importData>, 'key'>;
export type ImportCall = ImportChoices & { userId: string; origin: RequestOrigin; isByOperator: boolean };
type Ready = { vault: Vault; picked: Picked; given: ImportGiven; before: string };
/** An open vault in the transaction of the import. */
type Target = { tx: Executor; owner: OwnerRow; vault: Vault; at: Date };

/** Rows that are sealed and written in one statement. Other calls run between two groups. */
const rowsAtOnce = 10;

/** Rolls back the transaction of a preview. */
class PreviewEnd extends Error {
  readonly result: ImportResult;
  constructor(result: ImportResult) {
    super('A preview ends here.');
    this.result = result;
  }
}

/** Reads the messages and documents of a vault, and a hash that changes with any of them. */
export async function fingerprint(app: App, executor: Executor, { vault, userId }: { vault: Vault; userId: string }) {
  const knownMessages = await listKnownMessages(app, executor, userId, vault);
  const knownDocuments = await listKnownDocuments(app, executor, userId, vault);
  const hash = createHash('sha256');
  const addToHash = (known: KnownMessage | KnownDocument) => void hash.update(`${JSON.stringify(known)}\n`);
  await mapInSlices([...knownMessages, ...knownDocuments], addToHash);
  return { knownMessages, knownDocuments, print: hash.digest('base64') };
}

/**
 * Stores the picked content in one transaction under the owner's lock, if the vault has not changed meanwhile. A preview does
 * the same and is rolled back. @throws AppError.
 */
export function storeImport(app: App, call: ImportCall, ready: Ready): Promise<ImportResult> {
  return app.db
    .transaction((tx) => storeAll(app, tx, call, ready))
    .catch((error: unknown) => {
      if (error instanceof PreviewEnd) return error.result;
      throw error;
    });
}

async function storeAll(app: App, tx: Executor, call: ImportCall, ready: Ready): Promise<ImportResult> {
  const { vault, picked, given, before } = ready;
  const { userId, origin, isByOperator } = call;
  const owner = await lockOwnerRow(tx, userId);
  if (!owner) throw notFound();
  const at = await app.clock.now(tx);
  if ((await fingerprint(app, tx, { vault, userId })).print !== before) throw changedMeanwhile();

  if (!call.preview) await storeFiles({ tx, owner, vault, at }, picked);
  const people = await insertImportedContacts(tx, { owner, vault, at }, given.contacts.map(bornBy(at)));
  const { plan } = owner;
  const hasChecklists = await mergeImportedChecklists(tx, { userId, plan, vault, at }, given.checklists);
  const [notes] = given.firstWeeks;
  const areNotesTaken = notes !== undefined && (await insertImportedFirstWeeks(tx, { userId, vault, at }, notes));
  const inExport = settingsIn(given);
  const areTaken =
    call.takeSettings &&
    inExport !== null &&
    (await applyImportedSettings(app, tx, { userId, at, isByOperator }, inExport));
  // An act of the operator is no sign of life.
  if (!isByOperator) await recordActivity(app, tx, { userId, type: 'change', at, origin });

  const result: ImportResult = {
    isPreview: call.preview,
    messages: picked.messages.length,
    readyMessages: picked.readyMessages,
    documents: picked.documents.length,
    contacts: people.added,
    checklists: hasChecklists ? given.checklists.length : 0,
    firstWeeks: areNotesTaken ? 1 : 0,
    alreadyThere:
      picked.alreadyThere +
      (given.contacts.length - people.added - people.stay.length) +
      (given.firstWeeks.length - (areNotesTaken ? 1 : 0)),
    withoutFile: picked.withoutFile,
    stays: [
      ...picked.stays,
      ...people.stay.map((one) => ({ kind: 'contact' as const, ...one })),
      ...stayingChecklists(given, hasFeature(plan, 'checklists')),
    ],
    settings: { now: settingsOf(owner), inExport: inExport && settingsOf(inExport), areTaken },
  };
  if (call.preview) throw new PreviewEnd(result);
  await recordImport(app, tx, { call, result, at });
  return result;
}

async function storeFiles({ tx, owner, vault, at }: Target, picked: Picked): Promise<void> {
  const { id: userId, plan } = owner;
  await requireFileRoom(tx, { userId, plan }, { addedBytes: picked.fileBytes });
  for (const rows of inGroups(picked.messages)) {
    await insertImportedMessages(tx, { userId, plan, vault }, rows.map(notAfter(at)));
  }
  for (const rows of inGroups(picked.documents)) {
    await insertImportedDocuments(tx, { userId, vault }, rows.map(notAfter(at)));
  }
}

async function recordImport(
  app: App,
  tx: Executor,
  { call, result, at }: { call: ImportCall; result: ImportResult; at: Date },
): Promise<void> {
  const { userId, origin, isByOperator, asReady } = call;
  const { stays, settings, isPreview: _, readyMessages, ...counts } = result;
  const imported = detailsOf({ kinds: ['imported'], newReaders: [] });
  const ready = readyMessages > 0 ? { ...imported, readyMessages } : {};
  if (readyMessages > 0) await noteReadyChange(tx, userId, at);
  const by = isByOperator ? { by: 'operator' } : {};
  const details = { ...counts, stays: stays.length, settingsTaken: settings.areTaken, asReady, ...ready, ...by };
  const entry = { action: 'import.create', resource: 'vault', resourceId: userId, details };
  await recordAudit(app, tx, { ...entry, userId, origin, at });
}

/** Settings of an owner's row or of an export. */
function settingsOf(given: SettingsGiven): ImportedSettings {
  const { releaseMethod, inactivityDays, releaseQuorum, releaseWaitingDays, releaseAnswerDays, awayUntil } = given;
  return {
    releaseMethod,
    inactivityDays,
    quorum: releaseQuorum,
    waitingDays: releaseWaitingDays,
    answerDays: releaseAnswerDays,
    awayUntil: awayUntil ?? null,
  };
}

function stayingChecklists({ checklists }: ImportGiven, areInPlan: boolean): ImportResult['stays'] {
  if (areInPlan || checklists.length === 0) return [];
  return [
    { kind: 'checklists', title: 'Checklists', reason: 'Checklists are available with Essential plan and above.' },
  ];
}

function* inGroups<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) yield rows.slice(at, at + rowsAtOnce);
}

/** Moves times of the future to `at`, because the clock of another installation may have been fast. */
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

function changedMeanwhile(): AppError {
  return new AppError(
    'CONFLICT',
    'Your vault was changed while the import was running, so nothing was imported. Try again.',
  );
}
