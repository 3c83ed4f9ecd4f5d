import type { DeliveredMessage } from '#shared/contract/letters/delivery.ts';
import { copyNameOf } from '#shared/rules/letters/copy-name.ts';
import {
  articleEnd,
  articleHead,
  escaped,
  figure,
  pageEnd,
  pageHead,
  paragraphLines,
  quietLine,
  transcriptLines,
} from '#shared/rules/letters/page-to-keep.ts';
import { longDate } from '#web/lib/format.ts';
import type { Packed } from '#web/lib/sealing/sealed-envelope.ts';

type Kept = Pick<DeliveredMessage, 'title' | 'content' | 'senderName' | 'createdAt' | 'deliveredAt' | 'attachment'>;

/** An enclosure inside the page (RFC 2397); null if it is too large. */
export type KeptFile = Packed & { dataUrl: string | null };

/** Largest enclosure inside the page, in bytes. Larger ones would make the page slow to open. */
const keptInPageBytesMax = 30_000_000;

export async function asKept(packed: Packed): Promise<KeptFile> {
  const { file } = packed;
  return { ...packed, dataUrl: file.size > keptInPageBytesMax ? null : await dataUrlOf(file) };
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/**
 * A letter that was sealed, as one page to keep. The browser makes it, because the server cannot read the letter. It
 * opens offline.
 */
export function letterAsPage(
  { title, content, senderName, createdAt, deliveredAt, attachment }: Kept,
  kept: readonly KeptFile[] = [],
): string {
  const words = paragraphLines(content);
  const placeOf = ({ afterParagraph: after }: KeptFile) => (after !== null && after <= words.length ? after : null);
  const thoseAt = (place: number | null) => kept.filter((each) => placeOf(each) === place).flatMap(keptLines);
  const paragraphs = words.flatMap((paragraph, index) => [paragraph, ...thoseAt(index + 1)]);
  const enclosed = [...enclosedLines(attachment), ...transcriptLines(attachment?.transcript ?? '')];
  const days = { written: longDate(createdAt), delivered: longDate(deliveredAt) };
  const body = [...thoseAt(0), ...paragraphs, ...thoseAt(null), ...enclosed].join('\n');
  return `${pageHead(title)}${articleHead({ title, senderName, ...days })}${body}\n${articleEnd}${pageEnd}`;
}

function enclosedLines(attachment: Kept['attachment']): string[] {
  return attachment ? [quietLine(`Enclosed: ${attachment.name}, saved on its own.`)] : [];
}

/** Enclosures in a form that the page can show and return. */
function keptLines({ kind, file, caption, transcript, dataUrl }: KeptFile): string[] {
  const name = escaped(file.name);
  const words = caption === '' ? '' : escaped(caption);
  if (kind === 'original' && dataUrl !== null)
    return [`<p class="quiet"><a href="${dataUrl}" download="${name}">Save the original, ${name}</a></p>`];
  const shown =
    dataUrl === null
      ? quietLine(`Enclosed: ${file.name}, saved on its own.`)
      : kind === 'picture'
        ? figure({ dataUrl, name: file.name, caption })
        : `${words && `<p>${words}</p>`}${playerOf(file.type, dataUrl)}<p class="quiet"><a href="${dataUrl}" download="${name}">Save ${name}</a></p>`;
  return [shown, ...transcriptLines(transcript)];
}

function playerOf(mimeType: string, dataUrl: string): string {
  if (mimeType.startsWith('audio/')) return `<audio controls src="${dataUrl}"></audio>`;
  if (mimeType.startsWith('video/')) return `<video controls src="${dataUrl}"></video>`;
  return mimeType.startsWith('image/') ? `<img src="${dataUrl}" alt="">` : '';
}

/** File name under which the page is saved. */
export function pageNameOf({ title }: Pick<Kept, 'title'>): string {
  return copyNameOf(title, 'html');
}
