/** The measure of a plain letter, in characters: it survives being quoted twice in a window of 80. */
export const plainLineLength = 72;

/**
 * The text of a plain letter in lines as long as its paragraphs, for a page that breaks them itself. A break was put in
 * where the next word had no room; every other one was written. An address always stands on a line of its own.
 */
export function unwrapped(text: string): string {
  const lines = text.split('\n');
  const joined: string[] = [];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    const last = joined.length - 1;
    if (before && isBrokenBetween(before, line)) joined[last] = `${joined[last]} ${line.trimStart()}`;
    else joined.push(line);
  }
  return joined.join('\n');
}

function isBrokenBetween(line: string, next: string): boolean {
  const word = next.trimStart().split(' ')[0] ?? '';
  return word !== '' && !word.includes('://') && columnsOf(line) + 1 + columnsOf(word) > plainLineLength;
}

/** Counts what a person sees as characters of one column; a name in another script must not count its bytes. */
export function columnsOf(text: string): number {
  return [...text].length;
}
