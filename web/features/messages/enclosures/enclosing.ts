import type { Enclosure } from '#shared/contract/letters/enclosures.ts';
import type { Message } from '#shared/contract/messages.ts';
import { type EnclosureKind, enclosureTypeOf } from '#shared/rules/enclosures.ts';

/** Something in the envelope, as the form holds it: stored already, or a file that is still on this device. */
export type Enclosing = { key: string; kind: EnclosureKind; caption: string; transcript: string } & (
  | { stored: Enclosure }
  | { file: File }
);

/** What lies in the envelope of a message before anything is changed. */
export function enclosingsOf(message: Message | undefined): Enclosing[] {
  return (message?.enclosures ?? []).map((stored) => {
    const { id: key, kind, caption, transcript } = stored;
    return { key, kind, caption, transcript, stored };
  });
}

export function newEnclosing(kind: EnclosureKind, file: File): Enclosing {
  return { key: crypto.randomUUID(), kind, caption: '', transcript: '', file };
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

/** Whether its words differ from those that are stored. */
export function areWordsChanged(enclosing: Enclosing): boolean {
  if (!('stored' in enclosing)) return true;
  const { stored, caption, transcript } = enclosing;
  return stored.caption !== caption.trim() || stored.transcript !== transcript.trim();
}

/** Whether anything in the envelope is not as it is stored. */
export function isEnvelopeChanged(message: Message | undefined, enclosings: readonly Enclosing[]): boolean {
  return (message?.enclosures ?? []).length !== enclosings.length || enclosings.some(areWordsChanged);
}

/** What is shown of it before it is played or saved. */
export function factsOf(enclosing: Enclosing): Pick<Enclosure, 'name' | 'sizeBytes' | 'mimeType'> {
  if ('stored' in enclosing) return enclosing.stored;
  const { name, size, type } = enclosing.file;
  return { name, sizeBytes: size, mimeType: enclosureTypeOf(name) ?? type };
}
