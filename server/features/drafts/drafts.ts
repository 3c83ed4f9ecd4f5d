import { randomUUIDv7 } from 'node:crypto';
import type { z } from 'zod';
import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { Call } from '#server/http/bind.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/letters/drafts.ts';
import { draftsMax, newLetterKey } from '#shared/contract/letters/drafts.ts';
import {
  countDrafts,
  deleteDraftRow,
  findDraft,
  findLetter,
  listDraftsOfOwner,
  type SealedDraft,
  saveDraftRow,
} from './drafts.repository.ts';
import { openDraftContent, sealDraftContent } from './drafts.sealing.ts';

type LetterDraft = z.output<typeof contract.draftSchema>;
type Key = LetterDraft['key'];

/** Lists drafts, the newest first. `key` limits the list to one draft. A damaged draft is empty and marked. */
export async function listDrafts(
  app: App,
  { principal, query }: Call<typeof contract.listDrafts>,
): Promise<LetterDraft[]> {
  const { userId, vaultKey } = principal;
  const rows = await listDraftsOfOwner(app.db, userId, query.key === undefined ? undefined : messageOf(query.key));
  if (rows.length === 0) return [];
  const vault = app.vaults.open(userId, vaultKey);
  return rows.map((row) => opened(vault, row));
}

/**
 * Saves a draft and returns its next version. It is no sign of life, since an open page saves automatically.
 *
 * @throws AppError `NOT_FOUND`. `CONFLICT` if another version is stored than the one that was read, or the letter is delivered.
 *   `FORBIDDEN` for a sealed letter, whose words stay on the device, and beyond `draftsMax`.
 */
export function saveDraft({ db, clock, vaults }: App, { principal, params, body }: Call<typeof contract.saveDraft>) {
  const { userId, vaultKey } = principal;
  const { key } = params;
  return db.transaction(async (tx) => {
    if (!(await lockOwnerRow(tx, userId))) throw notFound();
    const messageId = messageOf(key);
    if (messageId !== null) await requireOpenLetter(tx, userId, messageId);
    const known = await findDraft(tx, userId, messageId);
    if ((known?.version ?? 0) !== body.version) throw changedElsewhere();
    if (!known) await requireRoom(tx, userId);

    const id = known?.id ?? randomUUIDv7();
    const version = body.version + 1;
    const updatedAt = await clock.now(tx);
    const createdAt = known?.createdAt ?? updatedAt;
    const content = sealDraftContent(vaults.open(userId, vaultKey), id, body.content);
    await saveDraftRow(tx, { id, userId, messageId, content, version, createdAt, updatedAt });
    return { key, version, updatedAt };
  });
}

/** Deletes a draft, if there is one. @throws AppError `CONFLICT` if another version is stored than the one in the call. */
export function deleteDraft(
  { db }: App,
  { principal, params, query }: Call<typeof contract.deleteDraft>,
): Promise<void> {
  const { userId } = principal;
  return db.transaction(async (tx) => {
    if (!(await lockOwnerRow(tx, userId))) throw notFound();
    const known = await findDraft(tx, userId, messageOf(params.key));
    if (!known) return;
    if (query.version !== undefined && query.version !== known.version) throw changedElsewhere();
    await deleteDraftRow(tx, known.id);
  });
}

async function requireOpenLetter(tx: Executor, userId: string, messageId: string): Promise<void> {
  const letter = await findLetter(tx, userId, messageId);
  if (!letter) throw notFound();
  if (letter.isDelivered)
    throw new AppError('CONFLICT', 'This letter has been delivered, and can’t be changed any more.');
  if (letter.isSealed) throw new AppError('FORBIDDEN', 'The words of a sealed letter stay on your device.');
}

async function requireRoom(tx: Executor, userId: string): Promise<void> {
  const current = await countDrafts(tx, userId);
  if (current < draftsMax) return;
  const message = `You are writing ${draftsMax} letters already. Save or discard one of them first.`;
  throw new AppError('FORBIDDEN', message, { current, limit: draftsMax });
}

function changedElsewhere(): AppError {
  return new AppError('CONFLICT', 'This letter was changed on another device in the meantime.');
}

function messageOf(key: Key): string | null {
  return key === newLetterKey ? null : key;
}

function opened(vault: Vault, row: SealedDraft): LetterDraft {
  const { messageId, version, updatedAt } = row;
  const draft = { key: messageId ?? newLetterKey, version, updatedAt } as const;
  const content = unlessBroken(() => openDraftContent(vault, row));
  return content === null ? { ...draft, content: '', isDamaged: true } : { ...draft, content };
}
