import { readFile } from 'node:fs/promises';
import type PDFDocument from 'pdfkit';
import { inOther, inText, isInvisible, isBookCharacter } from './coverage.ts';

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

/** A word has one face, down to its full stop: letters of two in one word look like a mistake. */
function setWord(word: string, wanted: Face): Run & { isWhole: boolean } {
  // Marks that only tell how others are shown are no loss.
  const characters = [...word].filter((character) => isBookCharacter(character) || !isInvisible(character));
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
