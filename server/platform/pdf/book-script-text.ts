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
  visualOrder,
} from './book-lines.ts';
import { createScriptFonts } from './book-script-fonts.ts';
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
  function setLine(line: readonly Item[], place: Place, style: ScriptStyle, direction: Direction): void {
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
    const ordered = merged(visualOrder(line));
    const room = width - ordered.reduce((total, item) => total + widthOf(item, size), 0);
    let x = left + (align === 'center' ? room / 2 : direction === 'rtl' ? room : 0);
    const { y } = document;
    const baseline = -size * baselineEm - above;
    for (const item of ordered) {
      const words = inLayoutOrder(item);
      const itemWidth = widthOf(item, size);
      document.fillColor(style.color).text(words, x, y, { lineBreak: false, baseline });
      x += itemWidth;
    }
    document.x = left;
    document.y = y + height;
  }

  /** Sets a text with its line breaks. Returns false if no face has one of its characters. */
  function write(text: string, style: ScriptStyle, direction: Direction): boolean {
    const { margins, width: pageWidth } = document.page;
    const place = { left: margins.left, width: pageWidth - margins.left - margins.right };
    return fill(text, { ...style, direction, width: place.width }, (line) => setLine(line, place, style, direction));
  }

  /** Fills lines of a width with a text. Returns false if no face has one of its characters. */
  function fill(text: string, { size, face: wanted, direction, width }: Filling, endLine: (line: Item[]) => void) {
    const lost = { isLost: false };
    const order = faceOrder(text);
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
    const lines: Item[][] = [];
    const isWhole = fill(text, { ...style, direction, width }, (line) => lines.push(line));
    const [first = []] = lines;
    const level = direction === 'rtl' ? 1 : 0;
    if (lines.length > 1) first.push({ text: '…', face: face.text, level, isSpace: false, mayBreakBefore: false });
    // On the left also from right to left, beside the numbers of the pages.
    setLine(first, { left, width, breaksPage: false }, style, 'ltr');
    return isWhole;
  }

  return { write, writeLine };
}

/** Joins neighbours of one face that run from left to right, so that a program that reads the file finds their words. */
function merged(items: readonly Item[]): Item[] {
  const joined: Item[] = [];
  for (const item of items) {
    const last = joined.at(-1);
    if (last && last.face === item.face && last.level % 2 === 0 && item.level % 2 === 0)
      joined[joined.length - 1] = { ...last, text: last.text + item.text, isSpace: false };
    else joined.push(item);
  }
  return joined;
}
