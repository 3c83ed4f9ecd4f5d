import { withoutInvisible } from '#shared/rules/letterhead/invisible.ts';
import { withoutEnd } from '#shared/text-ends.ts';

/** Longest number with what people write beside it. */
export const phoneLengthMax = 50;

/** Hyphens and dashes as word processors write them. */
const hyphens = /[\u2010-\u2015\u2212]/g;
/** `tel:` of a link, or a word before a number. */
const wordBefore = /^(?:tel|telephone|phone|mobile|mob|cell) ?[:.]? ?(?=[+(\d])/i;
/** `(mobile)` after a number, with or without parentheses. */
const wordBehind = / ?\(?\b(?:mobile|mob|cell|home|work)\b\.?\)?$/i;
const separators = String.raw`[\s().\/+-]`;
const shape = new RegExp(
  String.raw`^${separators}*(?:\d${separators}*){7,19}(?:(?:ext|extension|x)\.?\s*\d{1,6})?$`,
  'i',
);

/** Number as typed or pasted, without invisible characters from the clipboard. */
export function phoneIn(typed: string): string {
  const plain = withoutInvisible(typed.normalize('NFKC')).replace(hyphens, '-').replace(/\s+/g, ' ').trim();
  const number = plain
    .replace(wordBefore, '')
    .replace(/;(?:ext=|phone-context=).*/i, '')
    .replace(wordBehind, '');
  return withoutEnd(number, ' .,;');
}

/** True if the text looks like one phone number. The service reads it with a library that knows the world's numbers. */
export function looksLikePhone(text: string): boolean {
  return shape.test(text);
}
