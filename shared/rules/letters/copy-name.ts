import { productName } from '#shared/product.ts';
import { withoutEnd } from '#shared/text-ends.ts';

/** In characters. Windows allows 255 UTF-16 units. */
const nameLengthMax = 80;
/** Characters that no file name may have on Windows, macOS or Linux. */
const reserved = /[\p{Cc}\p{Zl}\p{Zp}\\/:*?"<>|]/gu;
/** Invisible marks (Cf), except the joiners that letters and emoji are written with. */
const invisible = /(?![\u200C\u200D])\p{Cf}/gu;
/** A joiner that does not follow a letter or an emoji. */
const looseJoiner = /(?<!\p{L}|\p{M}|\p{Extended_Pictographic})[\u200C\u200D]+/gu;

/** Returns the file name of a saved letter: its title as written, without characters that a file system refuses. */
export function copyNameOf(title: string, ending: 'pdf' | 'html'): string {
  const plain = title
    .toWellFormed()
    .replace(reserved, ' ')
    .replace(invisible, '')
    .replace(looseJoiner, '')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+/, '');
  const named = withoutEnd([...plain].slice(0, nameLengthMax).join(''), '. \u200D');
  return `${/[\p{L}\p{N}\p{S}\p{P}]/u.test(named) ? named : `A letter from ${productName}`}.${ending}`;
}
