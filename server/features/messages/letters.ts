import type { App } from '#server/app.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { outgoingFile } from '#server/features/files/files.ts';
import { shownSize } from '#server/features/files/picture-size.queries.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import { mapInSlices } from '#server/platform/slices.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { RecipientInput } from '#shared/contract/letters/recipients.ts';
import type { SealedLetter } from '#shared/contract/messages.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import type { DeliverOn } from '#shared/rules/deliver-on.ts';
import { enclosuresOfMessages } from './enclosures.repository.ts';
import { openEnclosure, type ShownEnclosure } from './enclosures.sealing.ts';
import { findForDelivery, listForDelivery, listTitles } from './letters.repository.ts';
import { type Attachment, attachedFileOf } from './messages.attachments.ts';
import { listReadyRows, listSentRows } from './messages.repository.ts';
import { openRow, openSealedLetter, openWords } from './messages.sealing.ts';
import { type RecipientRow, recipientsOfMessages } from './recipients.repository.ts';
import { openRecipient } from './recipients.sealing.ts';

/** A message that a release would send. */
export type ReadyMessage = {
  id: string;
  title: string;
  /** Address of the first recipient. */
  recipientEmail: string;
  /** Recipients who do not have it yet. */
  recipients: RecipientInput[];
  visibleToTrustedContact: boolean;
  deliverOn: DeliverOn;
  /** True if the reader needs a passphrase. */
  isSealed: boolean;
  createdAt: Date;
};

/** A message for one of its recipients. */
export type LetterId = { messageId: string; recipientId: string };
export type LetterToSend = LetterId & { name: string | null; email: string };
export type LettersToSend = { whole: (LetterToSend & { deliverOn: DeliverOn })[]; damaged: LetterId[] };

/** A message as its recipient sees it. */
export type MessageForDelivery = {
  title: string;
  content: string;
  encryptedContent: SealedLetter | null;
  createdAt: Date;
  attachment: Attachment | null;
  /** Pictures and voice, in the writer's order. Damaged ones have no words. */
  enclosures: ShownEnclosure[];
  /** Names of the other recipients, if the writer shows them. */
  alsoFor: string[];
  /** Set if the words no longer match their seal. They are left out. */
  isDamaged?: true;
};

/** Facts of a letter that the page of another one for the same person shows. */
export type LetterTitle = { title: string; sealed: boolean; enclosures: number };

/** Whole letters in memory at the same time. Each may have some hundred kilobytes. */
const lettersReadTogether = 20;

function* batches(ids: readonly string[]): Generator<string[]> {
  for (let from = 0; from < ids.length; from += lettersReadTogether) yield ids.slice(from, from + lettersReadTogether);
}

async function openReady(
  app: App,
  executor: Executor,
  userId: string,
  rows: Awaited<ReturnType<typeof listReadyRows>>,
  isShown: (recipients: readonly RecipientRow[]) => boolean = () => true,
): Promise<ReadyMessage[]> {
  if (rows.length === 0) return [];
  const vault = await openVault(app, executor, userId);
  const recipients = await recipientsOfMessages(
    executor,
    rows.map(({ id }) => id),
  );
  const shown = rows.filter(({ id }) => isShown(recipients.get(id) ?? []));
  return mapInSlices(shown, (row) => readyMessage(vault, row, recipients.get(row.id) ?? []));
}

type ReadyRow = Awaited<ReturnType<typeof listReadyRows>>[number];
type FirstReady = { max: number; isListed: (row: ReadyRow) => boolean };

/** Opens the first of the messages that `listReadyMessages` would list and that are wanted, and counts all others. */
export async function listFirstReady(
  app: App,
  executor: Executor,
  userId: string,
  { max, isListed }: FirstReady,
): Promise<{ listed: ReadyMessage[]; leftOut: number; others: number }> {
  const rows = await listReadyRows(executor, userId);
  const recipients = await recipientsOfMessages(
    executor,
    rows.map(({ id }) => id),
  );
  const ready = rows.filter(({ id }) => hasToGo(recipients.get(id) ?? []));
  const wanted = ready.filter(isListed);
  const vault = await openVault(app, executor, userId);
  const first = wanted.slice(0, max);
  const listed = await mapInSlices(first, (row) => readyMessage(vault, row, recipients.get(row.id) ?? []));
  return { listed, leftOut: wanted.length - first.length, others: ready.length - wanted.length };
}

/** Lists the messages that a release would send, in the writer's order. A damaged one has no words. */
export async function listReadyMessages(app: App, tx: Executor, userId: string): Promise<ReadyMessage[]> {
  return openReady(app, tx, userId, await listReadyRows(tx, userId), hasToGo);
}

/** Lists those of an owner's messages with these ids that were queued, delivered to some of their readers or to none. */
export async function listSentMessages(
  app: App,
  tx: Executor,
  userId: string,
  ids: readonly string[],
): Promise<ReadyMessage[]> {
  return openReady(app, tx, userId, await listSentRows(tx, ids));
}

/** Returns the ids of those of an owner's queued messages that no longer open. */
export async function findDamagedMessages(
  app: App,
  executor: Executor,
  userId: string,
  messageIds: readonly string[],
): Promise<Set<string>> {
  const vault = await openVault(app, executor, userId);
  const damaged = new Set(messageIds);
  for (const some of batches(messageIds)) {
    for (const row of await listForDelivery(executor, some)) {
      if (unlessBroken(() => openForDelivery(vault, row)) !== null) damaged.delete(row.id);
    }
  }
  return damaged;
}

/** Reads the letters that a release sends. Every word is opened, so that no reader gets a link to a damaged letter. */
export async function readLettersToSend(app: App, tx: Executor, userId: string): Promise<LettersToSend> {
  const vault = await openVault(app, tx, userId);
  const letters: LettersToSend = { whole: [], damaged: [] };
  const ready = await listReadyRows(tx, userId);
  const days = new Map(ready.map(({ id, deliverOn }) => [id, deliverOn]));
  for (const some of batches(ready.map(({ id }) => id))) {
    const rows = new Map((await listForDelivery(tx, some)).map((row) => [row.id, row]));
    const recipients = await recipientsOfMessages(tx, some);
    for (const id of some) {
      const row = rows.get(id);
      const isWhole = row && unlessBroken(() => openForDelivery(vault, row)) !== null;
      for (const recipient of waiting(recipients.get(id) ?? [])) {
        const letter = { messageId: id, recipientId: recipient.id };
        const person = isWhole ? unlessBroken(() => openRecipient(vault, recipient)) : null;
        if (person)
          letters.whole.push({
            ...letter,
            name: person.name,
            email: person.email,
            deliverOn: days.get(id) ?? null,
          });
        else letters.damaged.push(letter);
      }
    }
  }
  return letters;
}

/** Reads a message for the recipient with this id. @throws AppError `NOT_FOUND`. */
export async function readDeliveredMessage(
  app: App,
  executor: Executor,
  { messageId, recipientId }: LetterId,
): Promise<MessageForDelivery> {
  const row = await findForDelivery(executor, messageId);
  if (!row) throw notFound();

  const vault = await openVault(app, executor, row.userId);
  const letter = unlessBroken(() => openForDelivery(vault, row));
  if (!letter) return { ...noWords, createdAt: row.createdAt };
  const enclosed = (await enclosuresOfMessages(executor, [messageId])).get(messageId) ?? [];
  const enclosures = enclosed.map((enclosure) => openEnclosure(vault, enclosure));
  if (!row.showRecipients) return { ...letter, enclosures, alsoFor: [] };
  const all = (await recipientsOfMessages(executor, [messageId])).get(messageId) ?? [];
  return {
    ...letter,
    enclosures,
    alsoFor: all.filter(({ id }) => id !== recipientId).flatMap((row) => calledNames(vault, row)),
  };
}

/** Reads the titles of an owner's messages, by their ids. */
export async function readTitles(
  app: App,
  executor: Executor,
  userId: string,
  messageIds: readonly string[],
): Promise<Map<string, LetterTitle>> {
  const vault = await openVault(app, executor, userId);
  const rows = await listTitles(executor, messageIds);
  const opened = await mapInSlices(rows, ({ id, title, isSealed, enclosures }) => {
    const words = unlessBroken(() => openWords(vault, id, 'title', title)) ?? damagedTitle;
    return [id, { title: words, sealed: isSealed, enclosures }] as const;
  });
  return new Map(opened);
}

/** Returns the file of a message for its reader. @throws AppError `NOT_FOUND`. */
export async function openDeliveredAttachment(app: App, executor: Executor, messageId: string): Promise<OutgoingFile> {
  const row = await findForDelivery(executor, messageId);
  const vault = row && (await openVault(app, executor, row.userId));
  const file = vault && attachedFileOf(vault, row);
  if (!file) throw notFound();
  return outgoingFile(app, vault, file);
}

const noWords = {
  title: damagedTitle,
  content: '',
  encryptedContent: null,
  attachment: null,
  enclosures: [] as ShownEnclosure[],
  alsoFor: [] as string[],
  isDamaged: true as const,
} satisfies Partial<MessageForDelivery>;

type RowForDelivery = NonNullable<Awaited<ReturnType<typeof findForDelivery>>>;

function openForDelivery(vault: Vault, row: RowForDelivery): Omit<MessageForDelivery, 'alsoFor' | 'enclosures'> {
  const { id, createdAt, attachmentTranscript: transcript } = row;
  const file = attachedFileOf(vault, row);
  return {
    title: openWords(vault, id, 'title', row.title),
    content: openWords(vault, id, 'content', row.content),
    encryptedContent: openSealedLetter(vault, id, row.encryptedContent),
    createdAt,
    attachment: file && {
      ...{ name: file.name, sizeBytes: file.sizeBytes, mimeType: file.mimeType },
      pictureSize: shownSize(row.picture),
      transcript: transcript ? openWords(vault, id, 'attachment_transcript', transcript) : '',
    },
  };
}

/** Recipients without a letter, and without one that waits for its day. */
function waiting(recipients: readonly RecipientRow[]): RecipientRow[] {
  return recipients.filter(({ status }) => status !== 'accepted' && status !== 'waiting');
}

/** False if the letter waits for its day for every recipient who is still to get it. */
function hasToGo(recipients: readonly RecipientRow[]): boolean {
  return waiting(recipients).length > 0 || recipients.every(({ status }) => status !== 'waiting');
}

function readyMessage(
  vault: Vault,
  row: Omit<ReadyMessage, 'recipientEmail' | 'recipients'>,
  recipients: readonly RecipientRow[],
): ReadyMessage {
  return (
    unlessBroken(() => {
      const people = waiting(recipients).map((recipient) => openRecipient(vault, recipient));
      return { ...openRow(vault, row), recipientEmail: people[0]?.email ?? '', recipients: people };
    }) ?? { ...row, title: damagedTitle, recipientEmail: '', recipients: [] }
  );
}

/** Name of a reader for another one, or the address if the writer gave no name. */
function calledNames(vault: Vault, row: RecipientRow): string[] {
  const person = unlessBroken(() => openRecipient(vault, row));
  return person ? [person.name ?? person.email] : [];
}
