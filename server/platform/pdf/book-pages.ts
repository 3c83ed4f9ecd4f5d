import type PDFDocument from 'pdfkit';
import { face } from './book-fonts.ts';

type Document = typeof PDFDocument.prototype;
type Page = Document['page'];
type Footer = { size: number; color: string; fromBottom: number };
/** The parts of a document and a page that pdfkit's types leave out. */
type Parts = { _pageBuffer: Page[] };
type Ending = { end(): void };

/** Pages of one book. A text of 100,000 lines has 3,400 of A5. */
export const pagesMax = 10_000;

/** The book has more pages than a book may have. */
export class TooManyPagesError extends Error {
  override readonly name = 'TooManyPagesError';
}

/**
 * Pages of a document. `endFull` numbers each page that is full and writes it out, so that only the last page and the
 * reserved ones stay in memory.
 */
export function createPages(document: Document, footer: Footer, numberedFrom: number) {
  let count = 0;
  let isReserving = false;
  const open: { page: Page; number: number }[] = [];
  const reserved: { page: Page; number: number }[] = [];
  const ready: Uint8Array[] = [];
  document.on('pageAdded', () => {
    count += 1;
    if (count > pagesMax) throw new TooManyPagesError(`A book has at most ${pagesMax} pages.`);
    (isReserving ? reserved : open).push({ page: document.page, number: count });
    // pdfkit would end a page as soon as the next one begins, before it has a number.
    (document as unknown as Parts)._pageBuffer.length = 0;
  });

  function endPage({ page, number }: { page: Page; number: number }): void {
    document.page = page;
    if (number >= numberedFrom) writeNumber(document, footer, number);
    (page as unknown as Ending).end();
    keepBytes();
  }

  /** Small copies: pdfkit's own pieces of a page each keep 16 kB. */
  function keepBytes(): void {
    const bytes = document.read() as Buffer | null;
    if (bytes) ready.push(new Uint8Array(bytes));
  }

  return {
    count: () => count,

    /** Ends all pages before the last one. No text may be `continued` at this time. */
    endFull(): void {
      if (open.length < 2) return;
      const { page, x, y } = document;
      for (const full of open.splice(0, open.length - 1)) endPage(full);
      Object.assign(document, { page, x, y });
    },

    /** Adds a page that stays open until the end. */
    reserve(): void {
      isReserving = true;
      document.addPage();
      isReserving = false;
    },

    /** Goes on at the top of a reserved page, counted from 0. */
    turnToReserved(index: number): void {
      const kept = reserved[index];
      if (!kept) throw new RangeError(`${reserved.length} pages are reserved.`);
      document.page = kept.page;
      document.y = kept.page.margins.top;
    },

    end(): void {
      for (const last of [...open.splice(0), ...reserved.splice(0)]) endPage(last);
      document.end();
      keepBytes();
    },

    /** Bytes that are ready. Each is handed out once. */
    takeBytes: () => ready.splice(0),
  };
}

/** The number of a page at its foot. */
function writeNumber(document: Document, { size, color, fromBottom }: Footer, page: number): void {
  const { margins, width, height } = document.page;
  // Text below the margin would begin another page.
  margins.bottom = 0;
  document
    .font(face.text)
    .fontSize(size)
    .fillColor(color)
    .text(String(page), margins.left, height - fromBottom, {
      width: width - margins.left - margins.right,
      align: 'center',
    });
}
