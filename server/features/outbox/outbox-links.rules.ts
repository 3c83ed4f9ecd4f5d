import { withoutEnd } from '#shared/text-ends.ts';

export type TextPart = { text: string; href: string | null };

const address = /https?:\/\/[^\s<>"]+/g;
/** Punctuation after an address, which is not part of it. */
const trailing = ".,;:!?)]}'’”";

/** Cuts a plain text into words and web addresses, in their order; put together again they are the text. */
export function findLinks(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;

  for (const match of text.matchAll(address)) {
    const href = withoutEnd(match[0], trailing);
    if (match.index > end) parts.push({ text: text.slice(end, match.index), href: null });
    parts.push({ text: href, href });
    end = match.index + href.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), href: null });
  return parts;
}

/** The web addresses of a text, each once. */
export function linksOf(text: string): string[] {
  return [...new Set(findLinks(text).flatMap(({ href }) => href ?? []))];
}
