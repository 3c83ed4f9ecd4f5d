import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { DeliveredLetter } from '#server/features/delivery/delivery.recipient.service.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import type { BookStep } from '#server/platform/pdf/book-steps.ts';
import { setBook } from '#server/platform/pdf/set-book.ts';
import { productName } from '#shared/product.ts';
import { paragraphsOf } from '#shared/rules/letters/paragraphs.ts';
import { isSealedEnvelope, sealedEnvelopeLine } from '#shared/rules/letters/sealed-envelope.ts';
import { withoutEnd } from '#shared/text-ends.ts';

type Enclosure = DeliveredLetter['enclosures'][number];

/** A letter that goes into a keepsake, and how to get at what lies in its envelope. */
export type KeptLetter = { letter: DeliveredLetter; open: (enclosureId: string) => Promise<OutgoingFile> };

const tooLarge = 'These letters are too large to be set as a PDF, so no file was made. Save them one by one.';
const tooLargeAlone =
  'This letter is too large to be set as a PDF, so no file was made. Print its page in place of it.';

/** `reader` names the person for the pool. `signal` aborts when the reader leaves. */
type Reading = { reader: string; signal?: AbortSignal };

/** Letters to one person as a book to keep, with the pictures in it. */
export async function writeKeepsake(
  letters: readonly KeptLetter[],
  savedAt: Date,
  { reader, ...left }: Reading,
): Promise<Readable> {
  const [first] = letters;
  if (!first) throw new Error('There is no letter to keep.');
  const { senderName, recipientName, title } = first.letter;
  const isOne = letters.length === 1;
  const called = isOne ? title : `Letters to ${recipientName ?? 'you'}, from ${senderName}`;
  const input = { title: called, language: 'en-GB', size: 'A4', contentsPage: isOne ? null : 2 } as const;
  return setBook({
    input,
    ...left,
    steps: stepsOf(letters, savedAt),
    owner: reader,
    tooLarge: isOne ? tooLargeAlone : tooLarge,
  });
}

const quietly = (words: string): BookStep => ({ do: 'quietly', words });
const write = (words: string): BookStep => ({ do: 'write', words });
const space = (points: number): BookStep => ({ do: 'space', points });

/** Steps of the book. A picture is read only as its steps are asked for. */
async function* stepsOf(letters: readonly KeptLetter[], savedAt: Date): AsyncGenerator<BookStep[]> {
  const [first] = letters;
  if (first && letters.length > 1) {
    const { senderName, recipientName } = first.letter;
    const lines = ['Letters to', `from ${senderName}`, `Saved on ${dayOf(savedAt)}`];
    yield [
      { do: 'titlePage', owner: recipientName ?? 'You', lines },
      { do: 'reserveContents', lines: letters.length },
    ];
  }
  for (const kept of letters) yield* letterSteps(kept);
}

async function* letterSteps({ letter, open }: KeptLetter): AsyncGenerator<BookStep[]> {
  const { title, content, encryptedContent, senderName, recipientName, createdAt, deliveredAt, attachment } = letter;
  yield [
    { do: 'begin', title, isPart: false },
    quietly(`${senderName} wrote this for ${recipientName ?? 'you'}.`),
    quietly(`Written ${dayOf(createdAt)}. Delivered ${dayOf(deliveredAt)}.`),
    space(12),
  ];
  if (encryptedContent) {
    yield [quietly('This letter is sealed with a passphrase. Open it on its page, and save it there on its own.')];
    return;
  }
  const paragraphs = paragraphsOf(content).map(({ lines }) => write(lines.join('\n')));
  const placeOf = ({ afterParagraph: after }: Enclosure) =>
    after !== null && after <= paragraphs.length ? after : null;
  let set = 0;
  for (const place of [...new Set(letter.enclosures.map(placeOf))].sort(byPlace)) {
    yield paragraphs.slice(set, place ?? paragraphs.length);
    set = place ?? paragraphs.length;
    for (const enclosure of letter.enclosures)
      if (placeOf(enclosure) === place) yield await enclosureSteps(enclosure, open);
  }
  yield paragraphs.slice(set);
  if (!attachment) return;
  const line = isSealedEnvelope(attachment) ? sealedEnvelopeLine : `Enclosed: ${attachment.name}, saved on its own.`;
  yield [space(8), quietly(line), ...(attachment.transcript === '' ? [] : [write(attachment.transcript)])];
}

/** Enclosures without a place in the letter follow at its end. */
function byPlace(one: number | null, other: number | null): number {
  return (one ?? Number.POSITIVE_INFINITY) - (other ?? Number.POSITIVE_INFINITY);
}

async function enclosureSteps(enclosure: Enclosure, open: KeptLetter['open']): Promise<BookStep[]> {
  const { kind, name, caption, transcript } = enclosure;
  if (kind === 'voice') {
    const line = quietly(`A recording, ${name}, saved on its own.${caption === '' ? '' : ` ${caption}`}`);
    return [space(8), line, ...(transcript === '' ? [] : [write(transcript)]), space(8)];
  }
  const otherwise = `A picture, ${name}, saved on its own.`;
  const bytes = await pictureBytes(enclosure, open);
  const picture: BookStep = bytes ? { do: 'picture', bytes, otherwise } : quietly(otherwise);
  return [space(8), picture, ...(caption === '' ? [] : [quietly(caption)]), space(8)];
}

/** Formats that a PDF can hold as they are. */
const settable: readonly string[] = ['image/jpeg', 'image/png'];

/** Null for a picture that cannot be set or read: the words are worth keeping without it. */
async function pictureBytes({ id, mimeType }: Enclosure, open: KeptLetter['open']): Promise<Uint8Array | null> {
  if (!settable.includes(mimeType)) return null;
  try {
    return await buffer(await (await open(id)).open());
  } catch {
    return null;
  }
}

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'Europe/London',
});

function dayOf(at: Date): string {
  return dayFormat.format(at);
}

/** What the file is called: letters, digits and spaces of the title, so that every file system takes it. */
export function keepsakeName(title: string): string {
  const plain = title
    .replace(/[^\p{L}\p{N}\p{M} ,.'’-]/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+/, '');
  const named = withoutEnd(plain, '. ').slice(0, 80).trim();
  return `${named || `A letter from ${productName}`}.pdf`;
}
