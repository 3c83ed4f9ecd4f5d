import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type BookStep, isolated } from '#server/platform/pdf/book-steps.ts';
import { hanFormsOf } from '#server/platform/pdf/han-forms.ts';
import { setBook } from '#server/platform/pdf/set-book.ts';
import { paragraphsOf } from '#shared/rules/letters/paragraphs.ts';
import { isSealedEnvelope, sealedEnvelopeLine } from '#shared/rules/letters/sealed-envelope.ts';
import {
  dayOf,
  type Enclosure,
  type KeptLetter,
  namedOnly,
  piecesOfLetter,
  sealedLine,
  titleOf,
} from './keepsake.letters.ts';

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
  const isOne = letters.length === 1;
  const called = titleOf(first.letter, letters.length);
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

const numberWidth = 3;

/** The PDF carries the text, because not all programs show attachments: so the note also names the web page. */
const attachUnlessWhole = (name: string): BookStep => ({
  do: 'attachUnlessWhole',
  name,
  note: `Some characters cannot be shown here. This text is attached to this file as ${name}, complete. The page of the letter also offers it as a web page, which shows every character.`,
});

/** Words of a letter that may reveal its language. */
function wordsOf({ letter }: KeptLetter): string[] {
  const { title, content, senderName, recipientName, enclosures, attachment } = letter;
  const said = enclosures.flatMap(({ caption, transcript }) => [caption, transcript]);
  return [title, content, senderName, recipientName ?? '', attachment?.transcript ?? '', ...said];
}

/** Steps of the book. A picture is read only when its steps are requested. */
async function* stepsOf(letters: readonly KeptLetter[], savedAt: Date): AsyncGenerator<BookStep[]> {
  const [first] = letters;
  if (first && letters.length > 1) {
    const { senderName, recipientName } = first.letter;
    const lines = ['Letters to', `from ${isolated(senderName)}`, `Saved on ${dayOf(savedAt)}`];
    const hanForms = hanFormsOf(letters.flatMap(wordsOf));
    yield [
      { do: 'titlePage', owner: recipientName ?? 'You', lines, hanForms },
      attachUnlessWhole('title-page.txt'),
      { do: 'reserveContents', lines: letters.length },
    ];
  }
  for (const [index, kept] of letters.entries()) {
    yield* letterSteps(kept);
    yield [attachUnlessWhole(`letter-${String(index + 1).padStart(numberWidth, '0')}.txt`)];
  }
}

async function* letterSteps(kept: KeptLetter): AsyncGenerator<BookStep[]> {
  const { letter, open } = kept;
  const { title, content, encryptedContent, senderName, recipientName, createdAt, deliveredAt, attachment } = letter;
  yield [
    { do: 'begin', title, isPart: false, hanForms: hanFormsOf(wordsOf(kept)) },
    quietly(`${isolated(senderName)} wrote this for ${isolated(recipientName ?? 'you')}.`),
    quietly(`Written ${dayOf(createdAt)}. Delivered ${dayOf(deliveredAt)}.`),
    space(12),
  ];
  if (encryptedContent) {
    yield [quietly(sealedLine)];
    return;
  }
  const paragraphs = paragraphsOf(content).map(({ lines }) => write(lines.join('\n')));
  for (const piece of piecesOfLetter(letter.enclosures, paragraphs)) {
    yield 'paragraph' in piece ? [piece.paragraph] : await enclosureSteps(piece.enclosure, open);
  }
  if (!attachment) return;
  const line = isSealedEnvelope(attachment)
    ? sealedEnvelopeLine
    : `Enclosed: ${isolated(attachment.name)}, saved on its own.`;
  yield [space(8), quietly(line), ...(attachment.transcript === '' ? [] : [write(attachment.transcript)])];
}

async function enclosureSteps(enclosure: Enclosure, open: KeptLetter['open']): Promise<BookStep[]> {
  const { kind, caption, transcript } = enclosure;
  if (kind === 'voice') {
    const line = quietly(`${namedOnly(enclosure)}${caption === '' ? '' : ` ${caption}`}`);
    return [space(8), line, ...(transcript === '' ? [] : [write(transcript)]), space(8)];
  }
  const otherwise = namedOnly(enclosure);
  const bytes = await pictureBytes(enclosure, open);
  const picture: BookStep = bytes ? { do: 'picture', bytes, otherwise } : quietly(otherwise);
  return [space(8), picture, ...(caption === '' ? [] : [quietly(caption)]), space(8)];
}

/** Formats that a PDF can embed unchanged. */
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
