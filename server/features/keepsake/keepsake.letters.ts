import type { DeliveredLetter } from '#server/features/delivery/read-letter.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import { isolated } from '#server/platform/pdf/book-steps.ts';

export type Enclosure = DeliveredLetter['enclosures'][number];

/** A letter in a keepsake. `open` returns the file of an enclosure. */
export type KeptLetter = { letter: DeliveredLetter; open: (enclosureId: string) => Promise<OutgoingFile> };

export const sealedLine = 'This letter is sealed with a passphrase. Open it on its page, and save it there on its own.';

/** Names an enclosure that is not in the copy itself. */
export function namedOnly({ kind, name }: Enclosure): string {
  return `A ${kind === 'voice' ? 'recording' : 'picture'}, ${isolated(name)}, saved on its own.`;
}

/** Title of a copy of one letter or of several. */
export function titleOf({ title, recipientName, senderName }: DeliveredLetter, count: number): string {
  return count === 1 ? title : `Letters to ${recipientName ?? 'you'}, from ${senderName}`;
}

type Piece<Paragraph> = { paragraph: Paragraph } | { enclosure: Enclosure };

/** Puts enclosures after their paragraphs. Enclosures without a place follow at the end. */
export function* piecesOfLetter<Paragraph>(
  enclosures: readonly Enclosure[],
  paragraphs: readonly Paragraph[],
): Generator<Piece<Paragraph>> {
  const placeOf = ({ afterParagraph: after }: Enclosure) =>
    after !== null && after <= paragraphs.length ? after : null;
  const at = (place: number | null) =>
    enclosures.filter((each) => placeOf(each) === place).map((enclosure) => ({ enclosure }));
  yield* at(0);
  for (const [index, paragraph] of paragraphs.entries()) {
    yield { paragraph };
    yield* at(index + 1);
  }
  yield* at(null);
}

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'Europe/London',
});

export function dayOf(at: Date): string {
  return dayFormat.format(at);
}
