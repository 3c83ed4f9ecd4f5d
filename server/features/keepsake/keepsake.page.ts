import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { isolated } from '#server/platform/pdf/book-steps.ts';
import {
  articleEnd,
  articleHead,
  figure,
  pageEnd,
  pageHead,
  paragraphLines,
  quietLine,
  transcriptLines,
} from '#shared/rules/letters/page-to-keep.ts';
import { isSealedEnvelope, sealedEnvelopeLine } from '#shared/rules/letters/sealed-envelope.ts';
import { dayOf, type Enclosure, type KeptLetter, namedOnly, piecesOfLetter, sealedLine } from './keepsake.letters.ts';

/** Letters to one person as one web page that opens offline. Its pictures are embedded. */
export function writeKeepsakePage(title: string, letters: readonly KeptLetter[]): Readable {
  return Readable.from(linesOf(title, letters), { objectMode: false });
}

async function* linesOf(title: string, letters: readonly KeptLetter[]): AsyncGenerator<string> {
  yield pageHead(title);
  for (const kept of letters) {
    const { letter } = kept;
    const days = { written: dayOf(letter.createdAt), delivered: dayOf(letter.deliveredAt) };
    yield articleHead({ ...letter, ...days });
    yield* letter.encryptedContent ? [quietLine(sealedLine)] : bodyOf(kept);
    yield articleEnd;
  }
  yield pageEnd;
}

async function* bodyOf({ letter, open }: KeptLetter): AsyncGenerator<string> {
  const paragraphs = paragraphLines(letter.content);
  for (const piece of piecesOfLetter(letter.enclosures, paragraphs)) {
    yield 'paragraph' in piece ? piece.paragraph : await enclosed(piece.enclosure, open);
    yield '\n';
  }
  const { attachment } = letter;
  if (!attachment) return;
  yield quietLine(
    isSealedEnvelope(attachment) ? sealedEnvelopeLine : `Enclosed: ${isolated(attachment.name)}, saved on its own.`,
  );
  yield transcriptLines(attachment.transcript).join('\n');
}

async function enclosed(enclosure: Enclosure, open: KeptLetter['open']): Promise<string> {
  const { kind, name, caption, transcript, mimeType } = enclosure;
  const bytes = kind === 'picture' ? await bytesOf(enclosure, open) : null;
  const dataUrl = bytes && `data:${mimeType};base64,${bytes.toString('base64')}`;
  const shown = dataUrl
    ? [figure({ dataUrl, name, caption })]
    : [quietLine(namedOnly(enclosure)), ...(caption === '' ? [] : [quietLine(caption)])];
  return [...shown, ...transcriptLines(transcript)].join('\n');
}

/** Null for a picture that cannot be read, so that the words are kept without it. */
async function bytesOf({ id }: Enclosure, open: KeptLetter['open']): Promise<Buffer | null> {
  try {
    return await buffer(await (await open(id)).open());
  } catch {
    return null;
  }
}
