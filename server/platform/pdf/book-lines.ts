import { createRequire } from 'node:module';
import bidiFactory, { type Bidi } from 'bidi-js';
import type { Cluster } from './book-clusters.ts';
import { wordLengthMax } from './book-pieces.ts';

/** Text of one face and one direction, between two places at which a line may end. Odd levels run right to left (UAX 9). */
export type Item = { text: string; face: string; level: number; isSpace: boolean; mayBreakBefore: boolean };
/** An item with its width in points. */
export type PlacedItem = Item & { width: number };
export type Direction = 'ltr' | 'rtl';

/** `nextBreak` gives the next place at which a line may end (UAX 14), and null after the last one. */
type LineBreaker = { nextBreak(): { position: number } | null };
const require = createRequire(import.meta.url);
/** The package has no types of its own. */
const LineBreaker: new (text: string) => LineBreaker = require('linebreak');
/** Node.js loads the CommonJS build of the package, whose only export is this function. Its types describe the other build. */
const bidi = (bidiFactory as unknown as () => Bidi)();
/** Characters that are ordered in one go. Time and memory of the algorithm grow with them. */
export const chunkLength = 2_000;
/** Scripts without spaces between words, whose line breaks need a dictionary. */
const unspaced = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const thaiWords = new Intl.Segmenter('th', { granularity: 'word' });
/** Signs that stand at the end of a Thai word. */
const closesWord = /^[\u0E2F\u0E46]/;
/**
 * Orders of marks that fonts expect, and that NFC does not keep. HarfBuzz orders them the same way.
 * The ring of the Thai SARA AM stands below the marks before it. The Arabic hamza and shadda stand below vowels (UAX 53).
 */
const markOrders: readonly [RegExp, string][] = [
  [/(?<![\u0E31\u0E34-\u0E37\u0E47-\u0E4E])([\u0E31\u0E34-\u0E37\u0E47-\u0E4E]+)\u0E33/g, '\u0E4D$1\u0E32'],
  [/(?<![\u064B-\u0650\u0652\u0670])([\u064B-\u0650\u0652\u0670]+)\u0651/g, '\u0651$1'],
  [/(?<![\u064B-\u0652\u0670])([\u064B-\u0652\u0670]+)([\u0654\u0655])/g, '$2$1'],
];
const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}]/u;

/** Direction of the first letter outside of isolates (UAX 9, P2). */
export function directionOf(text: string): Direction {
  const [letter = ''] = /\p{L}/u.exec(text.replace(/[\u2066-\u2068][^\u2066-\u2069]*\u2069/g, '')) ?? [];
  return rightToLeft.test(letter) ? 'rtl' : 'ltr';
}

/** Cuts a long line between characters, so that each part can be ordered on its own. */
export function chunksOf(line: string): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < line.length; ) {
    let end = Math.min(at + chunkLength, line.length);
    const space = line.lastIndexOf(' ', end);
    if (end < line.length && space > at + chunkLength / 2) end = space + 1;
    else if (end < line.length && /[\uDC00-\uDFFF]/.test(line.charAt(end))) end += 1;
    chunks.push(line.slice(at, end));
    at = end;
  }
  return chunks.length === 0 ? [''] : chunks;
}

/** Joins the characters of a chunk into items. A line may end before each chunk. */
export function itemsOf(line: string, clusters: readonly Cluster[], direction: Direction): Item[] {
  const { levels } = bidi.getEmbeddingLevels(line, direction);
  const breaks = breaksIn(line);
  const items: Item[] = [];
  for (const { at, text, face, isSpace } of clusters) {
    const level = levels[at] ?? 0;
    const shown = level % 2 === 1 ? mirrored(text) : text;
    const last = items.at(-1);
    const mayBreakBefore = !last || breaks.has(at);
    const isSame = last?.face === face && last.level === level && last.isSpace === isSpace;
    if (last && isSame && !mayBreakBefore && last.text.length < wordLengthMax) last.text += shown;
    else items.push({ text: shown, face, level, isSpace, mayBreakBefore });
  }
  return items;
}

/** Brackets and the like, as they look from the other side (UAX 9, L4). */
function mirrored(text: string): string {
  return [...text].map((character) => bidi.getMirroredCharacter(character) ?? character).join('');
}

function breaksIn(line: string): Set<number> {
  const breaks = new Set<number>();
  const breaker = new LineBreaker(line);
  for (let next = breaker.nextBreak(); next; next = breaker.nextBreak()) breaks.add(next.position);
  for (const { 0: run, index } of line.matchAll(unspaced)) {
    for (const word of thaiWords.segment(run))
      if (word.index > 0 && !closesWord.test(word.segment)) breaks.add(index + word.index);
  }
  return breaks;
}

type Fill = { widthOf: (item: Item) => number; widthMax: number; endLine: (line: PlacedItem[]) => void };

/** Characters of a line. Marks have no width, so a line of them would never be full. */
const lineLengthMax = 1_000;

/** Fills lines with items, each measured once, and hands each line over when it is full. A word wider than a line is broken between characters. */
export function createLineFiller({ widthOf, widthMax, endLine }: Fill) {
  let line: PlacedItem[] = [];
  let width = 0;
  let length = 0;
  const placed = (item: Item): PlacedItem => ({ ...item, width: widthOf(item) });
  const end = () => {
    endLine(line);
    line = [];
    width = 0;
    length = 0;
  };
  const addPart = (part: readonly PlacedItem[], inked: number, whole: number) => {
    const isFull = width + inked > widthMax || length >= lineLengthMax;
    if (isFull && line.length > 0) end();
    line.push(...part);
    width += whole;
    length += part.reduce((total, { text }) => total + text.length, 0);
  };
  return {
    end,
    add(items: readonly Item[]) {
      for (const part of partsOf(items)) {
        const measured = part.map(placed);
        const lastInked = measured.findLastIndex(({ isSpace }) => !isSpace);
        const inked = sum(measured.slice(0, lastInked + 1).map((item) => item.width));
        const whole = inked + sum(measured.slice(lastInked + 1).map((item) => item.width));
        if (inked <= widthMax) addPart(measured, inked, whole);
        else
          for (const single of part.flatMap(singles).map(placed)) {
            addPart([single], single.isSpace ? 0 : single.width, single.width);
          }
      }
    },
  };
}

/** Items between two places at which a line may end. */
function* partsOf(items: readonly Item[]): Generator<Item[]> {
  let part: Item[] = [];
  for (const item of items) {
    if (item.mayBreakBefore && part.length > 0) {
      yield part;
      part = [];
    }
    part.push(item);
  }
  if (part.length > 0) yield part;
}

function singles(item: Item): Item[] {
  return graphemesOf(item.text).map((text) => ({ ...item, text }));
}

/** Items of a line from left to right (UAX 9, L1 and L2), without the spaces at its end. */
export function visualOrder<AnItem extends Item>(line: readonly AnItem[]): AnItem[] {
  const end = line.findLastIndex(({ isSpace }) => !isSpace) + 1;
  const ordered = line.slice(0, end);
  const levels = ordered.map(({ level }) => level);
  const lowestOdd = Math.min(...levels.filter((level) => level % 2 === 1), Number.POSITIVE_INFINITY);
  for (let level = Math.max(0, ...levels); level >= lowestOdd; level -= 1) {
    for (let at = 0; at < ordered.length; at += 1) {
      let last = at;
      while ((ordered[last]?.level ?? -1) >= level) last += 1;
      if (last > at) ordered.splice(at, last - at, ...ordered.slice(at, last).reverse());
      at = last;
    }
  }
  return ordered;
}

/**
 * Text of an item as fontkit needs it. fontkit lays out a run from right to left by its script, whatever the level.
 * Signs in a Hebrew text have no script, and Arabic digits run from left to right.
 */
export function inLayoutOrder({ text: written, level }: Item): string {
  if (written.length === 1) return written;
  const text = markOrders.reduce((words, [pattern, order]) => words.replace(pattern, order), written);
  const isRight = level % 2 === 1;
  return isRight === rightToLeft.test(text) ? text : graphemesOf(text).reverse().join('');
}

const graphemes = new Intl.Segmenter('en-GB', { granularity: 'grapheme' });

function graphemesOf(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
