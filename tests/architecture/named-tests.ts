import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './sources.ts';

/** Cells of a row of a table in Markdown. */
export const cellsOf = (line: string): string[] => line.replace(/^\| | \|$/g, '').split(' | ');

/** The tests that a cell names, one below the other, each as `file › title`. */
export const testsIn = (cell: string): string[] => cell.split('<br>');

/** True if the file holds a test under exactly that title, with the placeholders of one that has many cases. */
export function isTest(shown: string): boolean {
  const [file, title, ...rest] = shown.split(' › ');
  if (!file || !title || rest.length > 0 || !/\.(test|spec)\.tsx?$/.test(file)) return false;
  const text = textOf(file);
  return ["'", '"', '`'].some((quote) => isTitle(text, `${quote}${title}${quote},`));
}

/** True if the quoted title is the first thing handed to a function, as the title of a test is. */
function isTitle(text: string, quoted: string): boolean {
  for (let at = text.indexOf(quoted); at >= 0; at = text.indexOf(quoted, at + 1)) {
    if (text.slice(0, at).trimEnd().endsWith('(')) return true;
  }
  return false;
}

const texts = new Map<string, string>();

function textOf(file: string): string {
  const path = join(repository, file);
  const text = texts.get(path) ?? (existsSync(path) ? readFileSync(path, 'utf8') : '');
  texts.set(path, text);
  return text;
}
