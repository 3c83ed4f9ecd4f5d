import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { Files } from '#server/features/files/files.service.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { SealedLetter } from '#shared/contract/messages.ts';
import { type Attachment, attachmentOf } from './messages.attachments.ts';
import { findForDelivery, listForDelivery, listReadyMessages } from './messages.repository.ts';
import { openReady, openSealedLetter, openWords } from './messages.sealing.ts';

/** What a release would send. */
export type ReadyMessage = {
  id: string;
  title: string;
  recipientEmail: string;
  visibleToTrustedContact: boolean;
  createdAt: Date;
};

/** `damaged` are ids. */
export type LettersToSend = { whole: { id: string; recipientEmail: string }[]; damaged: string[] };

/** What a recipient is shown. */
export type MessageForDelivery = {
  title: string;
  content: string;
  encryptedContent: SealedLetter | null;
  createdAt: Date;
  attachment: Attachment | null;
};

/** Messages on their way to those they are for. */
export type Letters = {
  /** What a release would send, oldest first. One that is damaged stands there without its words. */
  readyMessages(tx: Executor, userId: string): Promise<ReadyMessage[]>;
  /** The same for sending it: every word is opened, so that nobody gets a link to a letter that does not open. */
  lettersToSend(tx: Executor, userId: string): Promise<LettersToSend>;
  /** @throws AppError `NOT_FOUND`. */
  readForDelivery(executor: Executor, messageId: string): Promise<MessageForDelivery>;
  /** @throws AppError `NOT_FOUND`. */
  attachmentForDelivery(executor: Executor, messageId: string): Promise<OutgoingFile>;
};

/** How many whole letters are in memory at once, each of which may be of some hundred kilobytes. */
const lettersReadTogether = 20;

export function createLetters({
  accounts,
  files,
}: {
  accounts: Pick<Accounts, 'openVault'>;
  files: Pick<Files, 'giveOut'>;
}): Letters {
  return {
    async readyMessages(tx, userId) {
      const rows = await listReadyMessages(tx, userId);
      if (rows.length === 0) return [];

      const vault = await accounts.openVault(tx, userId);
      return rows.map((row) => openReady(vault, row));
    },

    async lettersToSend(tx, userId) {
      const vault = await accounts.openVault(tx, userId);
      const letters: LettersToSend = { whole: [], damaged: [] };
      const ids = (await listReadyMessages(tx, userId)).map(({ id }) => id);
      for (let from = 0; from < ids.length; from += lettersReadTogether) {
        const some = ids.slice(from, from + lettersReadTogether);
        const rows = new Map((await listForDelivery(tx, some)).map((row) => [row.id, row]));
        for (const id of some) {
          const row = rows.get(id);
          const address = row && unlessBroken(() => addressOfWhole(vault, row));
          if (address) letters.whole.push({ id, recipientEmail: address });
          else letters.damaged.push(id);
        }
      }
      return letters;
    },

    async readForDelivery(executor, messageId) {
      const row = await findForDelivery(executor, messageId);
      if (!row) throw notFound();

      return openForDelivery(await accounts.openVault(executor, row.userId), row);
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

type RowForDelivery = NonNullable<Awaited<ReturnType<typeof findForDelivery>>>;

function openForDelivery(vault: Vault, row: RowForDelivery): MessageForDelivery {
  const { id, createdAt } = row;
  const file = attachmentOf(vault, row);
  return {
    title: openWords(vault, id, 'title', row.title),
    content: openWords(vault, id, 'content', row.content),
    encryptedContent: openSealedLetter(vault, id, row.encryptedContent),
    createdAt,
    attachment: file && { name: file.name, sizeBytes: file.sizeBytes, mimeType: file.mimeType },
  };
}

/** Whom a letter is for, once everything in it was found to open. */
function addressOfWhole(vault: Vault, row: RowForDelivery): string {
  openForDelivery(vault, row);
  return openWords(vault, row.id, 'recipient_email', row.recipientEmail);
}
