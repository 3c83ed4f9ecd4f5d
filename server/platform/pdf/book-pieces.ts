/** Space below a paragraph in points. */
export const paragraphGap = 7;
/** Lines that are set in one go: pdfkit's time grows with the square of their number. */
export const linesPerPiece = 50;
/** Characters of a run of text, and of a word. pdfkit measures the rest of a word again for each line of it. */
export const runLengthMax = 500;
export const wordLengthMax = 100;
const words = new RegExp(`[^ \\n]{1,${wordLengthMax}}[ \\n]?|[ \\n]`, 'gu');

/** Splits a text at its line breaks into pieces of at most 50 lines, to be set one below the other. */
export function piecesOf(text: string): string[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const pieces: string[] = [];
  for (let at = 0; at < lines.length; at += linesPerPiece) pieces.push(lines.slice(at, at + linesPerPiece).join('\n'));
  return pieces;
}

/**
 * Splits a run at spaces into runs of at most 500 characters, to be set one after the other on the same line. Words of more than
 * 100 characters are broken, whatever they consist of, because some characters forbid a line break even beside a space.
 */
export function shortRuns(run: string): string[] {
  const runs: string[] = [];
  let last = '';
  for (const [word] of run.matchAll(words)) {
    if (last.length + word.length > runLengthMax) {
      runs.push(last);
      last = '';
    }
    last += word;
  }
  return last === '' ? runs : [...runs, last];
}
