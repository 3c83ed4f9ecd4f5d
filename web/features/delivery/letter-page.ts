import type { DeliveredMessage } from '#shared/contract/letters/delivery.ts';
import { paragraphsOf } from '#shared/rules/letters/paragraphs.ts';
import { longDate } from '#web/lib/format.ts';

const fileNameLengthMax = 80;

type Kept = Pick<DeliveredMessage, 'title' | 'content' | 'senderName' | 'createdAt' | 'deliveredAt' | 'attachment'>;

/**
 * A letter that was sealed, as one page to keep: made here, since nobody else can read it. It loads nothing, and opens in any
 * browser without a line.
 */
export function letterAsPage({ title, content, senderName, createdAt, deliveredAt, attachment }: Kept): string {
  const paragraphs = paragraphsOf(content).map(
    ({ lines, isSignature }) => `<p${isSignature ? ' class="sign"' : ''}>${lines.map(escaped).join('<br>')}</p>`,
  );
  const said = paragraphsOf(attachment?.transcript ?? '').map(
    ({ lines }) => `<p>${lines.map(escaped).join('<br>')}</p>`,
  );
  return `<!doctype html>
<html lang="en-GB">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${style}</style>
<article>
<p class="quiet">${escaped(senderName)} wrote this for you.</p>
<h1>${escaped(title)}</h1>
<p class="quiet">Written ${longDate(createdAt)}. Delivered ${longDate(deliveredAt)}.</p>
${[...paragraphs, ...enclosedLines(attachment), ...said].join('\n')}
</article>
</html>
`;
}

function enclosedLines(attachment: Kept['attachment']): string[] {
  return attachment ? [`<p class="quiet">Enclosed: ${escaped(attachment.name)}, saved on its own.</p>`] : [];
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
@media print{body{max-width:none;padding:0;color:#000}}
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
