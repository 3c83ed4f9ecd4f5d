import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { App } from '#server/app.ts';
import { findOwner, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { changeInVault } from '#server/features/accounts/change-in-vault.ts';
import { meetVersion } from '#server/features/versions/versions.rules.ts';
import type { Call } from '#server/http/bind.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/vault/first-weeks.ts';
import { type firstWeeksSchema, neverSaved } from '#shared/contract/vault/first-weeks.ts';
import { changedElsewhere } from '#shared/contract/vault/versions.ts';
import { areFirstWeeksEmpty, type FirstWeeksNotes, noFirstWeeksNotes } from '#shared/rules/first-weeks/notes.ts';
import { firstWeeksPage } from '#shared/rules/first-weeks/page.ts';
import { writeFirstWeeks } from './first-weeks.pdf.ts';
import { findFirstWeeks, openNotes, type SealedFirstWeeks, saveFirstWeeksRow, sealNotes } from './first-weeks.rows.ts';

type OwnersFirstWeeks = z.output<typeof firstWeeksSchema>;
type Page = z.output<typeof contract.firstWeeksPageSchema>;

/** Returns the owner's notes. Damaged notes are empty and marked: the next save replaces them. */
export async function getFirstWeeks(
  { db, vaults }: App,
  { principal: { userId, vaultKey } }: Call<typeof contract.getFirstWeeks>,
): Promise<OwnersFirstWeeks> {
  return shown(vaults.open(userId, vaultKey), await findFirstWeeks(db, userId));
}

/** Saves all notes together. @throws AppError `CHANGED_ELSEWHERE` if another version is stored than they were made from. */
export function saveFirstWeeks(app: App, call: Call<typeof contract.saveFirstWeeks>): Promise<OwnersFirstWeeks> {
  const { principal, body, changeKey } = call;
  const { userId, vaultKey } = principal;
  return changeInVault(app, call, async (tx, at) => {
    const vault = app.vaults.open(userId, vaultKey);
    const known = await findFirstWeeks(tx, userId);
    const { version: madeFrom, ...notes } = body;
    const meeting = meetVersion(known ?? { version: neverSaved }, { version: madeFrom, changeKey });
    if (meeting === 'refuse') throw changedElsewhere('firstWeeks', shown(vault, known));
    if (meeting === 'repeat') return { result: shown(vault, known) };
    const row = await store(tx, { vault, userId, notes, known, at, version: changeKey ?? randomUUID() });
    const audit = { action: 'first_weeks.update', resource: 'vault', resourceId: userId };
    return { result: shown(vault, row), audit };
  });
}

/** Takes over the notes of an import if the owner has none. Returns false if they stay out. The owner's row is locked. */
export async function insertImportedFirstWeeks(
  tx: Executor,
  { userId, vault, at }: { userId: string; vault: Vault; at: Date },
  notes: FirstWeeksNotes,
): Promise<boolean> {
  const known = await findFirstWeeks(tx, userId);
  if (known && !areFirstWeeksEmpty(openNotes(vault, known))) return false;
  await store(tx, { vault, userId, notes, known, at, version: randomUUID() });
  return true;
}

/** Returns the page as contacts see it. */
export async function getFirstWeeksPage(
  app: App,
  { principal: { userId } }: Pick<Call<typeof contract.getFirstWeeksPage>, 'principal'>,
): Promise<Page> {
  const owner = await findOwner(app.db, userId);
  if (!owner) throw notFound();
  return pageOf(app, owner);
}

/** The owner's page, with the steps in order of days and the owner's notes in their places. */
export async function pageOf(app: App, owner: OwnerRow): Promise<Page> {
  const { db } = app;
  const known = await findFirstWeeks(db, owner.id);
  const { updatedAt, version: _, isDamaged, ...notes } = shown(await openVault(app, db, owner.id), known);
  const parts = firstWeeksPage(notes).map(({ title, steps }) => ({
    title,
    steps: steps.map(({ words, list, notes: noted, sources, ...step }) => ({
      ...step,
      ...{ words: [...words], list: [...list], notes: [...noted], sources: [...sources] },
    })),
  }));
  return { ownerFirstName: owner.firstName || owner.email, updatedAt, isDamaged, parts };
}

/** The page as a PDF. @throws AppError `RATE_LIMITED`, `UNAVAILABLE` or `PAYLOAD_TOO_LARGE`. */
export async function pagePdfOf(
  app: App,
  owner: OwnerRow,
  reading: { reader: string; signal?: AbortSignal },
): Promise<Readable> {
  return writeFirstWeeks(await pageOf(app, owner), await app.clock.now(), reading);
}

type Stored = {
  vault: Vault;
  userId: string;
  notes: FirstWeeksNotes;
  known: SealedFirstWeeks | null;
  at: Date;
  version: string;
};

async function store(tx: Executor, given: Stored): Promise<SealedFirstWeeks> {
  const { vault, userId, notes, known, at, version } = given;
  const times = { createdAt: known?.createdAt ?? at, updatedAt: at };
  const row = { userId, notes: sealNotes(vault, userId, notes), version, ...times };
  await saveFirstWeeksRow(tx, row);
  return row;
}

function shown(vault: Vault, row: SealedFirstWeeks | null): OwnersFirstWeeks {
  if (!row) return { ...noFirstWeeksNotes, version: neverSaved, updatedAt: null };
  return { ...openNotes(vault, row), version: row.version, updatedAt: row.updatedAt };
}
