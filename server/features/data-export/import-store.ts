import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Accounts, OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Contacts } from '#server/features/contacts/contacts.service.ts';
import type { Documents } from '#server/features/documents/documents.service.ts';
import type { Files } from '#server/features/files/files.service.ts';
import type { Guidance } from '#server/features/guidance/guidance.service.ts';
import type { Messages } from '#server/features/messages/messages.service.ts';
import { detailsOf } from '#server/features/ready-changes/ready-changes.rules.ts';
import { noteReadyChange } from '#server/features/ready-changes/ready-changes.service.ts';
import type { OwnersRelease } from '#server/features/release-settings/owners-release.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { ImportedSettings, importData } from '#shared/contract/export.ts';
import type { RouteAnswer, RouteForm } from '#shared/contract/route.ts';
import { hasFeature } from '#shared/rules/plans.ts';
import { type ImportGiven, type SettingsGiven, settingsIn } from './export-format.ts';
import type { Picked } from './import-pick.ts';

export type ImportResult = RouteAnswer<typeof importData>;
/** What is to be done with what is in an export. */
export type ImportChoices = Omit<RouteForm<typeof importData>, 'key'>;
export type ImportCall = ImportChoices & { userId: string; origin: RequestOrigin; isByOperator: boolean };
type Ready = { picked: Picked; given: ImportGiven; before: string };

export type StoreDependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'lockOwner' | 'recordActivity'>;
  audit: Pick<Audit, 'record'>;
  files: Pick<Files, 'requireRoom'>;
  messages: Pick<Messages, 'knownMessages' | 'insertImported'>;
  documents: Pick<Documents, 'knownDocuments' | 'insertImported'>;
  contacts: Pick<Contacts, 'insertImported'>;
  guidance: Pick<Guidance, 'mergeImported'>;
  ownersRelease: Pick<OwnersRelease, 'takeImported'>;
};

/** Rows that are sealed in one go, so that others come in between. */
const rowsAtOnce = 10;

/** Ends the transaction of a preview, which leaves nothing. */
class PreviewEnd extends Error {
  readonly result: ImportResult;
  constructor(result: ImportResult) {
    super('A preview ends here.');
    this.result = result;
  }
}

/** The part of an import that writes: one transaction, under the owner's lock, if nothing changed meanwhile. */
export function createImportStore(dependencies: StoreDependencies) {
  const { db, clock, accounts, audit, files, messages, documents, contacts, guidance, ownersRelease } = dependencies;

  /** What is there, and a print of it that another change would alter. */
  async function fingerprint(vault: Vault, userId: string, executor: Parameters<Messages['knownMessages']>[0] = db) {
    const knownMessages = await messages.knownMessages(executor, userId, vault);
    const knownDocuments = await documents.knownDocuments(executor, userId, vault);
    const hash = createHash('sha256');
    for (const [index, known] of [...knownMessages, ...knownDocuments].entries()) {
      if (index % rowsAtOnce === 0) await nextTurn();
      hash.update(`${JSON.stringify(known)}\n`);
    }
    return { knownMessages, knownDocuments, print: hash.digest('base64') };
  }

  async function putFiles(tx: Executor, { id: userId, plan }: OwnerRow, vault: Vault, picked: Picked, at: Date) {
    await files.requireRoom(tx, { userId, plan }, { addedBytes: picked.fileBytes });
    for (const rows of inGroups(picked.messages)) {
      await messages.insertImported(tx, { userId, plan, vault }, rows.map(notAfter(at)));
    }
    for (const rows of inGroups(picked.documents)) {
      await documents.insertImported(tx, { userId, vault }, rows.map(notAfter(at)));
    }
  }

  async function putAll(tx: Executor, call: ImportCall, vault: Vault, { picked, given, before }: Ready) {
    const { userId, origin, isByOperator } = call;
    const owner = await accounts.lockOwner(tx, userId);
    if (!owner) throw notFound();
    const at = await clock.now(tx);
    if ((await fingerprint(vault, userId, tx)).print !== before) throw changedMeanwhile();

    if (!call.preview) await putFiles(tx, owner, vault, picked, at);
    const people = await contacts.insertImported(tx, { owner, vault, at }, given.contacts.map(bornBy(at)));
    const { plan } = owner;
    const hasChecklists = await guidance.mergeImported(tx, { userId, plan, vault, at }, given.checklists);
    const inExport = settingsIn(given);
    const areTaken =
      call.takeSettings &&
      inExport !== null &&
      (await ownersRelease.takeImported(tx, { userId, at, isByOperator }, inExport));
    // What the operator does is no sign of the owner's life.
    if (!isByOperator) await accounts.recordActivity(tx, { userId, type: 'change', at, origin });

    const result: ImportResult = {
      isPreview: call.preview,
      messages: picked.messages.length,
      readyMessages: picked.readyMessages,
      documents: picked.documents.length,
      contacts: people.added,
      checklists: hasChecklists ? given.checklists.length : 0,
      alreadyThere: picked.alreadyThere + given.contacts.length - people.added - people.stay.length,
      withoutFile: picked.withoutFile,
      stays: [
        ...picked.stays,
        ...people.stay.map((one) => ({ kind: 'contact' as const, ...one })),
        ...stayingChecklists(given, hasFeature(plan, 'checklists')),
      ],
      settings: { now: settingsOf(owner), inExport: inExport && settingsOf(inExport), areTaken },
    };
    if (call.preview) throw new PreviewEnd(result);

    const { stays, settings: _, isPreview: __, readyMessages, ...counts } = result;
    const imported = detailsOf({ kinds: ['imported'], newReaders: [] });
    const ready = readyMessages > 0 ? { ...imported, readyMessages } : {};
    if (readyMessages > 0) await noteReadyChange(tx, userId, at);
    const by = isByOperator ? { by: 'operator' } : {};
    const details = { ...counts, stays: stays.length, settingsTaken: areTaken, asReady: call.asReady, ...ready, ...by };
    const entry = { action: 'import.create', resource: 'vault', resourceId: userId, details };
    await audit.record(tx, { ...entry, userId, origin, at });
    return result;
  }

  return {
    fingerprint,
    /** Puts what was picked into the vault; for a preview does the same, and takes it back. @throws AppError. */
    put: (call: ImportCall, vault: Vault, ready: Ready): Promise<ImportResult> =>
      db
        .transaction((tx) => putAll(tx, call, vault, ready))
        .catch((error: unknown) => {
          if (error instanceof PreviewEnd) return error.result;
          throw error;
        }),
  };
}

/** An owner's row and an export name them alike. */
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

function changedMeanwhile(): AppError {
  return new AppError('CONFLICT', 'Your vault was changed while the import was read, so nothing was taken. Try again.');
}
