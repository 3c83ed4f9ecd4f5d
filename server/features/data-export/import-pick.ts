import { Readable } from 'node:stream';
import type { App } from '#server/app.ts';
import type { ImportedDocument, KnownDocument } from '#server/features/documents/documents.import.ts';
import {
  acceptName,
  type FileUse,
  type Room,
  requireFeature,
  requireRoomFor,
} from '#server/features/files/files.rules.ts';
import { storeFile } from '#server/features/files/files.ts';
import type { TakenFile } from '#server/features/files/receive-file.ts';
import type { ImportedMessage, KnownMessage } from '#server/features/messages/messages.import.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import { cleanFileName } from '#server/platform/files/file-name.ts';
import { createSlices, type Pause } from '#server/platform/slices.ts';
import { AppError } from '#shared/contract/errors.ts';
import type { importData } from '#shared/contract/export.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { type PlanName, plans } from '#shared/rules/plans.ts';
import { contentMember, type DocumentGiven, type FileGiven, type MessageGiven } from './export-format.ts';
import { unreadable } from './import-json.ts';
import { createMatcher } from './import-match.ts';
import type { ImportPackage } from './import-package.ts';

export type Staying = RouteAnswer<typeof importData>['stays'];

/** What of an export is new, with its files in the store. */
export type Picked = {
  messages: ImportedMessage[];
  documents: ImportedDocument[];
  fileBytes: number;
  /** How many of the messages were ready where they come from. */
  readyMessages: number;
  alreadyThere: number;
  /** Documents that came without a file and so stay out, and letters that come in without a file of theirs. */
  withoutFile: number;
  /** What the plan has no room for. It comes with the next import, once there is. */
  stays: Staying;
};

type Into = {
  app: App;
  vault: Vault;
  plan: PlanName;
  /** Where stored files are noted as soon as they are, so that the caller can remove them; null to store none. */
  kept: string[] | null;
  asReady: boolean;
  /** Aborts when the browser of the import leaves. */
  signal?: AbortSignal;
};
type There = { knownMessages: KnownMessage[]; knownDocuments: KnownDocument[]; usedBytes: number; messageRoom: number };

/**
 * Goes through an export, leaves what is there already and what does not fit, and stores the files of the rest. A letter
 * whose file does not fit stays with it: without, it would be there twice once both come. @throws AppError.
 */
export async function pickNew(into: Into, { given, open }: ImportPackage, there: There): Promise<Picked> {
  const none = { fileBytes: 0, readyMessages: 0, alreadyThere: 0, withoutFile: 0 };
  const picked: Picked = { ...none, messages: [], documents: [], stays: [] };
  const picking = { into, given, open, there, picked, pause: createSlices({ signal: into.signal }) };
  await pickMessages(picking);
  await pickDocuments(picking);
  // Nothing is put into the vault of a caller who left while the last file was stored.
  into.signal?.throwIfAborted();
  return picked;
}

type Picking = Pick<ImportPackage, 'given' | 'open'> & {
  into: Into;
  there: There;
  picked: Picked;
  pause: Pause;
};

async function pickMessages(picking: Picking): Promise<void> {
  const { given, open, there, picked, pause } = picking;
  const isKnown = createMatcher(
    there.knownMessages.map((known) => ({ identity: messageIdentity(known), file: known.attachment })),
  );
  // Those that match wholly first, so that none of them is spoken for by one that only has the same words.
  const others: MessageGiven[] = [];
  for (const message of given.messages) {
    await pause();
    const { attachment } = message;
    if (await isKnown(messageIdentity(message), async () => attachment && open(attachment))) {
      picked.alreadyThere += 1;
    } else others.push(message);
  }
  // Where there is no room for all, what its owner wanted to be sent comes first.
  const inOrder = others.toSorted((a, b) => urgency(a) - urgency(b));
  for (const message of inOrder) {
    await pause();
    // It would come in without what is missing, so a letter that did so before is the same.
    const whole = withoutMissing(message);
    const isBare = filesOf(whole).length < filesOf(message).length;
    const { attachment } = whole;
    if (isBare && (await isKnown(messageIdentity(whole), async () => attachment && open(attachment)))) {
      picked.alreadyThere += 1;
      continue;
    }
    await pickMessage(picking, whole, isBare);
  }
}

async function pickMessage(picking: Picking, message: MessageGiven, isBare: boolean): Promise<void> {
  const { into, there, picked } = picking;
  const reason =
    picked.messages.length >= there.messageRoom
      ? noMoreMessages(into.plan)
      : refusalOf(roomOf(picking), filesOf(message));
  if (reason) return void picked.stays.push({ kind: 'message', title: message.title, reason });
  const attachment = message.attachment && (await keep(picking, 'attachments', message.attachment));
  const enclosures: ImportedMessage['enclosures'] = [];
  for (const { file, original, ...words } of message.enclosures) {
    const kept = {
      file: await keep(picking, 'enclosures', file),
      original: original && (await keep(picking, 'originals', original)),
    };
    enclosures.push({ ...words, ...kept });
  }
  if (isBare) picked.withoutFile += 1;
  if (message.status === 'ready') picked.readyMessages += 1;
  const status = into.asReady && message.status === 'ready' ? 'ready' : 'draft';
  picked.messages.push({ ...message, status, attachment, enclosures });
}

async function pickDocuments(picking: Picking): Promise<void> {
  const { given, open, there, picked, pause } = picking;
  const isKnown = createMatcher(
    there.knownDocuments.map((known) => ({ identity: documentIdentity(known), file: known.file })),
  );
  for (const document of given.documents) {
    await pause();
    if (await isKnown(documentIdentity(document), () => open(document.file))) {
      picked.alreadyThere += 1;
      continue;
    }
    if (!hasContent(document.file)) {
      picked.withoutFile += 1;
      continue;
    }
    const reason = refusalOf(roomOf(picking), [{ use: 'documentVault', file: document.file }]);
    if (reason) picked.stays.push({ kind: 'document', title: document.name, reason });
    else picked.documents.push({ ...document, file: await keep(picking, 'documentVault', document.file) });
  }
}

function roomOf({ into, there, picked }: Picking): Room {
  return { plan: into.plan, usedBytes: there.usedBytes + picked.fileBytes };
}

async function keep(picking: Picking, use: FileUse, file: FileGiven): Promise<TakenFile> {
  const { into, open, picked } = picking;
  const { plan, usedBytes } = roomOf(picking);
  const name = cleanFileName(file.name);
  picked.fileBytes += file.sizeBytes;
  if (!into.kept)
    return { path: '', name, givenName: name, sizeBytes: file.sizeBytes, mimeType: '', pictureSize: null };
  const content = await open(file);
  if (!content) throw unreadable();
  const stream = content instanceof Readable ? content : Readable.from(content, { objectMode: false });
  const stored = await storeFile(into.app, { plan, usedBytes, vault: into.vault }, use, {
    name,
    content: stream,
    ...(into.signal && { signal: into.signal }),
  });
  into.kept.push(stored.path);
  if (stored.sizeBytes !== file.sizeBytes) throw unreadable();
  return stored;
}

type UsedFile = { use: FileUse; file: FileGiven };

/** Why the plan has no room for all of these; null where it has. @throws AppError for a file that no plan takes. */
function refusalOf({ plan, usedBytes }: Room, files: readonly UsedFile[]): string | null {
  let addedBytes = 0;
  try {
    for (const { use, file } of files) {
      requireFeature(plan, use);
      acceptName(plan, use, cleanFileName(file.name));
      addedBytes += file.sizeBytes;
      requireRoomFor({ plan, usedBytes }, addedBytes);
    }
    return null;
  } catch (error) {
    if (error instanceof AppError && error.details.upgradeRequired) return error.message;
    throw error;
  }
}

/** The files of a letter, each with what it is wanted for. */
function filesOf({ attachment, enclosures }: MessageGiven): UsedFile[] {
  const attached = attachment ? [{ use: 'attachments' as const, file: attachment }] : [];
  const enclosed = enclosures.flatMap(({ file, original }): UsedFile[] => [
    { use: 'enclosures', file },
    ...(original ? [{ use: 'originals' as const, file: original }] : []),
  ]);
  return [...attached, ...enclosed];
}

/** The letter less the files that came without their bytes. */
function withoutMissing(message: MessageGiven): MessageGiven {
  const { enclosures } = message;
  const attachment = message.attachment && hasContent(message.attachment) ? message.attachment : null;
  return {
    ...message,
    attachment,
    attachmentTranscript: attachment && message.attachmentTranscript,
    enclosures: enclosures
      .filter(({ file }) => hasContent(file))
      .map((one) => ({ ...one, original: one.original && hasContent(one.original) ? one.original : null })),
  };
}

function urgency({ status }: MessageGiven): number {
  return ['ready', 'draft', 'delivered'].indexOf(status);
}

function hasContent({ problem, file, [contentMember]: place }: FileGiven): boolean {
  return problem === undefined && (file !== undefined || place !== undefined);
}

function noMoreMessages(plan: PlanName): string {
  const { title, messageLimit } = plans[plan];
  return `${title} has room for ${messageLimit} messages. Upgrade, or delete one, and import again.`;
}

type NamedFile = { name: string; sizeBytes: number };

function messageIdentity(message: {
  title: string;
  content: string;
  encryptedContent: { ciphertext: string } | null;
  recipients: readonly { email: string }[];
  attachment: NamedFile | null;
  enclosures: readonly { file: NamedFile }[];
}): string {
  const { title, content, encryptedContent, recipients, attachment, enclosures } = message;
  const sealed = encryptedContent?.ciphertext;
  // Names may have been added since.
  const addresses = recipients.map(({ email }) => email).join(' ');
  const files = [attachment, ...enclosures.map(({ file }) => file)].map((file) => [file?.name, file?.sizeBytes]);
  return JSON.stringify([title, content, sealed, addresses, files]);
}

function documentIdentity({
  name,
  description,
  file,
}: Pick<DocumentGiven, 'name' | 'description'> & { file: NamedFile }) {
  return JSON.stringify([name, description, file.name, file.sizeBytes]);
}
