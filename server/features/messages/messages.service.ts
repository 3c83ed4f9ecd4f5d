import { randomUUIDv7 } from 'node:crypto';
import type { z } from 'zod';
import type { Accounts, Principal } from '#server/features/accounts/accounts.service.ts';
import type { Audit } from '#server/features/audit/audit.service.ts';
import { type DeletedRow, keepDeleted, putBack } from '#server/features/deleted-rows/deleted-rows.service.ts';
import type { Files } from '#server/features/files/files.service.ts';
import type { Renamed, StoredFile } from '#server/features/files/receive-file.ts';
import type { FreshSignIns } from '#server/features/sessions/fresh-sign-in.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Vaults } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import type { OutgoingFile, Upload } from '#server/platform/files/incoming.ts';
import { notFound } from '#shared/contract/errors.ts';
import { recipientsOf } from '#shared/contract/letters/recipients.ts';
import type { messageBody, messageForm, messageSchema } from '#shared/contract/messages.ts';
import { titleOutside } from '#shared/rules/letter-seal.ts';
import {
  deleteEnclosures,
  deleteStaged,
  deleteStagedBut,
  enclosuresOfMessages,
  takeStagedIn,
} from './enclosures.repository.ts';
import { listMessagesOfOwner } from './listed.repository.ts';
import { type Addresses, createAddresses } from './messages.addresses.service.ts';
import {
  attachmentOf,
  clearedColumns,
  columnsOf,
  noAttachment,
  shownOf,
  transcriptColumn,
} from './messages.attachments.ts';
import { createChanges, type OwnersCall, type OwnersMessageCall } from './messages.change.ts';
import { createEnclosures, type Enclosures } from './messages.enclosures.service.ts';
import { createMessageImports, type MessageImports } from './messages.import.service.ts';
import { createLetters, type Letters } from './messages.letters.service.ts';
import { requireFreshForNewReader } from './messages.new-readers.ts';
import { changeOfReady, firstChangeOf, oneChangeOf, restoredChangeOf } from './messages.ready-changes.ts';
import { changeRecipients, newRecipients } from './messages.recipients.ts';
import {
  countMessages,
  countReadyMessages,
  countReadyMessagesOf,
  countUndelivered,
  deleteMessageRow,
  findAttachment,
  insertMessage,
  listReadyOf,
  nextPosition,
  type Ready,
  storeFates,
  updateMessageRow,
} from './messages.repository.ts';
import {
  isLimited,
  isTakenIn,
  requireAllStaged,
  requireChangeable,
  requireRoom,
  requireSameFile,
  requireSealedAlike,
  requireUnsealed,
} from './messages.rules.ts';
import { openListed, sealWords } from './messages.sealing.ts';
import { choicesOf, settingsOf, untold } from './messages.settings.ts';
import { insertRecipients, recipientsOfMessages } from './recipients.repository.ts';

export type { LetterId, LetterToSend, ReadyMessage } from './messages.letters.service.ts';

/** What an owner says of a message. */
export type MessageInput = z.output<typeof messageBody>;
/** The same, where a file came with it. */
export type MessageFields = z.output<typeof messageForm>;
/** A message as its owner sees it. */
export type OwnersMessage = z.output<typeof messageSchema>;

export type Messages = MessageImports &
  Letters &
  Addresses &
  Enclosures & {
    /** Newest first. */
    list(principal: Principal): Promise<OwnersMessage[]>;
    /** @throws AppError `MESSAGE_LIMIT_EXCEEDED`, or `REAUTHENTICATION_REQUIRED` if a ready message has a new reader. */
    create(call: OwnersCall, input: MessageInput): Promise<OwnersMessage>;
    /** @throws AppError `NOT_FOUND`, `CONFLICT` for a delivered message, or `REAUTHENTICATION_REQUIRED` as `create`. */
    update(call: OwnersMessageCall, input: MessageInput): Promise<OwnersMessage>;
    /** @throws AppError `NOT_FOUND`. */
    remove(call: OwnersMessageCall): Promise<void>;
    /** Takes back what was deleted. @throws AppError `NOT_FOUND`, `MESSAGE_LIMIT_EXCEEDED` or `STORAGE_LIMIT_EXCEEDED`. */
    restore(call: OwnersMessageCall): Promise<void>;
    /** @throws AppError as `create`, and whatever `Files.take` refuses. */
    createWithAttachment(call: OwnersCall, upload: Upload<MessageFields>): Promise<OwnersMessage & Renamed>;
    /** The file takes the place of the one there was. @throws AppError as `update`, and whatever `Files.take` refuses. */
    updateWithAttachment(call: OwnersMessageCall, upload: Upload<MessageFields>): Promise<OwnersMessage & Renamed>;
    /** @throws AppError `NOT_FOUND`. */
    attachment(principal: Principal, id: string): Promise<OutgoingFile>;

    countReady(executor: Executor, userId: string): Promise<number>;
    /** The same of several owners, by their ids; an owner without any is left out. */
    countReadyOf(executor: Executor, userIds: readonly string[]): Promise<Map<string, number>>;
    /** What is ready, in the writer's order; an owner without anything is left out. */
    readyOf(executor: Executor, userIds: readonly string[]): Promise<Map<string, Ready>>;
    /** All there are, and those that are ready. */
    count(executor: Executor, userId: string): Promise<{ all: number; ready: number }>;
    /**
     * Something has become of letters of these messages: says what follows for each. Delivered once all it is for have ended
     * and one has it, and then nobody can change it; ready again where its letters were taken back.
     */
    settleFates(tx: Executor, messageIds: readonly string[]): Promise<void>;
  };

export type MessagesDependencies = {
  db: Database;
  clock: Clock;
  vaults: Pick<Vaults, 'open'>;
  accounts: Pick<Accounts, 'lockOwner' | 'recordActivity' | 'openVault' | 'ownerOf'>;
  audit: Pick<Audit, 'record'>;
  files: Pick<Files, 'take' | 'requireRoom' | 'giveOut' | 'release'>;
  freshSignIns: Pick<FreshSignIns, 'staleSignIn'>;
};

/** The messages of an owner. */
export function createMessages(dependencies: MessagesDependencies): Messages {
  const { db, clock, vaults, accounts, audit, files, freshSignIns } = dependencies;
  const changes = createChanges({ db, clock, accounts, audit, files });
  const { change } = changes;

  function create(call: OwnersCall, input: MessageInput, file: StoredFile | null): Promise<OwnersMessage> {
    return change(call, async (tx, at, plan) => {
      const { userId, vaultKey } = call.principal;
      if (isLimited(plan)) requireRoom(plan, await countUndelivered(tx, userId));
      if (file) requireSealedAlike(input, { mimeType: file.mimeType, isNew: true });
      if (file) await files.requireRoom(tx, { userId, plan }, { addedBytes: file.sizeBytes });

      const id = randomUUIDv7();
      const vault = vaults.open(userId, vaultKey);
      const { content, encryptedContent = null } = input;
      const title = titleOutside(input);
      const position = input.position ?? (await nextPosition(tx, userId));
      const settings = { ...settingsOf(input), ...choicesOf(input, untold), position };
      const times = { createdAt: at, updatedAt: at };
      const people = recipientsOf(input);
      const reading = { principal: call.principal, vault, status: input.status, given: people, at };
      await requireFreshForNewReader(tx, reading, { accounts, freshSignIns });
      await insertMessage(tx, { ...settings, ...sealWords(vault, id, input), id, userId, ...times });
      const rows = newRecipients(vault, { messageId: id, given: people, at });
      await insertRecipients(tx, rows);
      const said = { transcript: input.attachmentTranscript, isReplaced: false, hasFile: file !== null };
      if (file) await updateMessageRow(tx, id, { ...columnsOf(vault, id, file), ...transcriptColumn(vault, id, said) });
      const recipients = people.map((person) => ({ ...person, status: null, openedAt: null }));
      const words = { title, content, encryptedContent, recipients, recipientEmail: recipients[0]?.email ?? '' };
      const attachmentTranscript = input.attachmentTranscript || null;
      const shown = file ? { ...shownOf(file), attachmentTranscript } : noAttachment;
      const result = { ...settings, ...words, ...shown, enclosures: [], id, deliveredAt: null, ...times };
      return { result, action: 'message.create', id, ready: firstChangeOf(input, rows) };
    });
  }

  function update(call: OwnersMessageCall, input: MessageInput, file: StoredFile | null): Promise<OwnersMessage> {
    return change(call, async (tx, at, plan) => {
      const { principal, id } = call;
      const known = await changes.lockToChange(tx, call, at);
      const isCleared = input.hasAttachment === false && file === null;
      const mimeType = file?.mimeType ?? (isCleared ? null : known.attachmentMimeType);
      requireSealedAlike(input, { mimeType, isNew: file !== null }, known);
      const vault = vaults.open(principal.userId, principal.vaultKey);
      const given = recipientsOf(input);
      const reading = { principal, vault, status: input.status, given, at };
      await requireFreshForNewReader(tx, reading, { accounts, freshSignIns });
      const lying = (await enclosuresOfMessages(tx, [id])).get(id) ?? [];
      if (!isTakenIn(known, input.staged, lying))
        requireSameFile(input, attachmentOf(vault, { ...known, userId: principal.userId })?.name);
      // A file that is sealed with the words has in it what lay in the envelope before.
      const emptied = input.encryptedContent && file ? await deleteEnclosures(tx, id) : [];
      const unstaged = known.encryptedContent && !input.encryptedContent ? await takeIn(tx, id, input.staged) : [];
      const enclosures = (await enclosuresOfMessages(tx, [id])).get(id) ?? [];
      if (enclosures.length > 0) requireUnsealed(input);
      if (file) {
        const bytes = { addedBytes: file.sizeBytes, replacedBytes: known.attachmentSize ?? 0 };
        await files.requireRoom(tx, { userId: principal.userId, plan }, bytes);
      }

      const attached = file ? columnsOf(vault, id, file) : isCleared ? clearedColumns : {};
      const hasFile = file !== null || (known.attachmentPath !== null && !isCleared);
      const said = { transcript: input.attachmentTranscript, isReplaced: file !== null, hasFile };
      const settings = { ...settingsOf(input), ...choicesOf(input, known), position: input.position ?? known.position };
      const words = { ...sealWords(vault, id, input), ...transcriptColumn(vault, id, said) };
      const columns = { ...settings, ...words, ...attached, updatedAt: at };
      await updateMessageRow(tx, id, columns);
      const before = (await recipientsOfMessages(tx, [id])).get(id) ?? [];
      const recipients = await changeRecipients(tx, vault, { messageId: id, known: before, given, at });
      const { attachmentPath: _, ...shown } = { ...known, ...columns };
      const result = openListed(vault, shown, { recipients, enclosures });
      const changed = { message: result, recipients, isFileNew: file !== null };
      const ready = changeOfReady(vault, { known, recipients: before, enclosures: lying }, changed);
      const freedPaths = [...emptied, ...unstaged, file || isCleared ? known.attachmentPath : null];
      return { result, action: 'message.update', id, freedPaths, ready };
    });
  }

  return {
    ...createMessageImports({ files }),
    ...createLetters({ accounts, files }),
    ...createEnclosures({ db, vaults, accounts, files, changes }),
    ...createAddresses({ db, clock, vaults, accounts, audit }),

    async list({ userId, vaultKey }) {
      const listed = await listMessagesOfOwner(db, userId);
      const vault = vaults.open(userId, vaultKey);
      return listed.map(({ row, ...rest }) => openListed(vault, row, rest));
    },

    create: (call, input) => create(call, input, null),
    update: (call, input) => update(call, input, null),

    remove: (call) =>
      change(call, async (tx, at, plan) => {
        const { id, principal } = call;
        const freedPaths = await deleteStaged(tx, id);
        await keepDeleted(tx, { userId: principal.userId, kind: 'message', id }, { plan, at });
        const deleted = await deleteMessageRow(tx, principal.userId, id);
        if (!deleted) throw notFound();
        return { result: undefined, action: 'message.delete', id, freedPaths, ready: oneChangeOf(deleted, 'deleted') };
      }),

    restore: (call) =>
      change(call, async (tx, at, plan) => {
        const { id } = call;
        const { userId } = call.principal;
        const requireFit = async ({ row, fileBytes }: DeletedRow) => {
          if (row.status !== 'delivered' && isLimited(plan)) requireRoom(plan, await countUndelivered(tx, userId));
          if (fileBytes > 0) await files.requireRoom(tx, { userId, plan }, { addedBytes: fileBytes });
        };
        const kept = await putBack(tx, { userId, kind: 'message', id }, { at, requireFit });
        if (!kept) throw notFound();
        // It was left to wait for its day, and its letters went with it: its writer looks at it anew.
        if (kept.row.status === 'delivered' && kept.row.delivered_at === null)
          await updateMessageRow(tx, id, { status: 'draft' });
        return { result: undefined, action: 'message.restore', id, ready: restoredChangeOf(kept.row) };
      }),

    async createWithAttachment(call, upload) {
      const { principal } = call;
      // Once more under the lock; here so that nobody sends a file for nothing.
      requireRoom(principal.plan, await countUndelivered(db, principal.userId));
      return files.take({ principal, use: 'attachments' }, upload, (fields, file) => create(call, fields, file));
    },

    async updateWithAttachment(call, upload) {
      const { principal, id } = call;
      const known = await findAttachment(db, principal.userId, id);
      if (!known) throw notFound();
      requireChangeable({ ...known, hasReader: known.deliveredAt !== null });
      const intake = { principal, use: 'attachments', replacedBytes: known.attachmentSize ?? 0 } as const;
      return files.take(intake, upload, (fields, file) => update(call, fields, file));
    },

    async attachment({ userId, vaultKey }, id) {
      const row = await findAttachment(db, userId, id);
      const vault = vaults.open(userId, vaultKey);
      const file = row && attachmentOf(vault, row);
      if (!file) throw notFound();
      return files.giveOut(vault, file);
    },

    countReady: countReadyMessages,
    countReadyOf: countReadyMessagesOf,
    readyOf: listReadyOf,
    count: countMessages,
    settleFates: storeFates,
  };
}

/**
 * Words that lose their passphrase take in what was staged beside them, in this order, and leave nothing else of it. Gives where
 * the files of the rest lie. @throws AppError `CONFLICT` where one of these is not there.
 */
async function takeIn(tx: Executor, id: string, staged: readonly string[] = []): Promise<string[]> {
  const freedPaths = staged.length > 0 ? await deleteStagedBut(tx, id, staged) : await deleteStaged(tx, id);
  requireAllStaged(await takeStagedIn(tx, id, staged), staged);
  return freedPaths;
}
