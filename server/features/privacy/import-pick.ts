import { Readable } from 'node:stream';
import type { ImportedDocument, KnownDocument } from '#server/features/documents/documents.import.service.ts';
import type { FileUse } from '#server/features/files/files.rules.ts';
import type { Files, StoredFile } from '#server/features/files/files.service.ts';
import type { ImportedMessage, KnownMessage } from '#server/features/messages/messages.import.service.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import { cleanFileName } from '#server/platform/files/file-name.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import type { DocumentGiven, FileGiven, MessageGiven } from './export-format.ts';
import { unreadable } from './import-json.ts';
import { createMatcher } from './import-match.ts';
import type { ImportPackage } from './import-package.ts';

/** What of an export is new, with its files in the store. */
export type Picked = {
  messages: ImportedMessage[];
  documents: ImportedDocument[];
  fileBytes: number;
  alreadyThere: number;
  /** Documents that came without a file and so stay out, and letters that come in without their attachment. */
  withoutFile: number;
};

type Into = {
  files: Pick<Files, 'keep'>;
  vault: Vault;
  plan: PlanName;
  /** Where stored files are noted as soon as they are, so that the caller can remove them. */
  kept: string[];
};
type There = { knownMessages: KnownMessage[]; knownDocuments: KnownDocument[]; usedBytes: number };

/** Goes through an export, leaves what is there already, and stores the files of the rest. @throws AppError. */
export async function pickNew(into: Into, { given, open }: ImportPackage, there: There): Promise<Picked> {
  const picked: Picked = { messages: [], documents: [], fileBytes: 0, alreadyThere: 0, withoutFile: 0 };

  const isKnownMessage = createMatcher(
    there.knownMessages.map((known) => ({ identity: messageIdentity(known), file: known.attachment })),
  );
  // Those that match wholly first, so that none of them is spoken for by one that only has the same words.
  const others: MessageGiven[] = [];
  for (const message of given.messages) {
    const { attachment } = message;
    if (await isKnownMessage(messageIdentity(message), async () => attachment && open(attachment))) {
      picked.alreadyThere += 1;
    } else others.push(message);
  }
  for (const message of others) {
    const stored = message.attachment && (await keep('attachments', message.attachment));
    if (message.attachment && !stored) {
      // It would come in without its file, so a letter that did so before is the same.
      const asItComes = { ...message, attachment: null };
      if (await isKnownMessage(messageIdentity(asItComes), async () => null)) {
        picked.alreadyThere += 1;
        continue;
      }
      picked.withoutFile += 1;
    }
    picked.messages.push({ ...message, ...statusOf(message), attachment: stored });
  }

  const isKnownDocument = createMatcher(
    there.knownDocuments.map((known) => ({ identity: documentIdentity(known), file: known.file })),
  );
  for (const document of given.documents) {
    if (await isKnownDocument(documentIdentity(document), () => open(document.file))) {
      picked.alreadyThere += 1;
      continue;
    }
    const file = await keep('documentVault', document.file);
    if (file) picked.documents.push({ ...document, file });
    else picked.withoutFile += 1;
  }
  return picked;

  async function keep(use: FileUse, file: FileGiven): Promise<StoredFile | null> {
    const content = await open(file);
    if (!content) return null;
    const usedBytes = there.usedBytes + picked.fileBytes;
    const stream = content instanceof Readable ? content : Readable.from(content, { objectMode: false });
    const owner = { plan: into.plan, usedBytes, vault: into.vault };
    const stored = await into.files.keep(owner, use, { name: cleanFileName(file.name), content: stream });
    into.kept.push(stored.path);
    if (stored.sizeBytes !== file.sizeBytes) throw unreadable();
    picked.fileBytes += stored.sizeBytes;
    return stored;
  }
}

/** What was delivered elsewhere comes in as a draft: it must not be sent twice, nor pass for sent. */
function statusOf({ status }: MessageGiven): Pick<ImportedMessage, 'status'> {
  return { status: status === 'delivered' ? 'draft' : status };
}

type NamedFile = { name: string; sizeBytes: number };

function messageIdentity(message: {
  title: string;
  content: string;
  encryptedContent: { ciphertext: string } | null;
  recipientEmail: string;
  attachment: NamedFile | null;
}): string {
  const { title, content, encryptedContent, recipientEmail, attachment } = message;
  const sealed = encryptedContent?.ciphertext;
  return JSON.stringify([title, content, sealed, recipientEmail, attachment?.name, attachment?.sizeBytes]);
}

function documentIdentity({
  name,
  description,
  file,
}: Pick<DocumentGiven, 'name' | 'description'> & { file: NamedFile }) {
  return JSON.stringify([name, description, file.name, file.sizeBytes]);
}
