import { useState } from 'react';
import type { Message } from '#shared/contract/messages.ts';
import { isSealedEnvelope } from '#shared/rules/letters/sealed-envelope.ts';
import { addressOf } from '#web/lib/api/api.ts';
import { readFile } from '#web/lib/api/read-file.ts';
import { vaultRoutes } from '#web/lib/api/vault-routes.ts';
import type { OpenedLetter } from '#web/lib/sealing/letter-seal.ts';
import { openEnvelope, type Packed } from '#web/lib/sealing/sealed-envelope.ts';
import type { AttachmentChoice } from '../attachment-choice.ts';
import { type Enclosing, enclosingsOf, isEnvelopeChanged } from '../enclosures/enclosing.ts';

/** Contents of a sealed envelope after it was opened here, with its present key. */
type Unpacked = {
  fileKey: string;
  attachment: AttachmentChoice;
  enclosings: readonly Enclosing[];
  /** Transcript of the one other file. */
  said: string;
};

type Sealed =
  /** Nothing is sealed, or all of it is on this device now. */
  | { state: 'open'; before?: Unpacked; isGivenUp?: boolean }
  | { state: 'opening' | 'failed'; fileKey: string }
  /** Its words were not opened here. */
  | { state: 'closed' };

/** True if the message has a file in which its browser has sealed the contents of its envelope. */
export function hasSealedEnvelope(message: Message | undefined): boolean {
  return message?.hasAttachment === true && isSealedEnvelope({ mimeType: message.attachmentMimeType });
}

/** File of the letter and contents of its envelope, sealed or not, with the parts that would be lost. */
export function useEnvelope(message: Message | undefined) {
  const [attachment, setAttachment] = useState<AttachmentChoice>({ what: 'keep' });
  const [enclosings, setEnclosings] = useState<readonly Enclosing[]>(() => enclosingsOf(message));
  const [sealed, setSealed] = useState<Sealed>({ state: message?.encryptedContent ? 'closed' : 'open' });
  const before = sealed.state === 'open' ? sealed.before : undefined;

  const unpack = async (fileKey: string) => {
    if (!message) return;
    setSealed({ state: 'opening', fileKey });
    try {
      const file = await readFile(addressOf(vaultRoutes.downloadAttachment, { params: { id: message.id } }));
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

  /**
   * The words were opened, or are written again. In the second case the contents that only their key opens are
   * removed.
   */
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
    /** True if the words are written again without the key of the envelope: saving removes its contents. */
    isGivenUp: sealed.state === 'open' && sealed.isGivenUp === true,
    /** Key of the stored sealed file, if that file stays unchanged, with the transcript in it. */
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
