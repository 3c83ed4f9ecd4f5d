import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { create, type Font, type GlyphRun } from 'fontkit';
import type PDFDocument from 'pdfkit';
import { isInvisible } from './coverage.ts';
import { unpackWoff } from './woff.ts';

type Document = typeof PDFDocument.prototype;
/** Parts of pdfkit that its types leave out. `layoutCache` holds the layout of each word. */
type Kept = { layoutCache: Record<string, unknown> };
type Internals = { registerFont(name: string, font: Font): void; _font: Kept };

/** Glyphs of the layouts that are kept. pdfkit would keep the layout of every word until the end of the book. */
const glyphsMax = 40_000;

const require = createRequire(import.meta.url);

/** Gives a document the files of script faces, each when its first character is set. */
export function createScriptFonts(document: Document) {
  const opened = new Map<string, Kept>();
  let glyphs = 0;
  const internals = document as unknown as Internals;

  function countGlyphs(more: number): void {
    glyphs += more;
    if (glyphs <= glyphsMax) return;
    glyphs = more;
    for (const font of opened.values()) font.layoutCache = {};
  }

  /** Makes a face the current one of the document. */
  return function select(name: string): void {
    const [face = '', file] = name.split('/');
    // The faces of every book have no files of their own.
    const isNew = file !== undefined && !opened.has(name);
    if (isNew) internals.registerFont(name, readFont(face, file, countGlyphs));
    document.font(name);
    if (isNew) opened.set(name, internals._font);
  };
}

function readFont(face: string, file: string, onLayout: (glyphs: number) => void): Font {
  const folder = path.dirname(require.resolve(`@fontsource/${face}/package.json`));
  const font = create(unpackWoff(readFileSync(path.join(folder, `files/${face}-${file}-400-normal.woff`))));
  if (!('layout' in font)) throw new Error(`${face} ${file} is a collection of fonts.`);
  const layout = font.layout.bind(font);
  font.layout = (text: string) => {
    const run = withoutMarks(layoutOf(layout, text));
    onLayout(run.glyphs.length);
    return run;
  };
  return font;
}

/** Features of OpenType that attach marks to letters. */
const marks = { mark: false, mkmk: false, abvm: false, blwm: false };

/** fontkit fails if a mark may stand on a letter and the font has no place for it. Then marks keep their own place. */
function layoutOf(layout: Font['layout'], text: string): GlyphRun {
  try {
    return layout(text);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return layout(text, marks);
  }
}

/** Takes out joiners and selectors that no ligature has used: fonts show a box for some of them. */
function withoutMarks(run: GlyphRun): GlyphRun {
  for (let at = run.glyphs.length - 1; at >= 0; at -= 1) {
    const { codePoints = [] } = run.glyphs[at] ?? {};
    if (codePoints.length === 0 || !codePoints.every((point) => isInvisible(String.fromCodePoint(point)))) continue;
    run.glyphs.splice(at, 1);
    run.positions.splice(at, 1);
  }
  return run;
}
