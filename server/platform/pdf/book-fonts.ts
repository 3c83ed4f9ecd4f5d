import { readFile } from 'node:fs/promises';
import type PDFDocument from 'pdfkit';

/** The faces of a book, by the names under which the document knows them. */
export const face = { text: 'Newsreader', italic: 'Newsreader Italic', other: 'DejaVu Serif' } as const;
export type Face = (typeof face)[keyof typeof face];

const files: Record<Face, string> = {
  [face.text]: 'newsreader-roman.ttf',
  [face.italic]: 'newsreader-italic.ttf',
  [face.other]: 'dejavu-serif.ttf',
};

/** Stands for a character that no face has. */
const unknownCharacter = '\u25A1';

/** Characters of Newsreader, as our files of it have them. */
const inText =
  /^[\t\n\u0020-\u007E\u00A0-\u00FF\u0152-\u0153\u2013-\u2014\u2018-\u201A\u201C-\u201E\u2022\u2026\u2032-\u2033\u2039-\u203A\u2044\u20AC\u2122\u2212]$/;
/** Greek, Cyrillic, Armenian, Georgian, and Latin letters beyond those of western Europe. */
const otherRanges = [
  String.raw`\u0020-\u007E\u00A0-\u024F\u0370-\u0377\u037A-\u037F\u0384-\u038A\u038C\u038E-\u03A1`,
  String.raw`\u03A3-\u03E1\u03F0-\u045F\u0462-\u0465\u046A-\u046D\u0470-\u0477\u048C-\u048D\u0490-\u049B`,
  String.raw`\u049E-\u04A7\u04AA-\u04B7\u04BA-\u04BB\u04C0-\u04C4\u04C7-\u04C8\u04CB-\u04CC\u04CF-\u04F9`,
  String.raw`\u0510-\u0515\u051A-\u051D\u0531-\u0556\u0559-\u055F\u0561-\u0587\u0589-\u058A\u10D0-\u10FC`,
  String.raw`\u1E00-\u1EFB\u2010-\u2026\u2030-\u203A\u203C-\u203E\u2042\u2044-\u2049\u204B-\u204F`,
  String.raw`\u2051-\u2053\u2057\u20A6\u20AC\u20AF\u20B1\u20B4-\u20B5\u20B8-\u20BA\u20BD\u2102-\u2103\u2109`,
  String.raw`\u210D-\u210F\u2115-\u2116\u2119-\u211A\u211D\u2122\u2124\u2126-\u2127\u212A-\u212B\u2132`,
  String.raw`\u213C-\u2149\u214B\u214E\u2190-\u21FF\u25A1\uFB00-\uFB06`,
];
const inOther = new RegExp(`^[${otherRanges.join('')}]$`);

export async function addFaces(book: typeof PDFDocument.prototype): Promise<void> {
  for (const [name, file] of Object.entries(files)) {
    book.registerFont(name, await readFile(new URL(`./fonts/${file}`, import.meta.url)));
  }
}

/** A piece of text that one face has all characters of. */
export type Run = { text: string; face: Face };

/**
 * Text as it can be set: in runs of one face each, the wanted one for every word that it has all letters of. `isWhole` is false where there were
 * characters that neither face has; each of them is an empty square then.
 */
export function runsOf(given: string, wanted: Face): { runs: Run[]; isWhole: boolean } {
  const runs: Run[] = [];
  let isWhole = true;
  for (const word of given
    .normalize('NFC')
    .replace(/\r\n?/g, '\n')
    .split(/(?<=\s)(?!\s)/)) {
    const next = setWord(word, wanted);
    isWhole &&= next.isWhole;
    const last = runs.at(-1);
    if (last?.face === next.face) last.text += next.text;
    else if (next.text !== '') runs.push({ text: next.text, face: next.face });
  }
  return { runs, isWhole };
}

function isSet(character: string): boolean {
  return inText.test(character) || inOther.test(character);
}

/** A word has one face, down to its full stop: letters of two in one word look like a mistake. */
function setWord(word: string, wanted: Face): Run & { isWhole: boolean } {
  // Marks that only tell how others are shown are no loss.
  const characters = [...word].filter(
    (character) => isSet(character) || !/\p{Cf}|\p{Cc}|\p{Variation_Selector}/u.test(character),
  );
  if (characters.every((character) => inText.test(character))) {
    return { text: characters.join(''), isWhole: true, face: wanted };
  }
  const inOtherOrSpace = (character: string) => inOther.test(character) || /\s/.test(character);
  return {
    text: characters.map((character) => (inOtherOrSpace(character) ? character : unknownCharacter)).join(''),
    isWhole: characters.every(inOtherOrSpace),
    face: face.other,
  };
}
