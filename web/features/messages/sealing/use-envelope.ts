import { useState } from 'react';
import { downloadAttachment, type Message } from '#shared/contract/messages.ts';
import { isSealedEnvelope } from '#shared/rules/letters/sealed-envelope.ts';
import { addressOf } from '#web/lib/api/api.ts';
import { readFile } from '#web/lib/api/read-file.ts';
import type { OpenedLetter } from '#web/lib/sealing/letter-seal.ts';
import { openEnvelope, type Packed } from '#web/lib/sealing/sealed-envelope.ts';
import type { AttachmentChoice } from '../attachment-choice.ts';
import { type Enclosing, enclosingsOf, isEnvelopeChanged } from '../enclosures/enclosing.ts';

/** What a sealed envelope held when it was opened here, under the key that it has. */
type Unpacked = {
  fileKey: string;
  attachment: AttachmentChoice;
  enclosings: readonly Enclosing[];
  /** What is said in the one other file. */
  said: string;
};

type Sealed =
  /** Nothing is sealed, or all of it is on this device now. */
  | { state: 'open'; before?: Unpacked; isGivenUp?: boolean }
  | { state: 'opening' | 'failed'; fileKey: string }
  /** Its words were not opened here. */
  | { state: 'closed' };

/** Whether a message has a file in which its browser has sealed what lies in its envelope. */
export function hasSealedEnvelope(message: Message | undefined): boolean {
  return message?.hasAttachment === true && isSealedEnvelope({ mimeType: message.attachmentMimeType });
}

/** The file beside the letter and what lies in its envelope, sealed or not, with what of it would be lost. */
export function useEnvelope(message: Message | undefined) {
  const [attachment, setAttachment] = useState<AttachmentChoice>({ what: 'keep' });
  const [enclosings, setEnclosings] = useState<readonly Enclosing[]>(() => enclosingsOf(message));
  const [sealed, setSealed] = useState<Sealed>({ state: message?.encryptedContent ? 'closed' : 'open' });
  const before = sealed.state === 'open' ? sealed.before : undefined;

  const unpack = async (fileKey: string) => {
    if (!message) return;
    setSealed({ state: 'opening', fileKey });
    try {
      const file = await readFile(addressOf(downloadAttachment, { params: { id: message.id } }));
      const packed = await openEnvelope(file, fileKey);
      const other = packed.find(({ kind }) => kind === 'file');
      const unpacked: Unpacked = {
        fileKey,
        attachment: other ? { what: 'add', file: other.file } : { what: 'keep' },
        enclosings: enclosingsIn(packed),
        said: other?.transcript ?? '',
      };
      setAttachment(unpacked.attachment);
      setEnclosings(unpacked.enclosings);
      setSealed({ state: 'open', before: unpacked });
      return unpacked.said;
    } catch {
      // Whatever it was: it lies where it lay, and can be tried again.
      setSealed({ state: 'failed', fileKey });
    }
  };

  /** The words were opened, or are written anew: then what only their key opens goes with them. */
  const onOpened = async ({ fileKey }: Pick<OpenedLetter, 'fileKey'>) => {
    if (sealed.state !== 'closed') return;
    if (fileKey !== undefined && hasSealedEnvelope(message)) return unpack(fileKey);
    setSealed({ state: 'open', isGivenUp: hasSealedEnvelope(message) });
  };
  const isChanged = before
    ? attachment !== before.attachment || enclosings !== before.enclosings
    : attachment.what !== 'keep' || isEnvelopeChanged(message, enclosings);
  const lost = {
    hasFile: isChanged && attachment.what === 'add',
    hasEnclosures: isChanged && enclosings.some((each) => 'file' in each),
  };
  return {
    ...{ attachment, setAttachment, enclosings, setEnclosings, isChanged, lost, onOpened },
    state: sealed.state,
    /** Whether the words are written anew without what opens the envelope: saving takes what lies in it away. */
    isGivenUp: sealed.state === 'open' && sealed.isGivenUp === true,
    /** The key of the sealed file that is there, where it stays as it is, with what is said in the file in it. */
    keptKey: (said: string): string | undefined => {
      if (sealed.state === 'failed') return sealed.fileKey;
      return isChanged || said !== before?.said ? undefined : before.fileKey;
    },
    retry: () => (sealed.state === 'failed' ? unpack(sealed.fileKey) : Promise.resolve(undefined)),
  };
}

/** Pictures, each with the original that follows it, and voice. */
function enclosingsIn(packed: readonly Packed[]): Enclosing[] {
  return packed.flatMap(({ kind, ...each }, index): Enclosing[] => {
    if (kind === 'file' || kind === 'original') return [];
    const next = packed[index + 1];
    const original = next?.kind === 'original' ? next.file : undefined;
    const made = { kind, key: crypto.randomUUID(), ...each, isOriginalKept: original !== undefined };
    return [original ? { ...made, original: { file: original, kept: 'beside' } } : made];
  });
}
