import type PDFDocument from 'pdfkit';
import { clustersOf, faceOrder } from './book-clusters.ts';
import { baselineEm, face } from './book-fonts.ts';
import {
  chunksOf,
  createLineFiller,
  type Direction,
  directionOf,
  type Item,
  inLayoutOrder,
  itemsOf,
  type PlacedItem,
  visualOrder,
} from './book-lines.ts';
import { runLengthMax } from './book-pieces.ts';
import { createScriptFonts } from './book-script-fonts.ts';
import type { HanForms } from './han-forms.ts';
import { emojiFace, tallFaces } from './script-faces.ts';

type Document = typeof PDFDocument.prototype;
export type ScriptStyle = { size: number; face: string; color: string; align: 'left' | 'center'; lineGap: number };
type Filling = { size: number; face: string; direction: Direction; width: number };
type Place = { left: number; width: number; breaksPage?: false };

/** Emoji of the face are larger than letters of the same size. */
const emojiScale = 0.9;
/** More room above and below the letters of a tall face, in parts of their size. */
const tallEm = { above: 0.15, below: 0.1 };

/**
 * Sets texts in other scripts, emoji and right-to-left text. pdfkit sets a line in one face from left to right. So
 * lines are broken and ordered here, and pdfkit places each item. `afterPage` runs when a text continues on a new
 * page.
 */
export function createScriptText(document: Document, afterPage: () => void) {
  let ofBook: HanForms | null = null;
  let nearby: HanForms | null = null;
  const selectFace = createScriptFonts(document);

  function use({ face: name }: Item, size: number): void {
    selectFace(name);
    document.fontSize(name.startsWith(emojiFace) ? size * emojiScale : size);
  }

  function widthOf(item: Item, size: number): number {
    use(item, size);
    return document.widthOfString(inLayoutOrder(item));
  }

  /** Height of a line of Latin letters. */
  function plainHeight({ size, lineGap }: ScriptStyle): number {
    return document.font(face.text).fontSize(size).currentLineHeight(true) + lineGap;
  }

  /** Sets a line and moves below it, on a new page if this one is full. */
  function setLine(line: readonly PlacedItem[], place: Place, style: ScriptStyle, direction: Direction): void {
    const { size, align } = style;
    const { left, width } = place;
    const isTall = line.some((item) => tallFaces.includes(item.face.split('/')[0] ?? ''));
    const [above, below] = isTall ? [tallEm.above * size, tallEm.below * size] : [0, 0];
    const height = above + plainHeight(style) + below;
    const { margins, height: pageHeight } = document.page;
    if (place.breaksPage !== false && document.y + height - style.lineGap > pageHeight - margins.bottom) {
      document.addPage();
      afterPage();
    }
    const ordered = merged(visualOrder(line), (item) => widthOf(item, size));
    const room = width - ordered.reduce((total, item) => total + item.width, 0);
    let x = left + (align === 'center' ? room / 2 : direction === 'rtl' ? room : 0);
    const { y } = document;
    document.fillColor(style.color);
    const baseline = -size * baselineEm - above;
    for (const item of ordered) {
      use(item, size);
      document.text(inLayoutOrder(item), x, y, { lineBreak: false, baseline });
      x += item.width;
    }
    document.x = left;
    document.y = y + height;
  }

  function wholeWidth(): Place {
    const { margins, width } = document.page;
    return { left: margins.left, width: width - margins.left - margins.right };
  }

  /** Sets a text with its line breaks. Returns false if no face has one of its characters. */
  function write(text: string, style: ScriptStyle, direction: Direction, place: Place = wholeWidth()): boolean {
    return fill(text, { ...style, direction, width: place.width }, (line) => setLine(line, place, style, direction));
  }

  /** Fills lines of a width with a text. Returns false if no face has one of its characters. */
  function fill(
    text: string,
    { size, face: wanted, direction, width }: Filling,
    endLine: (line: PlacedItem[]) => void,
  ) {
    const lost = { isLost: false };
    const order = faceOrder(text, nearby);
    for (const line of text.split('\n')) {
      const filler = createLineFiller({ widthOf: (item) => widthOf(item, size), widthMax: width, endLine });
      for (const chunk of chunksOf(line)) filler.add(itemsOf(chunk, clustersOf(chunk, wanted, order, lost), direction));
      filler.end();
    }
    return !lost.isLost;
  }

  /** Sets a text in one line, with an ellipsis if it is longer. Returns false if no face has one of its characters. */
  function writeLine(text: string, style: ScriptStyle, { left, width }: Place): boolean {
    const direction = directionOf(text);
    const lines: PlacedItem[][] = [];
    const isWhole = fill(text, { ...style, direction, width }, (line) => lines.push(line));
    const [first = []] = lines;
    const level = direction === 'rtl' ? 1 : 0;
    const more = { text: '…', face: face.text, level, isSpace: false, mayBreakBefore: false };
    if (lines.length > 1) first.push({ ...more, width: widthOf(more, style.size) });
    // On the left also from right to left, beside the numbers of the pages.
    setLine(first, { left, width, breaksPage: false }, style, 'ltr');
    return isWhole;
  }

  return {
    write,
    writeLine,
    /** Sets the Han forms of chapters that do not tell their language. */
    startBook(forms: HanForms | null = null) {
      ofBook = forms;
      nearby = forms;
    },
    /** Returns the Han forms of the next texts that do not tell their language: those of their chapter, or of the book. */
    startChapter(forms: HanForms | null = null): HanForms | null {
      nearby = forms ?? ofBook;
      return nearby;
    },
  };
}

/**
 * Joins neighbours of one face that run from left to right, so that a program that reads the file finds their words. A run has
 * at most 500 characters, because fontkit searches the whole run for the letter of each mark.
 */
export function merged(items: readonly PlacedItem[], widthOf: (item: Item) => number): PlacedItem[] {
  const runs: PlacedItem[][] = [];
  let length = 0;
  for (const item of items) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    length += item.text.length;
    const isAlike = last?.face === item.face && last.level % 2 === 0 && item.level % 2 === 0;
    if (run && isAlike && length <= runLengthMax) run.push(item);
    else {
      runs.push([item]);
      length = item.text.length;
    }
  }
  return runs.flatMap(([first, ...others]) => {
    if (!first || others.length === 0) return first ?? [];
    const joined = { ...first, text: [first, ...others].map(({ text }) => text).join(''), isSpace: false };
    return { ...joined, width: widthOf(joined) };
  });
}
