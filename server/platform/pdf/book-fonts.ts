import { readFile } from 'node:fs/promises';
import type PDFDocument from 'pdfkit';
import { inText, isBookCharacter, isInvisible } from './coverage.ts';

/** The faces of a book, by the names under which the document knows them. */
export const face = { text: 'Newsreader', italic: 'Newsreader Italic', other: 'DejaVu Serif' } as const;
export type Face = (typeof face)[keyof typeof face];

/** Distance from the top of a line to the baseline, in parts of the size: the same for all faces in a line. */
export const baselineEm = 0.95;

const files: Record<Face, string> = {
  [face.text]: 'newsreader-roman.ttf',
  [face.italic]: 'newsreader-italic.ttf',
  [face.other]: 'dejavu-serif.ttf',
};

export async function addFaces(book: typeof PDFDocument.prototype): Promise<void> {
  for (const [name, file] of Object.entries(files)) {
    book.registerFont(name, await readFile(new URL(`./fonts/${file}`, import.meta.url)));
  }
}

/** A piece of text that one face has all characters of. */
export type Run = { text: string; face: Face };

/** Returns a plain text in runs of one face each: the wanted one for every word of which it has all letters. */
export function runsOf(given: string, wanted: Face): Run[] {
  const runs: Run[] = [];
  for (const word of given.split(/(?<=\s)(?!\s)/)) {
    const next = setWord(word, wanted);
    const last = runs.at(-1);
    if (last?.face === next.face) last.text += next.text;
    else if (next.text !== '') runs.push(next);
  }
  return runs;
}

/** A word has one face, down to its full stop: letters of two in one word look like a mistake. */
function setWord(word: string, wanted: Face): Run {
  const text = [...word].filter((character) => isBookCharacter(character) || !isInvisible(character)).join('');
  return { text, face: [...text].every((character) => inText.test(character)) ? wanted : face.other };
}
