import { randomUUID, randomUUIDv7 } from 'node:crypto';
import type { z } from 'zod';
import type { App } from '#server/app.ts';
import { requireFileRoom } from '#server/features/files/files.ts';
import type { StoredFile } from '#server/features/files/receive-file.ts';
import { meetVersion } from '#server/features/versions/versions.rules.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import { recipientsOf } from '#shared/contract/letters/recipients.ts';
import type { messageBody, messageSchema } from '#shared/contract/messages.ts';
import { changedElsewhere } from '#shared/contract/vault/versions.ts';
import { titleOutside } from '#shared/rules/letter-seal.ts';
import {
  deleteEnclosures,
  deleteStaged,
  deleteStagedBut,
  enclosuresOfMessages,
  takeStagedIn,
} from './enclosures.repository.ts';
import {
  attachedFileOf,
  attachmentColumns,
  attachmentFields,
  noAttachmentColumns,
  noAttachmentFields,
  transcriptColumn,
} from './messages.attachments.ts';
import { changeMessage, type Done, lockToChange, type OwnersCall, type OwnersMessageCall } from './messages.change.ts';
import { requireFreshForNewReader } from './messages.new-readers.ts';
import { changeOfReady, firstChangeOf } from './messages.ready-changes.ts';
import { changeRecipients, newRecipients } from './messages.recipients.ts';
import {
  countUndelivered,
  findCreatedAs,
  insertMessage,
  lockMessage,
  updateMessageRow,
} from './messages.repository.ts';
import {
  isLimited,
  isTakenIn,
  requireAllStaged,
  requireRoom,
  requireSameFile,
  requireSealedAlike,
  requireUnsealed,
} from './messages.rules.ts';
import { openListed, sealWords } from './messages.sealing.ts';
import { choicesOf, defaultChoices, settingsOf } from './messages.settings.ts';
import { recipientsOfMessages } from './recipients.repository.ts';

/** Fields of a message that its owner may set. */
export type MessageInput = z.output<typeof messageBody>;
/** A message as its owner sees it. */
export type OwnersMessage = z.output<typeof messageSchema>;

/** Stores a new message under the owner's lock. @throws AppError as `createMessage`. */
export function storeNewMessage(
  app: App,
  call: OwnersCall,
  input: MessageInput,
  file: StoredFile | null,
): Promise<OwnersMessage> {
  return changeMessage(app, call, async (tx, at, plan) => {
    const { userId, vaultKey } = call.principal;
    const earlier = call.changeKey && (await findCreatedAs(tx, userId, call.changeKey));
    if (earlier) return repeated(await ownersMessage(app, tx, call, earlier), file);
    if (isLimited(plan)) requireRoom(plan, await countUndelivered(tx, userId));
    if (file) requireSealedAlike(input, { mimeType: file.mimeType, isNew: true });
    if (file) await requireFileRoom(tx, { userId, plan }, { addedBytes: file.sizeBytes });

    const id = randomUUIDv7();
    const vault = app.vaults.open(userId, vaultKey);
    const { content, encryptedContent = null } = input;
    const title = titleOutside(input);
    const choices = { ...settingsOf(input), ...choicesOf(input, defaultChoices) };
    const times = { createdAt: at, updatedAt: at };
    const people = recipientsOf(input);
    const reading = { principal: call.principal, vault, status: input.status, given: people, at };
    await requireFreshForNewReader(app, tx, reading);
    const names = { version: call.changeKey ?? randomUUID(), createdAs: call.changeKey ?? null };
    const rows = newRecipients(vault, { messageId: id, given: people, at });
    const row = { ...choices, ...sealWords(vault, id, input), id, userId, ...times, ...names };
    const position = await insertMessage(tx, { ...row, position: input.position }, rows);
    const said = { transcript: input.attachmentTranscript, isReplaced: false, hasFile: file !== null };
    if (file)
      await updateMessageRow(tx, id, { ...attachmentColumns(vault, id, file), ...transcriptColumn(vault, id, said) });
    const recipients = people.map((person) => ({ ...person, status: null, openedAt: null }));
    const words = { title, content, encryptedContent, recipients, recipientEmail: recipients[0]?.email ?? '' };
    const attachmentTranscript = input.attachmentTranscript || null;
    const shown = file ? { ...attachmentFields(file), attachmentTranscript } : noAttachmentFields;
    const result = { ...choices, position, ...words, ...shown, enclosures: [], id, deliveredAt: null };
    const { version } = names;
    return {
      result: { ...result, ...times, version },
      action: 'message.create',
      id,
      ready: firstChangeOf(input, rows),
    };
  });
}

/** Stores a change of a message under the owner's lock. @throws AppError as `updateMessage`. */
export function storeChangedMessage(
  app: App,
  call: OwnersMessageCall,
  input: MessageInput,
  file: StoredFile | null,
): Promise<OwnersMessage> {
  return changeMessage(app, call, async (tx, at, plan) => {
    const {
      principal,
      params: { id },
    } = call;
    const known = await lockToChange(app, tx, call, at);
    const meeting = meetVersion(known, { ...input, ...call });
    if (meeting === 'repeat') return repeated(await ownersMessage(app, tx, call, id), file);
    if (meeting === 'refuse') throw changedElsewhere('message', await ownersMessage(app, tx, call, id));
    const isCleared = input.hasAttachment === false && file === null;
    const mimeType = file?.mimeType ?? (isCleared ? null : known.attachmentMimeType);
    requireSealedAlike(input, { mimeType, isNew: file !== null }, known);
    const vault = app.vaults.open(principal.userId, principal.vaultKey);
    const given = recipientsOf(input);
    const reading = { principal, vault, status: input.status, given, at };
    await requireFreshForNewReader(app, tx, reading);
    const lying = (await enclosuresOfMessages(tx, [id])).get(id) ?? [];
    if (!isTakenIn(known, input.staged, lying))
      requireSameFile(input, attachedFileOf(vault, { ...known, userId: principal.userId })?.name);
    // The sealed file contains the earlier enclosures.
    const emptied = input.encryptedContent && file ? await deleteEnclosures(tx, id) : [];
    const takesIn = Boolean(known.encryptedContent) && !input.encryptedContent;
    const unstaged = takesIn ? await takeIn(tx, id, input.staged) : [];
    const isOther = takesIn || emptied.length > 0;
    const enclosures = isOther ? ((await enclosuresOfMessages(tx, [id])).get(id) ?? []) : lying;
    if (enclosures.length > 0) requireUnsealed(input);
    if (file) {
      const bytes = { addedBytes: file.sizeBytes, replacedBytes: known.attachmentSize ?? 0 };
      await requireFileRoom(tx, { userId: principal.userId, plan }, bytes);
    }

    const attached = file ? attachmentColumns(vault, id, file) : isCleared ? noAttachmentColumns : {};
    const hasFile = file !== null || (known.attachmentPath !== null && !isCleared);
    const said = { transcript: input.attachmentTranscript, isReplaced: file !== null, hasFile };
    const settings = { ...settingsOf(input), ...choicesOf(input, known), position: input.position ?? known.position };
    const words = { ...sealWords(vault, id, input), ...transcriptColumn(vault, id, said) };
    const version = call.changeKey ?? randomUUID();
    const columns = { ...settings, ...words, ...attached, updatedAt: at, version };
    await updateMessageRow(tx, id, columns);
    const before = (await recipientsOfMessages(tx, [id])).get(id) ?? [];
    const recipients = await changeRecipients(tx, vault, { messageId: id, known: before, given, at });
    const { attachmentPath: _, ...shown } = { ...known, ...columns };
    const result = openListed(vault, shown, { recipients, enclosures });
    const changed = { message: result, recipients, isFileNew: file !== null };
    const ready = changeOfReady(vault, { known, recipients: before, enclosures: lying }, changed);
    const replacedPath = file || isCleared ? known.attachmentPath : null;
    const freedPaths = [...emptied, ...unstaged, ...(replacedPath === null ? [] : [replacedPath])];
    return { result, action: 'message.update', id, freedPaths, ready };
  });
}

/** Reads one message as its owner sees it. */
async function ownersMessage(app: App, tx: Executor, { principal }: OwnersCall, id: string): Promise<OwnersMessage> {
  const known = await lockMessage(tx, principal.userId, id);
  if (!known) throw notFound();
  const { attachmentPath: _, ...row } = known;
  const recipients = (await recipientsOfMessages(tx, [id])).get(id) ?? [];
  const enclosures = (await enclosuresOfMessages(tx, [id])).get(id) ?? [];
  return openListed(app.vaults.open(principal.userId, principal.vaultKey), row, { recipients, enclosures });
}

/** @throws AppError `CHANGED_ELSEWHERE` if the call names another version than the stored one. */
export async function requireVersion(
  app: App,
  tx: Executor,
  call: OwnersMessageCall,
  version: string | undefined,
): Promise<void> {
  const { id } = call.params;
  const known = version === undefined ? null : await lockMessage(tx, call.principal.userId, id);
  if (known && meetVersion(known, { version }) === 'refuse')
    throw changedElsewhere('message', await ownersMessage(app, tx, call, id));
}

/** Answers a repeated request with the stored message, and removes the second copy of its file. */
function repeated(stored: OwnersMessage, file: StoredFile | null): Done<OwnersMessage> {
  return { result: stored, action: null, id: stored.id, freedPaths: file ? [file.path] : [], ready: null };
}

/**
 * Turns the staged files with these ids into enclosures, in this order, and deletes the other staged ones. Returns the paths of
 * their files. @throws AppError `CONFLICT` if one of these is missing.
 */
async function takeIn(tx: Executor, id: string, staged: readonly string[] = []): Promise<string[]> {
  const freedPaths = staged.length > 0 ? await deleteStagedBut(tx, id, staged) : await deleteStaged(tx, id);
  requireAllStaged(await takeStagedIn(tx, id, staged), staged);
  return freedPaths;
}
