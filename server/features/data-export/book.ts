import PDFDocument from 'pdfkit';
import { addFaces, type Face, face, runsOf } from './book-fonts.ts';

/** Points, 72 to the inch. */
const margins = { top: 62, bottom: 72, left: 56, right: 56 };
const textSize = 11;
const smallSize = 9;
const lineGap = 3.5;
const paragraphGap = 7;
/** From the top of a line to where its letters stand, in parts of their size: the same for all faces in a line. */
const baselineEm = 0.95;
/** How far the chapters of a part stand in, in the contents. */
const chapterIndent = 14;
const footerFromBottom = 44;
const quiet = '#6b645a';
const ink = '#24211c';

type Style = { size?: number; face?: Face; color?: string; align?: 'left' | 'center'; gapAfter?: number };

/** A line of the contents: what begins on which page, counted from 1. */
type Chapter = { title: string; page: number; isPart: boolean };

export type Book = Awaited<ReturnType<typeof openBook>>;

/** A small book on A5, whose pages stay open until its end, because only then the contents know their numbers. */
export async function openBook({ title, language }: { title: string; language: string }) {
  const book = new PDFDocument({
    size: 'A5',
    margins,
    bufferPages: true,
    autoFirstPage: false,
    lang: language,
    displayTitle: true,
    info: { Title: title },
  });
  await addFaces(book);
  const chapters: Chapter[] = [];
  const pageNumber = () => book.bufferedPageRange().count;
  const lineHeight = textSize + lineGap + paragraphGap;
  const linesPerPage = () => Math.floor((book.page.height - margins.top - margins.bottom) / lineHeight);

  /** Sets a text, line breaks and all. Gives false where a character of it could not be set. */
  function write(words: string, style: Style = {}): boolean {
    const { size = textSize, color = ink, align = 'left', gapAfter = paragraphGap } = style;
    const { runs, isWhole } = runsOf(words, style.face ?? face.text);
    book.fillColor(color).fontSize(size);
    for (const [index, run] of runs.entries()) {
      const continued = index < runs.length - 1;
      book.font(run.face).text(run.text, { align, lineGap, continued, baseline: -size * baselineEm });
    }
    // Not as a paragraph's gap, which would also follow each line that the writer broke.
    book.y += gapAfter;
    return isWhole;
  }

  return {
    content: book,
    write,
    quietly: (words: string) => write(words, { size: smallSize, color: quiet, face: face.italic }),
    space(points: number) {
      book.y += points;
    },

    titlePage(owner: string, lines: readonly string[]) {
      book.addPage();
      book.y = book.page.height / 3;
      for (const line of lines.slice(0, 1))
        write(line, { size: smallSize, color: quiet, align: 'center', gapAfter: 18 });
      write(owner, { size: 28, align: 'center', gapAfter: 18 });
      for (const line of lines.slice(1)) write(line, { face: face.italic, color: quiet, align: 'center' });
    },

    /** Keeps the pages that so many lines will need. */
    reserveContents(lines: number) {
      book.addPage();
      const more = Math.ceil((lines + 2) / linesPerPage()) - 1;
      for (let page = 0; page < more; page += 1) book.addPage();
    },

    /** A part, or a chapter of one, on a page of its own. */
    begin(chapterTitle: string, { isPart }: { isPart: boolean }): boolean {
      book.addPage();
      chapters.push({ title: chapterTitle, page: pageNumber(), isPart });
      book.outline.addItem(chapterTitle);
      return write(chapterTitle, { size: isPart ? 24 : 19, gapAfter: isPart ? 20 : 6 });
    },

    /** Puts a text beside the book, in the same file. */
    attach(name: string, words: string) {
      book.file(Buffer.from(words, 'utf8'), { name, type: 'text/plain' });
    },

    /** Writes the contents from this page on, and the numbers, and ends the book. */
    finish({ contentsPage }: { contentsPage: number }) {
      book.switchToPage(contentsPage - 1);
      book.y = margins.top;
      write('Contents', { size: 24, gapAfter: 14 });
      let current = contentsPage;
      for (const chapter of chapters) {
        if (book.y > book.page.height - margins.bottom - lineHeight) {
          current += 1;
          book.switchToPage(current - 1);
          book.y = margins.top;
        }
        writeContentsLine(chapter);
      }
      for (let page = 2; page <= pageNumber(); page += 1) writeNumber(page);
      book.flushPages();
      book.end();
    },
  };

  function writeContentsLine({ title: words, page, isPart }: Chapter): void {
    const { y } = book;
    const width = book.page.width - margins.left - margins.right;
    const { runs } = runsOf(words, isPart ? face.italic : face.text);
    book.fillColor(ink).fontSize(textSize);
    const [first = { text: '', face: face.text }] = runs;
    const shown = runs.length === 1 ? first : { text: runs.map(({ text }) => text).join(''), face: face.other };
    const indent = isPart ? 0 : chapterIndent;
    const baseline = -textSize * baselineEm;
    book.font(shown.face).text(shown.text, margins.left + indent, y, {
      width: width - indent - 40,
      baseline,
      height: textSize + lineGap,
      ellipsis: true,
      goTo: `page-${page}`,
    });
    book.font(face.text).text(String(page), margins.left, y, { width, align: 'right', baseline });
    book.x = margins.left;
    book.y = y + lineHeight;
  }

  function writeNumber(page: number): void {
    book.switchToPage(page - 1);
    book.addNamedDestination(`page-${page}`);
    // Text below the margin would begin another page.
    book.page.margins.bottom = 0;
    const width = book.page.width - margins.left - margins.right;
    const at = book.page.height - footerFromBottom;
    book
      .font(face.text)
      .fontSize(smallSize)
      .fillColor(quiet)
      .text(String(page), margins.left, at, { width, align: 'center' });
    book.page.margins.bottom = margins.bottom;
  }
}
