import { readFileSync } from 'node:fs';
import { scriptFaces } from './script-faces.ts';

/** Characters of Newsreader, as our files of it have them. */
const textRanges = [
  String.raw`\t\n\u0020-\u007E\u00A0-\u00FF\u0152-\u0153\u2013-\u2014\u2018-\u201A\u201C-\u201E\u2022\u2026`,
  String.raw`\u2032-\u2033\u2039-\u203A\u2044\u20AC\u2122\u2212`,
];
export const inText = new RegExp(`^[${textRanges.join('')}]$`);
/** Greek, Cyrillic, Armenian, Georgian, and Latin letters beyond those of western Europe. */
const otherRanges = [
  String.raw`\u0250-\u02CD\u02D0-\u02D3\u02D6-\u02DE\u02E0-\u02E9\u02EC\u02EE-\u02F0\u02F3\u02F7`,
  String.raw`\u0020-\u007E\u00A0-\u024F\u0370-\u0377\u037A-\u037F\u0384-\u038A\u038C\u038E-\u03A1`,
  String.raw`\u03A3-\u03E1\u03F0-\u045F\u0462-\u0465\u046A-\u046D\u0470-\u0477\u048C-\u048D\u0490-\u049B`,
  String.raw`\u049E-\u04A7\u04AA-\u04B7\u04BA-\u04BB\u04C0-\u04C4\u04C7-\u04C8\u04CB-\u04CC\u04CF-\u04F9`,
  String.raw`\u0510-\u0515\u051A-\u051D\u0531-\u0556\u0559-\u055F\u0561-\u0587\u0589-\u058A\u10D0-\u10FC`,
  String.raw`\u1E00-\u1EFB\u2010-\u2026\u2030-\u203A\u203C-\u203E\u2042\u2044-\u2049\u204B-\u204F`,
  String.raw`\u2051-\u2053\u2057\u20A6\u20AC\u20AF\u20B1\u20B4-\u20B5\u20B8-\u20BA\u20BD\u2102-\u2103\u2109`,
  String.raw`\u210D-\u210F\u2115-\u2116\u2119-\u211A\u211D\u2122\u2124\u2126-\u2127\u212A-\u212B\u2132`,
  String.raw`\u213C-\u2149\u214B\u214E\u2190-\u21FF\u25A1\uFB00-\uFB06`,
];
/** Accents that stand above or below another letter, as Yoruba and Igbo write two of them. */
const accents = String.raw`\u0300-\u033F\u0358\u0360-\u0361`;
export const inOther = new RegExp(`^[${otherRanges.join('')}${accents}]$`);
/** Marks that only say how other characters are shown, and controls. */
const invisible = String.raw`\p{Cf}\p{Cc}\p{Variation_Selector}`;
const isInvisiblePattern = new RegExp(`[${invisible}]`, 'u');
const notPlain = new RegExp(`[^${[...textRanges, ...otherRanges].join('')}${invisible}]`, 'u');

const accented = new RegExp(`[^${accents}][${accents}]+`, 'g');

/**
 * Text in which a letter and its accent are one character, if that exists. If an accent is left over, the letter gives up all of its
 * accents: a face places them above each other only then.
 */
export function composed(text: string): string {
  return text.normalize('NFC').replace(accented, (letter) => letter.normalize('NFD'));
}

/** True for characters of the two faces that every book has. */
export function isBookCharacter(character: string): boolean {
  return inText.test(character) || inOther.test(character);
}

/** True for a text that the two faces of every book have, from left to right, with each accent as part of its letter. */
export function isPlain(text: string): boolean {
  return !notPlain.test(text);
}

/** Marks that only say how other characters are shown. Leaving them out loses nothing. */
export function isInvisible(character: string): boolean {
  return isInvisiblePattern.test(character);
}

/** File of a face with a character, and its face. */
export type FaceFile = { face: string; file: string };

type Ranges = { from: Uint32Array; to: Uint32Array; files: readonly FaceFile[]; fileAt: Uint16Array };

/** Returns the file of a face that has this character, or null. */
export function fileWith(face: string, character: string): FaceFile | null {
  const { from, to, files, fileAt } = rangesOf(face);
  const point = character.codePointAt(0) ?? 0;
  let low = 0;
  let high = from.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((from[middle] ?? 0) <= point) low = middle + 1;
    else high = middle;
  }
  return low > 0 && point <= (to[low - 1] ?? 0) ? (files[fileAt[low - 1] ?? 0] ?? null) : null;
}

const loaded = new Map<string, Ranges>();

/** Reads the table of the faces when the first character needs it. */
function rangesOf(face: string): Ranges {
  if (loaded.size === 0) {
    const table = JSON.parse(readFileSync(new URL('fonts/coverage.json', import.meta.url), 'utf8'));
    for (const [name, files] of Object.entries<Record<string, string>>(table)) loaded.set(name, parse(name, files));
  }
  const ranges = loaded.get(face);
  if (!ranges) throw new RangeError(`No face is called ${face}.`);
  return ranges;
}

function parse(face: string, table: Record<string, string>): Ranges {
  const files = Object.keys(table).map((file) => ({ face, file }));
  const ranges = Object.values(table)
    .flatMap((list, index) =>
      list.split(',').map((range) => {
        const [from = 0, to = from] = range.split('-').map((point) => Number.parseInt(point, 16));
        return { from, to, index };
      }),
    )
    .sort((one, other) => one.from - other.from);
  return {
    from: Uint32Array.from(ranges, ({ from }) => from),
    to: Uint32Array.from(ranges, ({ to }) => to),
    files,
    fileAt: Uint16Array.from(ranges, ({ index }) => index),
  };
}

/** True if a face beyond the two of every book has this character. */
function isScriptCharacter(character: string): boolean {
  return scriptFaces.some((face) => fileWith(face.package, character) !== null);
}

/** True if a book can show every character of a text. */
export function isSettable(text: string): boolean {
  return [...new Set(text.normalize('NFC'))].every(
    (character) =>
      isBookCharacter(character) || isInvisible(character) || /\s/.test(character) || isScriptCharacter(character),
  );
}
