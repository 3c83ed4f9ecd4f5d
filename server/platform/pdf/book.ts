import PDFDocument from 'pdfkit';
import { addFaces, baselineEm, type Face, face, runsOf } from './book-fonts.ts';
import { directionOf } from './book-lines.ts';
import { createPages } from './book-pages.ts';
import { createPictures } from './book-pictures.ts';
import { paragraphGap, piecesOf, shortRuns } from './book-pieces.ts';
import { createScriptText } from './book-script-text.ts';
import { composed, isPlain } from './coverage.ts';
import type { HanForms } from './han-forms.ts';

/** Margins and sizes of letters in points, 72 to the inch. */
const layouts = {
  A5: { margins: { top: 62, bottom: 72, left: 56, right: 56 }, textSize: 11, smallSize: 9 },
  A4: { margins: { top: 74, bottom: 80, left: 92, right: 92 }, textSize: 12.5, smallSize: 10.5 },
};
export type PageSize = keyof typeof layouts;
const lineGap = 3.5;
/** Lines of the contents beside the chapters: the heading, and the note. */
const contentsExtraLines = 5;
const contentsFile = 'contents.txt';
const contentsNote = `Some characters cannot be shown here. The contents are attached to this file as ${contentsFile}, complete.`;
/** Indent of a part's chapters in the contents. */
const chapterIndent = 14;
const factLabelWidth = 100;
const footerFromBottom = 44;
const quiet = '#6b645a';
const ink = '#24211c';

type Style = { size?: number; face?: Face; color?: string; align?: 'left' | 'center'; gapAfter?: number };

/** A line of the contents: what begins on which page, counted from 1. */
type Chapter = { title: string; page: number; isPart: boolean; hanForms: HanForms | null };

export type Book = Awaited<ReturnType<typeof openBook>>;

/** `contentsPage`: page of the contents, counted from 1. Null for a book without contents. */
export type Opening = { title: string; language: string; size: PageSize; contentsPage: number | null };
/** Forms of Han characters that the texts of a part tell together. Null if they don't tell. */
type Nearby = { hanForms?: HanForms | null };

/** A book. Each page ends when the next one begins; only the pages of the contents stay open until the end. */
export async function openBook({ contentsPage, ...opening }: Opening) {
  const { size: pageSize } = opening;
  const { margins, textSize, smallSize } = layouts[pageSize];
  const book = await openDocument(opening);
  const chapters: Chapter[] = [];
  const pages = createPages(book, { size: smallSize, color: quiet, fromBottom: footerFromBottom }, contentsPage ?? 1);
  const scripts = createScriptText(book, pages.endFull);
  const { write, pieces } = createWriter(book, scripts, { textSize, afterPiece: pages.endFull });

  return {
    /** Bytes of the PDF that are ready, each handed out once. */
    takeBytes: pages.takeBytes,
    write,
    /** Number of pieces of text that were set, each in one go. */
    pieces,
    quietly: (words: string) => write(words, { size: smallSize, color: quiet, face: face.italic }),
    /** Sets a label with words beside it. Returns false if a character could not be set. */
    fact: (label: string, words: string) => writeFact(book, layouts[pageSize], { label, words }, scripts),
    space(points: number) {
      book.y += points;
    },

    /** Sets a JPEG or a plain PNG, as wide as the text or less. Gives false where it is neither. */
    picture: createPictures(book, margins),

    titlePage(owner: string, lines: readonly string[], { hanForms }: Nearby): boolean {
      scripts.startBook(hanForms);
      book.addPage().y = book.page.height / 3;
      const set = titleLines(owner, lines, smallSize).map(({ words, ...style }) => write(words, style));
      return set.every(Boolean);
    },

    /** Keeps the pages that so many lines will need. */
    reserveContents(lines: number) {
      pages.reserve();
      const perPage = Math.floor((book.page.height - margins.top - margins.bottom) / lineHeightOf(textSize));
      const more = Math.ceil((lines + contentsExtraLines) / perPage) - 1;
      for (let page = 0; page < more; page += 1) pages.reserve();
    },

    /** A part, or a chapter of one, on a page of its own. */
    begin(chapterTitle: string, { isPart, hanForms }: { isPart: boolean } & Nearby): boolean {
      book.addPage();
      chapters.push({ title: chapterTitle, page: pages.count(), isPart, hanForms: scripts.startChapter(hanForms) });
      // The contents lead to it by this name.
      book.addNamedDestination(`page-${pages.count()}`);
      book.outline.addItem(chapterTitle);
      return write(chapterTitle, { size: isPart ? 24 : 19, gapAfter: isPart ? 20 : 6 });
    },

    /** Puts a text beside the book, in the same file. */
    attach: (name: string, words: string) => void book.file(Buffer.from(words, 'utf8'), { name, type: 'text/plain' }),

    /** Writes the contents on the pages that were kept for them, and ends the book. */
    finish() {
      if (contentsPage !== null) {
        pages.turnToReserved(0);
        write('Contents', { size: 24, gapAfter: 14 });
        if (!writeChapters(book, layouts[pageSize], chapters, { scripts, turnTo: pages.turnToReserved })) {
          this.attach(contentsFile, textOf(chapters));
          this.quietly(contentsNote);
        }
      }
      pages.end();
    },
  };
}

function writeFact(
  book: Document,
  { margins, textSize }: Layout,
  { label, words }: { label: string; words: string },
  scripts: ScriptText,
): boolean {
  const { y } = book;
  const style = { size: textSize, face: face.text, color: ink, align: 'left', lineGap } as const;
  scripts.write(label, { ...style, color: quiet }, 'ltr', { left: margins.left, width: factLabelWidth });
  const labelEndsAt = book.y;
  book.y = y;
  const left = margins.left + factLabelWidth;
  const place = { left, width: book.page.width - margins.right - left };
  const isWhole = scripts.write(composed(words).toWellFormed(), style, 'ltr', place);
  book.x = margins.left;
  book.y = Math.max(book.y, labelEndsAt) + paragraphGap;
  return isWhole;
}

/** Lines of a title page: the first above the owner's name, the others below it. */
function titleLines(owner: string, [first, ...others]: readonly string[], smallSize: number) {
  const centred = { color: quiet, align: 'center' } as const;
  return [
    ...(first === undefined ? [] : [{ ...centred, words: first, size: smallSize, gapAfter: 18 }]),
    { words: owner, size: 28, align: 'center', gapAfter: 18 } as const,
    ...others.map((words) => ({ ...centred, words, face: face.italic })),
  ];
}

function textOf(chapters: readonly Chapter[]): string {
  return chapters.map(({ title, page }) => `${title}\t${page}\n`).join('');
}

type Document = typeof PDFDocument.prototype;
type ScriptText = ReturnType<typeof createScriptText>;
type Writing = { textSize: number; afterPiece: () => void };

/** Sets texts, and counts the pieces that are set in one go. */
function createWriter(book: Document, scripts: ScriptText, { textSize, afterPiece }: Writing) {
  let pieces = 0;

  /** Sets a text with its line breaks. Returns false if a character of it could not be set. */
  function write(words: string, style: Style = {}): boolean {
    const { size = textSize, color = ink, align = 'left', gapAfter = paragraphGap } = style;
    const set = { align, lineGap, baseline: -size * baselineEm };
    let isAllWhole = true;
    const text = composed(words).toWellFormed();
    const direction = directionOf(text);
    for (const piece of piecesOf(text)) {
      const wanted = style.face ?? face.text;
      if (isPlain(piece)) writePlain(piece, { ...set, color, size, wanted });
      else if (!scripts.write(piece, { face: wanted, size, color, align, lineGap }, direction)) isAllWhole = false;
      pieces += 1;
      afterPiece();
    }
    // Not as a paragraph's gap, which would also follow each line that the writer broke.
    book.y += gapAfter;
    return isAllWhole;
  }

  function writePlain(piece: string, { color, size, wanted, ...set }: PlainStyle): void {
    const short = runsOf(piece, wanted).flatMap((run) => shortRuns(run.text).map((text) => ({ ...run, text })));
    book.fillColor(color).fontSize(size);
    for (const [index, run] of short.entries())
      book.font(run.face).text(run.text, { ...set, continued: index < short.length - 1 });
  }

  return { write, pieces: () => pieces };
}

type PlainStyle = {
  color: string;
  size: number;
  wanted: Face;
  align: 'left' | 'center';
  lineGap: number;
  baseline: number;
};

async function openDocument({ title, language, size }: Omit<Opening, 'contentsPage'>) {
  const document = new PDFDocument({
    size,
    margins: layouts[size].margins,
    autoFirstPage: false,
    lang: language,
    displayTitle: true,
    info: { Title: title },
  });
  await addFaces(document);
  return document;
}

type Layout = (typeof layouts)[PageSize];

function lineHeightOf(textSize: number): number {
  return textSize + lineGap + paragraphGap;
}

/** Writes the lines of the contents on as many pages as they need. Returns false if a character could not be set. */
function writeChapters(
  book: typeof PDFDocument.prototype,
  layout: Layout,
  chapters: readonly Chapter[],
  { scripts, turnTo }: { scripts: ScriptText; turnTo: (index: number) => void },
): boolean {
  const { margins, textSize } = layout;
  let current = 0;
  let isWhole = true;
  for (const chapter of chapters) {
    if (book.y > book.page.height - margins.bottom - lineHeightOf(textSize)) {
      current += 1;
      turnTo(current);
    }
    if (!writeContentsLine(book, layout, chapter, scripts)) isWhole = false;
  }
  return isWhole;
}

function writeContentsLine(
  book: typeof PDFDocument.prototype,
  { margins, textSize }: Layout,
  { title: words, page, isPart, hanForms }: Chapter,
  scripts: ScriptText,
): boolean {
  const { y } = book;
  const width = book.page.width - margins.left - margins.right;
  const indent = isPart ? 0 : chapterIndent;
  const baseline = -textSize * baselineEm;
  const place = { left: margins.left + indent, width: width - indent - 40 };
  const wanted = isPart ? face.italic : face.text;
  const goTo = `page-${page}`;
  let isWhole = true;
  book.fillColor(ink).fontSize(textSize);
  if (isPlain(words)) {
    const [first = { text: '', face: face.text }, ...others] = runsOf(words, wanted);
    const shown = others.length === 0 ? first : { text: words, face: face.other };
    const line = { width: place.width, height: textSize + lineGap, ellipsis: true };
    book.font(shown.face).text(shown.text, place.left, y, { ...line, baseline, goTo });
  } else {
    scripts.startChapter(hanForms);
    isWhole = scripts.writeLine(words, { face: wanted, size: textSize, color: ink, align: 'left', lineGap }, place);
    book.goTo(place.left, y, place.width, textSize + lineGap, goTo);
    book.fillColor(ink).fontSize(textSize);
  }
  book.font(face.text).text(String(page), margins.left, y, { width, align: 'right', baseline });
  book.x = margins.left;
  book.y = y + lineHeightOf(textSize);
  return isWhole;
}
