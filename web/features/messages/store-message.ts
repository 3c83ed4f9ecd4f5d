import type { Message } from '#shared/contract/messages.ts';
import { call } from '#web/lib/api/api.ts';
import type { Uploading } from '#web/lib/api/use-upload.ts';
import { vaultRoutes } from '#web/lib/api/vault-routes.ts';
import { sealEnvelope } from '#web/lib/sealing/sealed-envelope.ts';
import type { AttachmentChoice } from './attachment-choice.ts';
import type { Enclosing } from './enclosures/enclosing.ts';
import { packEnvelope } from './sealing/pack-envelope.ts';
import { hasSealedEnvelope } from './sealing/use-envelope.ts';
import type { Writing } from './writing.ts';
import { answersOf } from './writing-answers.ts';

export type SaveRequest = {
  writing: Writing;
  attachment: AttachmentChoice;
  enclosings: readonly Enclosing[];
  /** The key of the sealed file that the letter has, where it stays as it is. */
  keptKey?: string | undefined;
  /** True if that file could not be opened, so nothing may replace it. */
  isEnvelopeClosed?: boolean;
};

/** A letter as it is stored. `renamedFrom` is the name that its new file had, if the ending was corrected. */
export type StoredMessage = Message & { renamedFrom?: string | undefined };

/** Ids of a staged envelope and the key of the change, sent besides the request. */
type Extra = { staged?: string[] | undefined; changeKey?: string | undefined };

/** True if this change removes the passphrase of a letter. */
export function isUnsealing(message: Message | undefined, { writing }: SaveRequest): boolean {
  return Boolean(message?.encryptedContent) && !writing.isSealed && !writing.locked;
}

type Answers = Awaited<ReturnType<typeof answersOf>>;
type AnswersToSend = Omit<Answers, 'attachmentTranscript'> & Partial<Pick<Answers, 'attachmentTranscript' | 'staged'>>;

/**
 * Stores the letter with its file. A sealed letter has one file with all contents of its envelope. A letter that loses
 * its passphrase takes in the staged files.
 */
export function storeMessage(
  message: Message | undefined,
  request: SaveRequest & Extra,
  send: Uploading['send'],
): Promise<StoredMessage> {
  const { isSealed, locked } = request.writing;
  return isSealed && !locked ? storeSealed(message, request, send) : storeInTheClear(message, request, send);
}

/** Words and envelope in one request: neither is ever there without the other. */
async function storeSealed(message: Message | undefined, request: SaveRequest & Extra, send: Uploading['send']) {
  const { writing, keptKey, changeKey } = request;
  const { attachmentTranscript, ...words } = writing;
  const packed = keptKey === undefined ? await packEnvelope(message, { ...request, attachmentTranscript }) : [];
  const envelope = packed.length > 0 ? await sealEnvelope(packed) : undefined;
  const fileKey = keptKey ?? envelope?.fileKey;
  // The transcript of its file is sealed too.
  const { attachmentTranscript: _, ...answers } = await answersOf({ ...words, attachmentTranscript: '' }, fileKey);
  return envelope
    ? sendWithFile(message, answers, { file: envelope.file, changeKey }, send)
    : sendAlone(message, answers, { what: keptKey === undefined ? 'remove' : 'keep', changeKey });
}

async function storeInTheClear(
  message: Message | undefined,
  { writing, attachment, isEnvelopeClosed = false, staged, changeKey }: Parameters<typeof storeMessage>[1],
  send: Uploading['send'],
) {
  const { attachmentTranscript, ...rest } = await answersOf(writing);
  // Left out, it stays as it was, or goes with the file that it was said of.
  const isSaid = attachmentTranscript !== (message?.attachmentTranscript ?? '');
  const taken = staged ? { staged } : {};
  const answers = { ...rest, ...(isSaid ? { attachmentTranscript } : {}), ...taken };
  if (attachment.what === 'add') {
    return sendWithFile(message, answers, { file: attachment.file, changeKey }, send);
  }
  // A file that was sealed with the words says nothing without them.
  const isLeftOver = hasSealedEnvelope(message) && !writing.locked && !isEnvelopeClosed;
  return sendAlone(message, answers, { what: isLeftOver ? 'remove' : attachment.what, changeKey });
}

function sendWithFile(
  message: Message | undefined,
  answers: AnswersToSend,
  { file, changeKey }: { file: File } & Pick<Extra, 'changeKey'>,
  send: Uploading['send'],
): Promise<StoredMessage> {
  const { encryptedContent, recipients, position: _, deliverOn, staged, hasAttachment: _kept, ...plain } = answers;
  const fields = {
    ...plain,
    version: message?.version,
    ...(message ? sealedFileOf(message) : {}),
    ...(staged ? { staged: JSON.stringify(staged) } : {}),
    encryptedContent: encryptedContent && JSON.stringify(encryptedContent),
    ...(deliverOn === undefined ? {} : { deliverOn: JSON.stringify(deliverOn) }),
    ...(recipients ? { recipients: JSON.stringify(recipients) } : {}),
  };
  return message
    ? send(vaultRoutes.updateMessageWithAttachment, { params: { id: message.id }, file, fields, changeKey })
    : send(vaultRoutes.createMessageWithAttachment, { file, fields, changeKey });
}

function sendAlone(
  message: Message | undefined,
  answers: AnswersToSend,
  { what, changeKey }: { what: 'keep' | 'remove' } & Pick<Extra, 'changeKey'>,
): Promise<Message> {
  if (!message) return call(vaultRoutes.createMessage, { body: { ...answers, hasAttachment: false }, changeKey });
  const { id, version } = message;
  return call(vaultRoutes.updateMessage, {
    params: { id },
    body: { ...answers, ...attachmentKept(message, what), version },
    changeKey,
  });
}

/** Nothing is said where there was none: a file that another page has attached meanwhile must not go. */
function attachmentKept(message: Message, what: 'keep' | 'remove'): { hasAttachment?: boolean; sealedFile?: string } {
  if (!message.hasAttachment) return {};
  return { hasAttachment: what === 'keep', ...sealedFileOf(message) };
}

/** Names the sealed file that was there when the letter was read: its words open no other. */
export function sealedFileOf(message: Message): { sealedFile?: string } {
  const { attachmentOriginalName: name } = message;
  return name !== null && hasSealedEnvelope(message) ? { sealedFile: name } : {};
}
