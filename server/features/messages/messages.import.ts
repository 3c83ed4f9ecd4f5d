import { randomUUIDv7 } from 'node:crypto';
import type { App } from '#server/app.ts';
import { outgoingFile } from '#server/features/files/files.ts';
import type { StoredFile, TakenFile } from '#server/features/files/receive-file.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import { mapInSlices } from '#server/platform/slices.ts';
import type { RecipientInput } from '#shared/contract/letters/recipients.ts';
import type { SealedLetter } from '#shared/contract/messages.ts';
import type { MessageCategory, MessageStatus } from '#shared/rules/categories.ts';
import type { DeliverOn } from '#shared/rules/deliver-on.ts';
import { type PlanName, plans } from '#shared/rules/plans.ts';
import { enclosuresByMessage, insertEnclosures } from './enclosures.repository.ts';
import { newEnclosure, newOriginal, openEnclosure, type ShownEnclosure } from './enclosures.sealing.ts';
import { attachedFileOf, attachmentColumns, transcriptColumn } from './messages.attachments.ts';
import { newRecipients } from './messages.recipients.ts';
import { countUndelivered, insertMessages, listForImport, nextPosition } from './messages.repository.ts';
import { isLimited, requireRoomForMany } from './messages.rules.ts';
import { openOwners, sealWords } from './messages.sealing.ts';
import { insertRecipients, recipientsByMessage } from './recipients.repository.ts';
import { openRecipient } from './recipients.sealing.ts';

/** A message of an export. */
export type ImportedMessage = {
  title: string;
  content: string;
  /** Content that a browser sealed with a passphrase, in place of `content`. */
  encryptedContent: SealedLetter | null;
  recipients: RecipientInput[];
  showRecipients: boolean;
  deliverOn: DeliverOn;
  announceWait: boolean;
  /** Null if the export has none: the message comes after those before it. */
  position: number | null;
  category: MessageCategory;
  /** Never `delivered`: this installation has not sent it. */
  status: Exclude<MessageStatus, 'delivered'>;
  visibleToTrustedContact: boolean;
  createdAt: Date;
  updatedAt: Date;
  attachment: StoredFile | null;
  attachmentTranscript: string | null;
  enclosures: ImportedEnclosure[];
};

/** A picture or a voice of an export, in the order of its letter. */
export type ImportedEnclosure = Pick<ShownEnclosure, 'kind' | 'caption' | 'transcript' | 'afterParagraph'> & {
  file: TakenFile;
  /** Camera's original of a picture that was made smaller. */
  original: TakenFile | null;
};

/** A stored message, with the values that an imported one is compared with. */
export type KnownMessage = {
  title: string;
  content: string;
  encryptedContent: SealedLetter | null;
  recipients: RecipientInput[];
  attachment: OutgoingFile | null;
  enclosures: { file: { name: string; sizeBytes: number } }[];
};

/** Returns all messages of an owner, delivered ones too. It leaves out damaged ones, because their words are unknown. */
export async function listKnownMessages(
  app: App,
  executor: Executor,
  userId: string,
  vault: Vault,
): Promise<KnownMessage[]> {
  const rows = await listForImport(executor, userId);
  const people = await recipientsByMessage(executor, userId);
  const enclosed = await enclosuresByMessage(executor, userId);
  const known = (row: (typeof rows)[number]) => {
    const { title, content, encryptedContent } = openOwners(vault, row);
    const stored = attachedFileOf(vault, row);
    const recipients = (people.get(row.id) ?? []).map((recipient) => openRecipient(vault, recipient));
    const attachment = stored && outgoingFile(app, vault, stored);
    const enclosures = (enclosed.get(row.id) ?? []).map((enclosure) => ({ file: openEnclosure(vault, enclosure) }));
    return { title, content, encryptedContent, recipients, attachment, enclosures };
  };
  const all = await mapInSlices(rows, (row): KnownMessage | null => unlessBroken(() => known(row)));
  return all.filter((message) => message !== null);
}

/** Number of messages that the plan still has room for. Exact under the owner's lock. */
export async function countRoomForMessages(
  executor: Executor,
  { userId, plan }: { userId: string; plan: PlanName },
): Promise<number> {
  if (!isLimited(plan)) return Number.POSITIVE_INFINITY;
  return Math.max(0, plans[plan].messageLimit - (await countUndelivered(executor, userId)));
}

/** Inserts imported messages under the owner's lock. @throws AppError `MESSAGE_LIMIT_EXCEEDED`. */
export async function insertImportedMessages(
  tx: Executor,
  { userId, plan, vault }: { userId: string; plan: PlanName; vault: Vault },
  given: readonly ImportedMessage[],
): Promise<void> {
  if (given.length === 0) return;
  if (isLimited(plan)) {
    requireRoomForMany(plan, { undelivered: await countUndelivered(tx, userId), added: given.length });
  }
  const firstPosition = await nextPosition(tx, userId);
  const made = given.map((message, index) => {
    const { title, content, encryptedContent, recipients, attachment, enclosures, position, ...rest } = message;
    const { attachmentTranscript: transcript, ...settings } = rest;
    const id = randomUUIDv7();
    const words = sealWords(vault, id, { title, content, encryptedContent });
    const said = { transcript: transcript ?? undefined, isReplaced: true, hasFile: attachment !== null };
    const file = attachment
      ? { ...attachmentColumns(vault, id, attachment), ...transcriptColumn(vault, id, said) }
      : {};
    const row = { ...settings, ...words, ...file, position: position ?? firstPosition + index, id, userId };
    const owned = { userId, messageId: id, staging: null, createdAt: message.createdAt, createdAs: null };
    return {
      row,
      recipients: newRecipients(vault, { messageId: id, given: recipients, at: message.updatedAt }),
      enclosures: enclosures.flatMap(({ original, ...given }, place) => {
        const row = newEnclosure(vault, { ...owned, position: place + 1 }, given);
        return original ? [row, newOriginal(vault, row, original)] : [row];
      }),
    };
  });
  await insertMessages(
    tx,
    made.map(({ row }) => row),
  );
  await insertRecipients(
    tx,
    made.flatMap(({ recipients }) => recipients),
  );
  await insertEnclosures(
    tx,
    made.flatMap(({ enclosures }) => enclosures),
  );
}
