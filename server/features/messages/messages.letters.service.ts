import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { Files } from '#server/features/files/files.service.ts';
import { shownSize } from '#server/features/files/picture-size.queries.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { RecipientInput } from '#shared/contract/letters/recipients.ts';
import type { SealedLetter } from '#shared/contract/messages.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import type { DeliverOn } from '#shared/rules/deliver-on.ts';
import { enclosuresOfMessages } from './enclosures.repository.ts';
import { openEnclosure, type ShownEnclosure } from './enclosures.sealing.ts';
import { findForDelivery, listForDelivery, listTitles } from './letters.repository.ts';
import { type Attachment, attachmentOf } from './messages.attachments.ts';
import { listReadyMessages, listSentMessages } from './messages.repository.ts';
import { openRow, openSealedLetter, openWords } from './messages.sealing.ts';
import { type RecipientRow, recipientsOfMessages } from './recipients.repository.ts';
import { openRecipient } from './recipients.sealing.ts';

/** What a release would send. */
export type ReadyMessage = {
  id: string;
  title: string;
  /** The address of the first of those it is for. */
  recipientEmail: string;
  /** Those who do not have it yet. */
  recipients: RecipientInput[];
  visibleToTrustedContact: boolean;
  deliverOn: DeliverOn;
  /** True if it asks for a passphrase. */
  isSealed: boolean;
  createdAt: Date;
};

/** A message for one of its people. */
export type LetterId = { messageId: string; recipientId: string };
export type LetterToSend = LetterId & { name: string | null; email: string };
export type LettersToSend = { whole: (LetterToSend & { deliverOn: DeliverOn })[]; damaged: LetterId[] };

/** What a recipient is shown. */
export type MessageForDelivery = {
  title: string;
  content: string;
  encryptedContent: SealedLetter | null;
  createdAt: Date;
  attachment: Attachment | null;
  /** Pictures and voice, in the writer's order; what is damaged of them stands there without its words. */
  enclosures: ShownEnclosure[];
  /** For whom else it is, by name, where its writer lets its readers see that. */
  alsoFor: string[];
  /** There where its words no longer match their seal: they are left out. */
  isDamaged?: true;
};

/** What is said of a letter on the page of another one for the same person. */
export type LetterTitle = { title: string; sealed: boolean; enclosures: number };

/** Messages on their way to those they are for. */
export type Letters = {
  /** What a release would send, in the writer's order. One that is damaged stands there without its words. */
  readyMessages(tx: Executor, userId: string): Promise<ReadyMessage[]>;
  /** The same of messages that were put on their way, delivered to some of their people or to none. */
  sentMessages(tx: Executor, userId: string, ids: readonly string[]): Promise<ReadyMessage[]>;
  /** Which of an owner's letters that were put on their way do not open any more. */
  damagedAmong(executor: Executor, userId: string, messageIds: readonly string[]): Promise<Set<string>>;
  /** The same for sending it: every word is opened, so that nobody gets a link to a letter that does not open. */
  lettersToSend(tx: Executor, userId: string): Promise<LettersToSend>;
  /** `recipientId` is whose letter it is. @throws AppError `NOT_FOUND`. */
  readForDelivery(executor: Executor, letter: LetterId): Promise<MessageForDelivery>;
  /** The titles of these messages, by their ids. */
  titlesForDelivery(
    executor: Executor,
    userId: string,
    messageIds: readonly string[],
  ): Promise<Map<string, LetterTitle>>;
  /** @throws AppError `NOT_FOUND`. */
  attachmentForDelivery(executor: Executor, messageId: string): Promise<OutgoingFile>;
};

/** How many whole letters are in memory at once, each of which may be of some hundred kilobytes. */
const lettersReadTogether = 20;

function* batches(ids: readonly string[]): Generator<string[]> {
  for (let from = 0; from < ids.length; from += lettersReadTogether) yield ids.slice(from, from + lettersReadTogether);
}

export function createLetters({
  accounts,
  files,
}: {
  accounts: Pick<Accounts, 'openVault'>;
  files: Pick<Files, 'giveOut'>;
}): Letters {
  async function opened(
    executor: Executor,
    userId: string,
    rows: Awaited<ReturnType<typeof listReadyMessages>>,
    isShown: (recipients: readonly RecipientRow[]) => boolean = () => true,
  ): Promise<ReadyMessage[]> {
    if (rows.length === 0) return [];
    const vault = await accounts.openVault(executor, userId);
    const recipients = await recipientsOfMessages(
      executor,
      rows.map(({ id }) => id),
    );
    return rows
      .filter(({ id }) => isShown(recipients.get(id) ?? []))
      .map((row) => readyMessage(vault, row, recipients.get(row.id) ?? []));
  }

  return {
    readyMessages: async (tx, userId) => opened(tx, userId, await listReadyMessages(tx, userId), hasToGo),
    sentMessages: async (tx, userId, ids) => opened(tx, userId, await listSentMessages(tx, ids)),

    async damagedAmong(executor, userId, messageIds) {
      const vault = await accounts.openVault(executor, userId);
      const damaged = new Set(messageIds);
      for (const some of batches(messageIds)) {
        for (const row of await listForDelivery(executor, some)) {
          if (unlessBroken(() => openForDelivery(vault, row)) !== null) damaged.delete(row.id);
        }
      }
      return damaged;
    },

    async lettersToSend(tx, userId) {
      const vault = await accounts.openVault(tx, userId);
      const letters: LettersToSend = { whole: [], damaged: [] };
      const ready = await listReadyMessages(tx, userId);
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
    },

    async readForDelivery(executor, { messageId, recipientId }) {
      const row = await findForDelivery(executor, messageId);
      if (!row) throw notFound();

      const vault = await accounts.openVault(executor, row.userId);
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
    },

    async titlesForDelivery(executor, userId, messageIds) {
      const vault = await accounts.openVault(executor, userId);
      const rows = await listTitles(executor, messageIds);
      return new Map(
        rows.map(({ id, title, isSealed, enclosures }) => [
          id,
          {
            title: unlessBroken(() => openWords(vault, id, 'title', title)) ?? damagedTitle,
            sealed: isSealed,
            enclosures,
          },
        ]),
      );
    },

    async attachmentForDelivery(executor, messageId) {
      const row = await findForDelivery(executor, messageId);
      const vault = row && (await accounts.openVault(executor, row.userId));
      const file = vault && attachmentOf(vault, row);
      if (!file) throw notFound();
      return files.giveOut(vault, file);
    },
  };
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
  const file = attachmentOf(vault, row);
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

/** Those who do not have their letter yet, and for whom none waits for its day. */
function waiting(recipients: readonly RecipientRow[]): RecipientRow[] {
  return recipients.filter(({ status }) => status !== 'accepted' && status !== 'waiting');
}

/** Not one that waits for its day already, for all it is still to reach. */
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

/** How one reader hears of another: by name, or by address where the writer gave none. */
function calledNames(vault: Vault, row: RecipientRow): string[] {
  const person = unlessBroken(() => openRecipient(vault, row));
  return person ? [person.name ?? person.email] : [];
}
