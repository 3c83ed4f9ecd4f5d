import { expect, test } from 'vitest';
import { clustersOf, faceOrder } from './book-clusters.ts';
import {
  chunksOf,
  createLineFiller,
  directionOf,
  type Item,
  inLayoutOrder,
  itemsOf,
  type PlacedItem,
  visualOrder,
} from './book-lines.ts';
import { merged } from './book-script-text.ts';

function itemsIn(line: string): Item[] {
  const clusters = clustersOf(line, 'Newsreader', faceOrder(line, null), { isLost: false });
  return itemsOf(line, clusters, directionOf(line));
}

/** Items of each line, by their number of characters. */
function filled(line: string, widthMax: number): string[][] {
  const lines: string[][] = [];
  const filler = createLineFiller({
    widthOf: ({ text }) => text.length,
    widthMax,
    endLine: (items) => lines.push(visualOrder(items).map(({ text }) => text)),
  });
  filler.add(itemsIn(line));
  filler.end();
  return lines;
}

test.each([
  ['שלום Nell', 'rtl'],
  ['Nell שלום', 'ltr'],
  ['42, (سلام)', 'rtl'],
  ['\u2068שלום\u2069 wrote this.', 'ltr'],
  ['❤️ 42', 'ltr'],
])('the direction of %j is %s', (text, direction) => {
  expect(directionOf(text)).toBe(direction);
});

test('words from right to left stand in reverse, with brackets from the other side', () => {
  expect(visualOrder(itemsIn('(א) ב')).map(({ text }) => text)).toEqual(['ב', ' ', '(', 'א', ')']);
});

test('a line of Chinese ends between characters, and never before a full stop', () => {
  expect(filled('请先把水烧开。好', 6).map((line) => line.join(''))).toEqual(['请先把水烧', '开。好']);
});

test('each item of a line is measured once, and keeps its width for the place on its line', () => {
  const measured: string[] = [];
  const widths: number[] = [];
  const filler = createLineFiller({
    widthOf: ({ text }) => measured.push(text),
    widthMax: 1_000_000,
    endLine: (items) => widths.push(...visualOrder(items).map(({ width }) => width)),
  });
  filler.add(itemsIn('请先把水烧开。שלום ונשמה'));
  filler.end();
  expect(measured).toEqual(['请', '先', '把', '水', '烧', '开', '。', 'שלום', ' ', 'ונשמה']);
  expect(widths).toEqual([1, 2, 3, 4, 5, 6, 7, 10, 9, 8]);
});

test('a line of 60,000 accents is set in runs of at most 500 characters', () => {
  const lines: PlacedItem[][] = [];
  const widthOf = () => 0;
  const filler = createLineFiller({ widthOf, widthMax: 100, endLine: (items) => lines.push(visualOrder(items)) });
  for (const chunk of chunksOf(`e${'\u0301'.repeat(60_000)}`)) filler.add(itemsIn(chunk));
  filler.end();
  const lengths = lines.flatMap((line) => merged(line, widthOf).map(({ text }) => text.length));
  expect(lengths.reduce((sum, length) => sum + length)).toBe(60_001);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(500);
});

test('a line of Thai ends between words', () => {
  expect(filled('ต้มน้ำก่อนแล้ว', 8).map((line) => line.join(''))).toEqual(['ต้มน้ำ', 'ก่อนแล้ว']);
});

test('a word that is wider than a line is broken, and no space begins a line', () => {
  expect(filled(`${'я'.repeat(7)} א`, 5).map((line) => line.join(''))).toEqual(['яяяяя', 'яя א']);
});

test.each([
  ['signs within Hebrew', { text: '?!', level: 1 }, '!?'],
  ['Arabic digits', { text: '۴۲', level: 2 }, '۲۴'],
  ['Hebrew letters', { text: 'אב', level: 1 }, 'אב'],
  ['the marks of Thai SARA AM', { text: 'น้ำ', level: 0 }, 'น\u0E4D\u0E49\u0E32'],
  ['an Arabic shadda and its vowel', { text: 'س\u064E\u0651', level: 1 }, 'س\u0651\u064E'],
])('%s are handed to fontkit in the order that it needs', (_, item, expected) => {
  expect(inLayoutOrder({ face: '', isSpace: false, mayBreakBefore: false, ...item })).toBe(expected);
});

test.each(['a'.repeat(200_000), 'אב '.repeat(60_000), '😀'.repeat(100_000)])(
  'a line of any length is cut without loss',
  (line) => {
    const chunks = chunksOf(line);
    expect(chunks.join('') === line).toBe(true);
    expect(chunks.every((chunk) => chunk.isWellFormed() && chunk.length <= 2_001)).toBe(true);
  },
);
