import { cellsOf, testsIn } from '#tests/architecture/named-tests.ts';

/** One row for each element of the specification: where it is built, and which tests show it. */
export const coveragePage = 'tests/spec-coverage/spec-coverage.md';

export type Row = {
  /** Heading of the table. */
  part: string;
  element: string;
  /** Implementing files; empty if it is not built. */
  files: string[];
  /** Reason for not building it, in a word; empty if it is built. */
  reason: string;
  /** `file › title`; empty where no test shows it. */
  tests: string[];
};

/** The rows of every table in the text, and the lines that are meant as rows and are none. */
export function parse(markdown: string): { rows: Row[]; broken: string[] } {
  const rows: Row[] = [];
  const broken: string[] = [];
  let part = '';
  for (const line of markdown.split('\n')) {
    if (line.startsWith('## ')) part = line.slice(3);
    if (!line.startsWith('|') || line.startsWith('| Element |') || line.startsWith('| --- |')) continue;
    const row = rowOf(part, line);
    if (row) rows.push(row);
    else broken.push(line);
  }
  return { rows, broken };
}

function rowOf(part: string, line: string): Row | null {
  const cells = cellsOf(line);
  const [element, built, shown] = cells;
  if (cells.length !== 3 || !element || !built || !shown) return null;
  const reason = /^not built: ([\w-]+)$/.exec(built)?.[1] ?? '';
  if (reason) return shown === '–' ? { part, element, files: [], reason, tests: [] } : null;
  const tests = shown === 'none yet' ? [] : testsIn(shown);
  return { part, element, files: built.split('<br>'), reason, tests };
}
