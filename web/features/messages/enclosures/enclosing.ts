import type { Enclosure } from '#shared/contract/letters/enclosures.ts';
import type { Message } from '#shared/contract/messages.ts';
import { type EnclosureKind, enclosureTypeOf } from '#shared/rules/letters/enclosures.ts';
import type { Original } from './enclosure-choice.rules.ts';

/** Something in the envelope, as the form holds it: stored already, or a file that is still on this device. */
export type Enclosing = Pick<Enclosure, 'kind' | 'caption' | 'transcript' | 'afterParagraph'> & {
  key: string;
  /** True if the chosen file goes along with a redrawn picture. */
  isOriginalKept: boolean;
} & ({ stored: Enclosure } | { file: File; original?: Original });

/** Contents of the envelope before any change. */
export function enclosingsOf(message: Message | undefined): Enclosing[] {
  return (message?.enclosures ?? []).map((stored) => {
    const { id: key, kind, caption, transcript, afterParagraph } = stored;
    const isOriginalKept = stored.original !== null;
    return { key, kind, caption, transcript, afterParagraph, isOriginalKept, stored };
  });
}

export function newEnclosing(kind: EnclosureKind, file: File, original?: Original): Enclosing {
  const words = { caption: '', transcript: '', afterParagraph: null };
  const made = { key: crypto.randomUUID(), kind, ...words, isOriginalKept: false, file };
  return { ...made, ...(original ? { original } : {}) };
}

type NotStored = Extract<Enclosing, { file: File }>;

/** The file that is sent for one that is not stored yet. */
export function fileToSend({ file, original, isOriginalKept }: NotStored): File {
  return isOriginalKept && original?.kept === 'instead' ? original.file : file;
}

/** True if the writer chose to send the camera's own file in place of the picture made from it. */
export function isSentAsTaken({ original, isOriginalKept }: NotStored): boolean {
  return isOriginalKept && original?.kept === 'instead';
}

/** The file that is sent beside it. */
export function originalToSend({ original, isOriginalKept }: NotStored): File | undefined {
  return isOriginalKept && original?.kept === 'beside' ? original.file : undefined;
}

/** Original of a picture, as shown in the form. */
export function originalFacts(enclosing: Enclosing): { name: string; sizeBytes: number } | null {
  if ('stored' in enclosing) return enclosing.isOriginalKept ? enclosing.stored.original : null;
  const file = originalToSend(enclosing);
  return file ? { name: file.name, sizeBytes: file.size } : null;
}

/** True if a stored original is no longer wanted. */
export function isOriginalTakenOut(enclosing: Enclosing): boolean {
  return 'stored' in enclosing && enclosing.stored.original !== null && !enclosing.isOriginalKept;
}

/** Returns the list after the writer chose between the words of this window and the stored words of one item. */
export function withWordsFrom(
  enclosings: readonly Enclosing[],
  elsewhere: { key: string; stored: Enclosure },
  which: 'these' | 'other',
): Enclosing[] {
  const { stored } = elsewhere;
  const { caption, transcript } = stored;
  return enclosings.map((each) => {
    if (each.key !== elsewhere.key) return each;
    if (!('stored' in each)) return which === 'these' ? each : { ...each, caption, transcript };
    return which === 'these' ? { ...each, stored } : { ...each, stored, caption, transcript };
  });
}

/** The one voice that a letter may have. */
export function voiceOf(enclosings: readonly Enclosing[]): Enclosing | undefined {
  return enclosings.find(({ kind }) => kind === 'voice');
}

/** Returns the list with this voice in place of the present one, or without a voice. */
export function withVoice(enclosings: readonly Enclosing[], voice: Enclosing | undefined): Enclosing[] {
  const others = enclosings.filter(({ kind }) => kind !== 'voice');
  return voice ? [...others, voice] : others;
}

/** The pictures, in the writer's order. */
export function picturesOf(enclosings: readonly Enclosing[]): Enclosing[] {
  return enclosings.filter(({ kind }) => kind === 'picture');
}

/** Returns the list with a picture one place earlier (-1) or later (1) among the pictures. */
export function withMoved(enclosings: readonly Enclosing[], key: string, by: -1 | 1): Enclosing[] {
  const pictures = picturesOf(enclosings);
  const at = pictures.findIndex((each) => each.key === key);
  const [moved, other] = [pictures[at], pictures[at + by]];
  if (!moved || !other) return [...enclosings];
  return enclosings.map((each) => (each === moved ? other : each === other ? moved : each));
}

/** True if its words or its place in the letter differ from the stored ones. */
export function isChanged(enclosing: Enclosing): boolean {
  if (!('stored' in enclosing)) return true;
  const { stored, caption, transcript, afterParagraph } = enclosing;
  const areWordsKept = stored.caption === caption.trim() && stored.transcript === transcript.trim();
  return !areWordsKept || stored.afterParagraph !== afterParagraph;
}

/** True if anything in the envelope differs from the stored contents. */
export function isEnvelopeChanged(message: Message | undefined, enclosings: readonly Enclosing[]): boolean {
  const before = message?.enclosures ?? [];
  const isMoved = enclosings.some((each, index) => !('stored' in each) || each.stored.id !== before[index]?.id);
  const isAnyChanged = enclosings.some((each) => isChanged(each) || isOriginalTakenOut(each));
  return before.length !== enclosings.length || isMoved || isAnyChanged;
}

/** Details shown before it is played or saved. */
export function factsOf(enclosing: Enclosing): Pick<Enclosure, 'name' | 'sizeBytes' | 'mimeType' | 'pictureSize'> {
  if ('stored' in enclosing) return enclosing.stored;
  const { name, size, type } = fileToSend(enclosing);
  // One that is still on this device is there at once.
  return { name, sizeBytes: size, mimeType: enclosureTypeOf(name) ?? type, pictureSize: null };
}
