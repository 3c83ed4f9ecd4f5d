import { columnsOf, plainLineLength } from '#shared/rules/plain-lines.ts';

/**
 * Sets text in lines of at most 72 characters, broken between words. A word that is longer stands on a line of its
 * own and is never broken: it is nearly always an address. Line breaks in the text stay.
 */
export function wrapText(text: string, { indent = '', width = plainLineLength } = {}): string {
  return text
    .split('\n')
    .map((line) => wrapLine(line, indent, width))
    .join('\n');
}

function wrapLine(line: string, indent: string, width: number): string {
  const lines: string[] = [];
  const room = width - columnsOf(indent);
  let current = '';
  let columns = 0;

  for (const word of line.split(/[ \t]+/)) {
    if (word === '') continue;
    const length = columnsOf(word);
    if (current !== '' && columns + 1 + length > room) {
      lines.push(current);
      current = '';
    }
    columns = current === '' ? length : columns + 1 + length;
    current = current === '' ? word : `${current} ${word}`;
  }
  lines.push(current);

  // The first line is not indented: its caller has put a mark there.
  return lines.join(`\n${indent}`);
}
