import type { DeliveredMessage } from '#shared/contract/letters/delivery.ts';
import { paragraphsOf } from '#shared/rules/letters/paragraphs.ts';
import { longDate } from '#web/lib/format.ts';
import type { Packed } from '#web/lib/sealing/sealed-envelope.ts';

const fileNameLengthMax = 80;

type Kept = Pick<DeliveredMessage, 'title' | 'content' | 'senderName' | 'createdAt' | 'deliveredAt' | 'attachment'>;

/** Something from its envelope, in the page itself (RFC 2397); null for what is too large to stand there. */
export type KeptFile = Packed & { dataUrl: string | null };

/** Larger ones would make a page that no browser opens quickly. */
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
 * A letter that was sealed, as one page to keep: made here, since nobody else can read it. It loads nothing, and opens in any
 * browser without a line.
 */
export function letterAsPage(
  { title, content, senderName, createdAt, deliveredAt, attachment }: Kept,
  kept: readonly KeptFile[] = [],
): string {
  const words = paragraphsOf(content);
  const placeOf = ({ afterParagraph: after }: KeptFile) => (after !== null && after <= words.length ? after : null);
  const thoseAt = (place: number | null) => kept.filter((each) => placeOf(each) === place).flatMap(keptLines);
  const paragraphs = words.flatMap(({ lines, isSignature }, index) => [
    `<p${isSignature ? ' class="sign"' : ''}>${lines.map(escaped).join('<br>')}</p>`,
    ...thoseAt(index + 1),
  ]);
  const enclosed = [...enclosedLines(attachment), ...saidLines(attachment?.transcript ?? '')];
  return `<!doctype html>
<html lang="en-GB">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:">
<title>${escaped(title)}</title>
<style>${style}</style>
<article>
<p class="quiet">${escaped(senderName)} wrote this for you.</p>
<h1>${escaped(title)}</h1>
<p class="quiet">Written ${longDate(createdAt)}. Delivered ${longDate(deliveredAt)}.</p>
${[...thoseAt(0), ...paragraphs, ...thoseAt(null), ...enclosed].join('\n')}
</article>
</html>
`;
}

function enclosedLines(attachment: Kept['attachment']): string[] {
  return attachment ? [`<p class="quiet">Enclosed: ${escaped(attachment.name)}, saved on its own.</p>`] : [];
}

function saidLines(transcript: string): string[] {
  return paragraphsOf(transcript).map(({ lines }) => `<p>${lines.map(escaped).join('<br>')}</p>`);
}

/** What lay in the envelope, as the page can show it, and can give it back. */
function keptLines({ kind, file, caption, transcript, dataUrl }: KeptFile): string[] {
  const name = escaped(file.name);
  const words = caption === '' ? '' : escaped(caption);
  if (kind === 'original' && dataUrl !== null)
    return [`<p class="quiet"><a href="${dataUrl}" download="${name}">Save the original, ${name}</a></p>`];
  const shown =
    dataUrl === null
      ? `<p class="quiet">Enclosed: ${name}, saved on its own.</p>`
      : kind === 'picture'
        ? `<figure><img src="${dataUrl}" alt="${words || name}">${words && `<figcaption>${words}</figcaption>`}</figure>`
        : `${words && `<p>${words}</p>`}${playerOf(file.type, dataUrl)}<p class="quiet"><a href="${dataUrl}" download="${name}">Save ${name}</a></p>`;
  return [shown, ...saidLines(transcript)];
}

function playerOf(mimeType: string, dataUrl: string): string {
  if (mimeType.startsWith('audio/')) return `<audio controls src="${dataUrl}"></audio>`;
  if (mimeType.startsWith('video/')) return `<video controls src="${dataUrl}"></video>`;
  return mimeType.startsWith('image/') ? `<img src="${dataUrl}" alt="">` : '';
}

/** Text as it may stand between tags. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

const style = `
:root{color-scheme:light dark}
body{margin:0 auto;max-width:36rem;padding:3rem 1.25rem 5rem;font:1.25rem/1.6 "Iowan Old Style","Palatino Linotype",Palatino,Georgia,"Liberation Serif",serif;overflow-wrap:anywhere}
h1{font-size:2.25rem;font-weight:400;line-height:1.15;margin:.25rem 0 .75rem}
.quiet{font-size:1rem;font-style:italic;opacity:.8}
.sign{font-style:italic;font-size:1.5rem;margin-top:2.5rem}
figure{margin:1.5rem 0}
figcaption{font-size:1rem;font-style:italic}
img,video{max-width:100%;height:auto}
audio{width:100%}
@media print{audio,video{display:none}body{max-width:none;padding:0;color:#000}}
`;

/** A name that every file system takes. */
export function fileNameOf(title: string): string {
  const plain = title
    .replace(/[\p{Cc}\p{Cf}\\/:*?"<>|]/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
    .slice(0, fileNameLengthMax)
    .trim();
  return `${plain || 'Letter'}.html`;
}
