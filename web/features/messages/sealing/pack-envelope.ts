import type { Message } from '#shared/contract/messages.ts';
import { addressOf } from '#web/lib/api/api.ts';
import { readFile } from '#web/lib/api/read-file.ts';
import { vaultRoutes } from '#web/lib/api/vault-routes.ts';
import type { Packed } from '#web/lib/sealing/sealed-envelope.ts';
import type { AttachmentChoice } from '../attachment-choice.ts';
import { savedAttachment } from '../attachment-field.tsx';
import { type Enclosing, fileToSend, originalToSend } from '../enclosures/enclosing.ts';

type Envelope = { attachment: AttachmentChoice; enclosings: readonly Enclosing[]; attachmentTranscript: string };

/**
 * Future contents of the envelope, with their bytes. Unsealed files are fetched from the vault, to be sealed.
 * @throws ApiError
 */
export async function packEnvelope(
  message: Message | undefined,
  { attachment, enclosings, attachmentTranscript }: Envelope,
): Promise<Packed[]> {
  const packed: Packed[] = [];
  for (const enclosing of enclosings) {
    const { kind, transcript, afterParagraph } = enclosing;
    const words = { caption: enclosing.caption.trim(), transcript: transcript.trim(), afterParagraph };
    packed.push({ kind, file: await fileOf(message, enclosing), ...words });
    const original = await originalFileOf(message, enclosing);
    if (original) packed.push({ kind: 'original', file: original, caption: '', transcript: '', afterParagraph });
  }
  const file = attachment.what === 'add' ? attachment.file : await keptFile(message, attachment);
  const words = { caption: '', transcript: attachmentTranscript, afterParagraph: null };
  return file ? [...packed, { kind: 'file', file, ...words }] : packed;
}

async function fileOf(message: Message | undefined, enclosing: Enclosing): Promise<File> {
  return 'stored' in enclosing ? storedFile(message, enclosing.stored) : fileToSend(enclosing);
}

async function originalFileOf(message: Message | undefined, enclosing: Enclosing): Promise<File | undefined> {
  if (!('stored' in enclosing)) return originalToSend(enclosing);
  const { original } = enclosing.stored;
  return original && enclosing.isOriginalKept ? storedFile(message, original) : undefined;
}

async function storedFile(message: Message | undefined, stored: { id: string; name: string }): Promise<File> {
  if (!message) throw new Error('A letter that is not stored has nothing stored in its envelope.');
  const { id: enclosureId, name } = stored;
  return new File(
    [await readFile(addressOf(vaultRoutes.getEnclosure, { params: { id: message.id, enclosureId } }))],
    name,
  );
}

async function keptFile(message: Message | undefined, { what }: AttachmentChoice): Promise<File | undefined> {
  const saved = message && what === 'keep' ? savedAttachment(message) : undefined;
  if (!message || !saved) return undefined;
  return new File(
    [await readFile(addressOf(vaultRoutes.downloadAttachment, { params: { id: message.id } }))],
    saved.name,
  );
}
