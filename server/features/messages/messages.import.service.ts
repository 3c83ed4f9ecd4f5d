import { randomUUIDv7 } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Files } from '#server/features/files/files.service.ts';
import type { StoredFile, TakenFile } from '#server/features/files/receive-file.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import type { RecipientInput } from '#shared/contract/letters/recipients.ts';
import type { SealedLetter } from '#shared/contract/messages.ts';
import type { MessageCategory, MessageStatus } from '#shared/rules/categories.ts';
import type { DeliverOn } from '#shared/rules/deliver-on.ts';
import { type PlanName, plans } from '#shared/rules/plans.ts';
import { enclosuresByMessage, insertEnclosures } from './enclosures.repository.ts';
import { newEnclosure, newOriginal, openEnclosure, type ShownEnclosure } from './enclosures.sealing.ts';
import { attachmentOf, columnsOf, transcriptColumn } from './messages.attachments.ts';
import { newRecipients } from './messages.recipients.ts';
import { countUndelivered, insertMessages, listForImport, nextPosition } from './messages.repository.ts';
import { isLimited, requireRoomForMany } from './messages.rules.ts';
import { openOwners, sealWords } from './messages.sealing.ts';
import { insertRecipients, recipientsByMessage } from './recipients.repository.ts';
import { openRecipient } from './recipients.sealing.ts';

/** Rows that are unsealed in one go, so that others come in between. */
const rowsAtOnce = 20;

/** A message that comes from elsewhere. */
export type ImportedMessage = {
  title: string;
  content: string;
  /** In place of the content, what a browser sealed with a passphrase. */
  encryptedContent: SealedLetter | null;
  recipients: RecipientInput[];
  showRecipients: boolean;
  deliverOn: DeliverOn;
  announceWait: boolean;
  /** Null where it comes from an export that knew of none: it stands behind those before it. */
  position: number | null;
  category: MessageCategory;
  /** Never `delivered`: what was sent elsewhere was not sent from here. */
  status: Exclude<MessageStatus, 'delivered'>;
  visibleToTrustedContact: boolean;
  createdAt: Date;
  updatedAt: Date;
  attachment: StoredFile | null;
  /** What is said in it. */
  attachmentTranscript: string | null;
  enclosures: ImportedEnclosure[];
};

/** A picture or a voice that comes from elsewhere, in the order of its letter. */
export type ImportedEnclosure = Pick<ShownEnclosure, 'kind' | 'caption' | 'transcript' | 'afterParagraph'> & {
  file: TakenFile;
  /** Of a picture that was made smaller the one that the camera wrote. */
  original: TakenFile | null;
};

/** A message that is there already, as far as it tells whether an imported one is the same. */
export type KnownMessage = {
  title: string;
  content: string;
  encryptedContent: SealedLetter | null;
  recipients: RecipientInput[];
  attachment: OutgoingFile | null;
  enclosures: { file: { name: string; sizeBytes: number } }[];
};

export type MessageImports = {
  /** All there are, whatever became of them, but for those that are damaged: nobody can say what they were. */
  knownMessages(executor: Executor, userId: string, vault: Vault): Promise<KnownMessage[]>;
  /** How many more messages the plan has room for. Exact under the owner's lock. */
  roomForImported(executor: Executor, owner: { userId: string; plan: PlanName }): Promise<number>;
  /** Under the owner's lock. @throws AppError `MESSAGE_LIMIT_EXCEEDED`. */
  insertImported(
    tx: Executor,
    owner: { userId: string; plan: PlanName; vault: Vault },
    given: readonly ImportedMessage[],
  ): Promise<void>;
};

export function createMessageImports({ files }: { files: Pick<Files, 'giveOut'> }): MessageImports {
  return {
    async knownMessages(executor, userId, vault) {
      const rows = await listForImport(executor, userId);
      const people = await recipientsByMessage(executor, userId);
      const enclosed = await enclosuresByMessage(executor, userId);
      const known = (row: (typeof rows)[number]) => {
        const { title, content, encryptedContent } = openOwners(vault, row);
        const stored = attachmentOf(vault, row);
        const recipients = (people.get(row.id) ?? []).map((recipient) => openRecipient(vault, recipient));
        const attachment = stored && files.giveOut(vault, stored);
        const enclosures = (enclosed.get(row.id) ?? []).map((enclosure) => ({ file: openEnclosure(vault, enclosure) }));
        return { title, content, encryptedContent, recipients, attachment, enclosures };
      };
      const all: KnownMessage[] = [];
      for (const [index, row] of rows.entries()) {
        if (index % rowsAtOnce === 0) await nextTurn();
        all.push(...(unlessBroken(() => [known(row)]) ?? []));
      }
      return all;
    },

    async roomForImported(executor, { userId, plan }) {
      if (!isLimited(plan)) return Number.POSITIVE_INFINITY;
      return Math.max(0, plans[plan].messageLimit - (await countUndelivered(executor, userId)));
    },

    async insertImported(tx, { userId, plan, vault }, given) {
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
        const file = attachment ? { ...columnsOf(vault, id, attachment), ...transcriptColumn(vault, id, said) } : {};
        const row = { ...settings, ...words, ...file, position: position ?? firstPosition + index, id, userId };
        const owned = { userId, messageId: id, staging: null, createdAt: message.createdAt };
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
    },
  };
}
