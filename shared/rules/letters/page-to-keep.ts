import { paragraphsOf } from './paragraphs.ts';

/* Parts of the page on which a recipient keeps letters: one HTML file that loads nothing, so it opens offline. */

export function pageHead(title: string): string {
  return `<!doctype html>
<html lang="en-GB">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:">
<title>${escaped(title)}</title>
<style>${style}</style>
`;
}

export const pageEnd = '</html>\n';

/** `written` and `delivered` are formatted days. */
type ArticleHead = { title: string; senderName: string; written: string; delivered: string };

/** Start of one letter: its sender, title and days. */
export function articleHead({ title, senderName, written, delivered }: ArticleHead): string {
  return `<article>
<p class="quiet"><bdi>${escaped(senderName)}</bdi> wrote this for you.</p>
<h1 dir="auto">${escaped(title)}</h1>
<p class="quiet">Written ${written}. Delivered ${delivered}.</p>
`;
}

export const articleEnd = '</article>\n';

/** Paragraphs of a text as HTML, a short last one as the signature. Each has the direction of its own script. */
export function paragraphLines(text: string): string[] {
  return paragraphsOf(text).map(
    ({ lines, isSignature }) =>
      `<p dir="auto"${isSignature ? ' class="sign"' : ''}>${lines.map(escaped).join('<br>')}</p>`,
  );
}

/** Paragraphs of a transcript as HTML, without a signature. */
export function transcriptLines(transcript: string): string[] {
  return paragraphsOf(transcript).map(({ lines }) => `<p dir="auto">${lines.map(escaped).join('<br>')}</p>`);
}

/** Note in small italics, which is not part of the letter's text. */
export function quietLine(words: string): string {
  return `<p class="quiet" dir="auto">${escaped(words)}</p>`;
}

/** A picture that is embedded as a data URL (RFC 2397), with its caption if there is one. */
export function figure({ dataUrl, name, caption }: { dataUrl: string; name: string; caption: string }): string {
  const words = caption && `<figcaption dir="auto">${escaped(caption)}</figcaption>`;
  return `<figure><img src="${dataUrl}" alt="${escaped(caption || name)}">${words}</figure>`;
}

/** Escapes text for HTML content and quoted attributes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
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
