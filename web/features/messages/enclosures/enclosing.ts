import type { Enclosure } from '#shared/contract/letters/enclosures.ts';
import type { Message } from '#shared/contract/messages.ts';
import { type EnclosureKind, enclosureTypeOf } from '#shared/rules/letters/enclosures.ts';

/** Something in the envelope, as the form holds it: stored already, or a file that is still on this device. */
export type Enclosing = Pick<Enclosure, 'kind' | 'caption' | 'transcript' | 'afterParagraph'> & { key: string } & (
    | { stored: Enclosure }
    | {
        file: File;
        /** Of a picture that was drawn anew the one that was chosen, and whether that is what is sent. */
        original?: File;
        isOriginalSent?: boolean;
      }
  );

/** What lies in the envelope of a message before anything is changed. */
export function enclosingsOf(message: Message | undefined): Enclosing[] {
  return (message?.enclosures ?? []).map((stored) => {
    const { id: key, kind, caption, transcript, afterParagraph } = stored;
    return { key, kind, caption, transcript, afterParagraph, stored };
  });
}

export function newEnclosing(kind: EnclosureKind, file: File, original?: File): Enclosing {
  const words = { caption: '', transcript: '', afterParagraph: null };
  return { key: crypto.randomUUID(), kind, ...words, file, ...(original ? { original } : {}) };
}

/** The file that is sent for one that is not stored yet. */
export function fileToSend(enclosing: Extract<Enclosing, { file: File }>): File {
  const { file, original, isOriginalSent } = enclosing;
  return isOriginalSent && original ? original : file;
}

/** The one voice that a letter may have. */
export function voiceOf(enclosings: readonly Enclosing[]): Enclosing | undefined {
  return enclosings.find(({ kind }) => kind === 'voice');
}

/** The same list with this voice in the place of the one there was, or without any. */
export function withVoice(enclosings: readonly Enclosing[], voice: Enclosing | undefined): Enclosing[] {
  const others = enclosings.filter(({ kind }) => kind !== 'voice');
  return voice ? [...others, voice] : others;
}

/** The pictures, in the writer's order. */
export function picturesOf(enclosings: readonly Enclosing[]): Enclosing[] {
  return enclosings.filter(({ kind }) => kind === 'picture');
}

/** The same list with a picture one place earlier (-1) or later (1) among the pictures. */
export function withMoved(enclosings: readonly Enclosing[], key: string, by: -1 | 1): Enclosing[] {
  const pictures = picturesOf(enclosings);
  const at = pictures.findIndex((each) => each.key === key);
  const [moved, other] = [pictures[at], pictures[at + by]];
  if (!moved || !other) return [...enclosings];
  return enclosings.map((each) => (each === moved ? other : each === other ? moved : each));
}

/** Whether its words, or where it stands in the letter, differ from what is stored. */
export function isChanged(enclosing: Enclosing): boolean {
  if (!('stored' in enclosing)) return true;
  const { stored, caption, transcript, afterParagraph } = enclosing;
  const areWordsKept = stored.caption === caption.trim() && stored.transcript === transcript.trim();
  return !areWordsKept || stored.afterParagraph !== afterParagraph;
}

/** Whether anything in the envelope is not as it is stored. */
export function isEnvelopeChanged(message: Message | undefined, enclosings: readonly Enclosing[]): boolean {
  const before = message?.enclosures ?? [];
  const isMoved = enclosings.some((each, index) => !('stored' in each) || each.stored.id !== before[index]?.id);
  return before.length !== enclosings.length || isMoved || enclosings.some(isChanged);
}

/** What is shown of it before it is played or saved. */
export function factsOf(enclosing: Enclosing): Pick<Enclosure, 'name' | 'sizeBytes' | 'mimeType'> {
  if ('stored' in enclosing) return enclosing.stored;
  const { name, size, type } = fileToSend(enclosing);
  return { name, sizeBytes: size, mimeType: enclosureTypeOf(name) ?? type };
}
