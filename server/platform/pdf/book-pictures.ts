import type PDFDocument from 'pdfkit';
import { paragraphGap } from './book-pieces.ts';
import { embeddable, readPlainPng } from './plain-png.ts';

type Document = typeof PDFDocument.prototype;
type Margins = { top: number; bottom: number; left: number; right: number };

/** Sets pictures, each under a name of its own. */
export function createPictures(book: Document, margins: Margins) {
  let count = 0;

  return (bytes: Buffer): boolean => {
    count += 1;
    return setPicture(book, margins, bytes, `Png${count}`);
  };
}

/** Puts a JPEG or a plain PNG into the document as it is. Other pictures would have to be decoded, and are refused. */
function setPicture(book: Document, margins: Margins, bytes: Buffer, label: string): boolean {
  try {
    const picture = openPicture(book, bytes, label);
    if (!picture) return false;
    // Photographs that were kept as they were taken may lie on their side.
    const isTurned = (picture.orientation ?? 1) >= firstTurned;
    const [wide, tall] = isTurned ? [picture.height, picture.width] : [picture.width, picture.height];
    const widthMax = book.page.width - margins.left - margins.right;
    const heightMax = (book.page.height - margins.top - margins.bottom) / 2;
    const scale = Math.min(1, widthMax / wide, heightMax / tall);
    const [width, height] = [wide * scale, tall * scale];
    if (!(width > 0 && height > 0)) return false;
    if (book.y + height > book.page.height - margins.bottom) book.addPage();
    const { y } = book;
    book.image(picture, margins.left, y, { fit: [width, height] });
    book.x = margins.left;
    book.y = y + height + paragraphGap;
    return true;
  } catch {
    return false;
  }
}

/** Orientations of Exif (JEITA CP-3451) from here on turn a picture by a quarter. */
const firstTurned = 5;

/** ITU-T T.81 §B.1.1.3. */
const startOfJpeg = 0xff_d8;

function isJpeg(bytes: Buffer): boolean {
  return bytes.length >= 4 && bytes.readUInt16BE(0) === startOfJpeg;
}

/** Null for anything but a JPEG or a plain PNG. `label` is unique in the document. */
function openPicture(book: Document, bytes: Buffer, label: string) {
  if (isJpeg(bytes)) return book.openImage(bytes);
  const png = readPlainPng(bytes);
  return png && embeddable(png, label);
}
