import { once } from 'node:events';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DeliveredLetter } from '#server/features/delivery/delivery.recipient.service.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import { type Book, openBook } from '#server/platform/pdf/book.ts';
import { failedBy } from '#server/platform/streams/streams.ts';
import { productName } from '#shared/product.ts';
import { paragraphsOf } from '#shared/rules/letters/paragraphs.ts';
import { isSealedEnvelope, sealedEnvelopeLine } from '#shared/rules/letters/sealed-envelope.ts';

type Enclosure = DeliveredLetter['enclosures'][number];

/** A letter that goes into a keepsake, and how to get at what lies in its envelope. */
export type KeptLetter = { letter: DeliveredLetter; open: (enclosureId: string) => Promise<OutgoingFile> };

/** So much may be set and not sent yet, in bytes. */
const unsentBytesMax = 4_000_000;

/** Letters to one person as a book to keep, with the pictures in it. */
export function writeKeepsake(letters: readonly KeptLetter[], savedAt: Date): Readable {
  const out = new PassThrough();
  return failedBy(out, setLetters(letters, savedAt, out));
}

async function setLetters(letters: readonly KeptLetter[], savedAt: Date, out: PassThrough): Promise<void> {
  const [first] = letters;
  if (!first) throw new Error('There is no letter to keep.');
  const { senderName, recipientName, title } = first.letter;
  const isOne = letters.length === 1;
  const called = isOne ? title : `Letters to ${recipientName ?? 'you'}, from ${senderName}`;
  const book = await openBook({ title: called, language: 'en-GB', size: 'A4' });
  // A reader of `out` receives every failure.
  pipeline(book.content, out, () => undefined);
  if (!isOne) {
    book.titlePage(recipientName ?? 'You', ['Letters to', `from ${senderName}`, `Saved on ${dayOf(savedAt)}`]);
    book.reserveContents(letters.length);
  }
  for (const kept of letters) {
    await setLetter(book, kept, out);
    // Nobody reads it any more.
    if (out.destroyed) return;
  }
  book.finish({ contentsPage: isOne ? null : 2 });
}

async function setLetter(book: Book, { letter, open }: KeptLetter, out: PassThrough): Promise<void> {
  const { title, content, encryptedContent, senderName, recipientName, createdAt, deliveredAt, attachment } = letter;
  book.begin(title, { isPart: false });
  book.quietly(`${senderName} wrote this for ${recipientName ?? 'you'}.`);
  book.quietly(`Written ${dayOf(createdAt)}. Delivered ${dayOf(deliveredAt)}.`);
  book.space(12);
  if (encryptedContent) {
    book.quietly('This letter is sealed with a passphrase. Open it on its page, and save it there on its own.');
    return;
  }
  const paragraphs = paragraphsOf(content);
  const placeOf = ({ afterParagraph: after }: Enclosure) =>
    after !== null && after <= paragraphs.length ? after : null;
  const setThoseAt = async (place: number | null) => {
    for (const enclosure of letter.enclosures) {
      if (placeOf(enclosure) === place) await setEnclosure(book, enclosure, open);
      await untilSent(book, out);
    }
  };
  await setThoseAt(0);
  for (const [index, { lines }] of paragraphs.entries()) {
    // Setting words keeps the processor busy; others are served in between.
    await nextTurn();
    book.write(lines.join('\n'));
    await setThoseAt(index + 1);
  }
  await setThoseAt(null);
  if (!attachment) return;
  book.space(8);
  book.quietly(isSealedEnvelope(attachment) ? sealedEnvelopeLine : `Enclosed: ${attachment.name}, saved on its own.`);
  if (attachment.transcript !== '') book.write(attachment.transcript);
}

async function setEnclosure(book: Book, enclosure: Enclosure, open: KeptLetter['open']): Promise<void> {
  const { kind, name, caption, transcript } = enclosure;
  book.space(8);
  if (kind === 'voice') {
    book.quietly(`A recording, ${name}, saved on its own.${caption === '' ? '' : ` ${caption}`}`);
    if (transcript !== '') book.write(transcript);
  } else {
    const isSet = await setPicture(book, enclosure, open);
    if (!isSet) book.quietly(`A picture, ${name}, saved on its own.`);
    if (caption !== '') book.quietly(caption);
  }
  book.space(8);
}

/** What a PDF can hold as it is. */
const settable: readonly string[] = ['image/jpeg', 'image/png'];

/** Gives false for a picture that can't be set, or can't be read: the words are worth keeping without it. */
async function setPicture(book: Book, { id, mimeType }: Enclosure, open: KeptLetter['open']): Promise<boolean> {
  if (!settable.includes(mimeType)) return false;
  try {
    return book.picture(await buffer(await (await open(id)).open()));
  } catch {
    return false;
  }
}

/** Waits where more has been set than was sent, or until nobody takes it any more. */
async function untilSent({ content }: Book, out: PassThrough): Promise<void> {
  while (!out.destroyed && content.readableLength > unsentBytesMax) {
    const ended = new AbortController();
    const { signal } = ended;
    await Promise.race([once(out, 'drain', { signal }), once(out, 'close', { signal })]).finally(() => ended.abort());
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
    .replace(/^[. ]+|[. ]+$/g, '')
    .slice(0, 80)
    .trim();
  return `${plain || `A letter from ${productName}`}.pdf`;
}
