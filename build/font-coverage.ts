/**
 * Writes which characters each file of the script faces has, so that the server knows without opening one. Run
 * `npm run fonts` after a change of a font package.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { create } from 'fontkit';
import { isBookCharacter, isInvisible } from '#server/platform/pdf/coverage.ts';
import { type ScriptFace, scriptFaces } from '#server/platform/pdf/script-faces.ts';
import { unpackWoff } from '#server/platform/pdf/woff.ts';

type Coverage = Record<string, Record<string, string>>;

export const coverageFile = new URL('../server/platform/pdf/fonts/coverage.json', import.meta.url);
const require = createRequire(import.meta.url);

/** Reads the character maps of all files. Each character counts for the first file of a face that has it. */
export async function readCoverage(): Promise<Coverage> {
  const coverage: Coverage = {};
  for (const face of scriptFaces) {
    const seen = new Set<number>();
    const files: Record<string, string> = {};
    for (const file of await filesOf(face)) {
      const points = (await pointsIn(face.package, file)).filter((point) => !seen.has(point));
      for (const point of points) seen.add(point);
      if (points.length > 0) files[file] = rangesOf(points);
    }
    coverage[face.package] = files;
  }
  return coverage;
}

function folderOf(family: string): string {
  return path.dirname(require.resolve(`@fontsource/${family}/package.json`));
}

async function filesOf(face: ScriptFace): Promise<readonly string[]> {
  if (face.files !== 'numbered') return face.files;
  const names = await readdir(path.join(folderOf(face.package), 'files'));
  const numbers = names.flatMap((name) => /-(\d+)-400-normal\.woff$/.exec(name)?.[1] ?? []);
  return numbers.toSorted((one, other) => Number(one) - Number(other));
}

async function pointsIn(family: string, file: string): Promise<number[]> {
  const bytes = await readFile(path.join(folderOf(family), `files/${family}-${file}-400-normal.woff`));
  const font = create(unpackWoff(bytes));
  if (!('characterSet' in font)) throw new Error(`${family}-${file} is a collection of fonts.`);
  return [...new Set(font.characterSet)].filter(isCounted).toSorted((one, other) => one - other);
}

/** Characters for which the faces of the book are not enough. */
function isCounted(point: number): boolean {
  const character = String.fromCodePoint(point);
  const isBlank = /\s/.test(character) && character !== '\u3000';
  return !isBlank && !isInvisible(character) && !isBookCharacter(character) && !/\p{Co}|\p{Cn}/u.test(character);
}

/** Ranges in hexadecimal: `4e00-4e03,4e07`. `points` ascend. */
function rangesOf(points: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const point of points) {
    const last = ranges.at(-1);
    if (last && point === last[1] + 1) last[1] = point;
    else ranges.push([point, point]);
  }
  const hex = (point: number) => point.toString(16);
  return ranges.map(([from, to]) => (from === to ? hex(from) : `${hex(from)}-${hex(to)}`)).join(',');
}

if (import.meta.main) await writeFile(coverageFile, `${JSON.stringify(await readCoverage(), null, 2)}\n`);
