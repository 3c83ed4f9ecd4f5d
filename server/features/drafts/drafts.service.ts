import { randomUUIDv7 } from 'node:crypto';
import type { z } from 'zod';
import type { Accounts, Principal } from '#server/features/accounts/accounts.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { unlessBroken, type Vault, type Vaults } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import { type draftSchema, draftsMax, newLetterKey, type saveDraft } from '#shared/contract/letters/drafts.ts';
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

type LetterDraft = z.output<typeof draftSchema>;
type Key = LetterDraft['key'];

export type Drafts = {
  /** The newest first; of one key that one alone. One that is damaged comes empty and marked. */
  list(principal: Principal, key?: Key): Promise<LetterDraft[]>;
  /**
   * Keeps what is being written and gives its next version. It is no sign of life: a page that is left open writes by itself.
   *
   * @throws AppError `NOT_FOUND`; `CONFLICT` where another version is kept than the one that was read, and for a delivered
   *   letter; `FORBIDDEN` for a sealed one, whose words stay on the device, and beyond `draftsMax`.
   */
  save(
    principal: Principal,
    key: Key,
    given: z.output<NonNullable<typeof saveDraft.body>>,
  ): Promise<Pick<LetterDraft, 'key' | 'version' | 'updatedAt'>>;
  /**
   * Forgets it; what is not there is forgotten already.
   *
   * @throws AppError `CONFLICT` where another version is kept than the one that is named.
   */
  remove(principal: Principal, key: Key, version: number | undefined): Promise<void>;
};

export type DraftsDependencies = {
  db: Database;
  clock: Clock;
  vaults: Pick<Vaults, 'open'>;
  accounts: Pick<Accounts, 'lockOwner'>;
};

/** Letters while they are being written, so that another device can go on with them. */
export function createDrafts({ db, clock, vaults, accounts }: DraftsDependencies): Drafts {
  return {
    async list({ userId, vaultKey }, key) {
      const rows = await listDraftsOfOwner(db, userId, key === undefined ? undefined : messageOf(key));
      if (rows.length === 0) return [];
      const vault = vaults.open(userId, vaultKey);
      return rows.map((row) => opened(vault, row));
    },

    save: ({ userId, vaultKey }, key, { content, version }) =>
      db.transaction(async (tx) => {
        if (!(await accounts.lockOwner(tx, userId))) throw notFound();
        const messageId = messageOf(key);
        if (messageId !== null) await requireOpenLetter(tx, userId, messageId);
        const known = await findDraft(tx, userId, messageId);
        if ((known?.version ?? 0) !== version) throw changedElsewhere();
        if (!known) await requireRoom(tx, userId);

        const id = known?.id ?? randomUUIDv7();
        const updatedAt = await clock.now(tx);
        const createdAt = known?.createdAt ?? updatedAt;
        const sealed = sealDraftContent(vaults.open(userId, vaultKey), id, content);
        await saveDraftRow(tx, { id, userId, messageId, content: sealed, version: version + 1, createdAt, updatedAt });
        return { key, version: version + 1, updatedAt };
      }),

    remove: ({ userId }, key, version) =>
      db.transaction(async (tx) => {
        if (!(await accounts.lockOwner(tx, userId))) throw notFound();
        const known = await findDraft(tx, userId, messageOf(key));
        if (!known) return;
        if (version !== undefined && version !== known.version) throw changedElsewhere();
        await deleteDraftRow(tx, known.id);
      }),
  };
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
  const message = `You are writing ${draftsMax} letters at once already. Save or leave one of them first.`;
  throw new AppError('FORBIDDEN', message, { current, limit: draftsMax });
}

function changedElsewhere(): AppError {
  return new AppError('CONFLICT', 'This letter was changed on another device meanwhile.');
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
