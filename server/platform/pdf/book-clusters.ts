import { face } from './book-fonts.ts';
import { type FaceFile, fileWith, inOther, inText, isInvisible } from './coverage.ts';
import { type HanForms, hanFormsOf } from './han-forms.ts';
import { emojiFace, japaneseFace, scriptFaces } from './script-faces.ts';

/** A character as people see it, with the face that shows it. `at`: its place in the text. */
export type Cluster = { at: number; text: string; face: string; isSpace: boolean };

/** Stands for a character that no face has. */
const unknownCharacter = '\u25A1';
const graphemes = new Intl.Segmenter('en-GB', { granularity: 'grapheme' });
/** UTF-16 units of a character with its marks. Emoji of a family have up to 25. */
const clusterLengthMax = 40;
/** Joiners that shape the letters beside them. */
const joiners = /[\u200C\u200D]/;
const isEmoji = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|\p{Regional_Indicator}|^[0-9#*]\uFE0F?\u20E3$/u;

/** Splits a line into characters, each with a face. Adds to `lost` if no face has one. */
export function clustersOf(line: string, wanted: string, order: readonly string[], lost: { isLost: boolean }) {
  const clusters: Cluster[] = [];
  for (const { segment, index } of graphemes.segment(line)) {
    if (/^\s+$/.test(segment) && segment !== '\u3000') {
      clusters.push({ at: index, text: ' ', face: wanted, isSpace: true });
      continue;
    }
    const found = segment.length <= clusterLengthMax ? faceOf(segment, wanted, order) : null;
    if (found) {
      const text = found === fileName({ face: emojiFace, file: 'emoji' }) ? segment : shown(segment);
      if (text !== '') clusters.push({ at: index, text, face: found, isSpace: false });
    } else clusters.push(...partsOf(segment, index, { wanted, order, lost }));
  }
  return withWholeWords(clusters, wanted);
}

const faces = scriptFaces.map((each) => each.package);
const orders: Record<HanForms, readonly string[]> = {
  japanese: [japaneseFace, ...faces.filter((name) => name !== japaneseFace)],
  chinese: faces,
};

/**
 * Order in which a text tries the script faces: Japanese and Chinese write some of their characters differently. `nearby`: forms that
 * the texts around it tell, for a text that does not tell its language.
 */
export function faceOrder(text: string, nearby: HanForms | null): readonly string[] {
  return orders[hanFormsOf([text]) ?? nearby ?? 'chinese'];
}

/** Name by which the document knows a file of a face. */
export function fileName(file: FaceFile): string {
  return `${file.face}/${file.file}`;
}

type Search = { wanted: string; order: readonly string[]; lost: { isLost: boolean } };

/** Face of a character whose parts all stand in one file; null if there is none. */
function faceOf(cluster: string, wanted: string, order: readonly string[]): string | null {
  const characters = [...cluster].filter((character) => !isInvisible(character));
  if (characters.length === 0) return wanted;
  const isIn = (pattern: RegExp) => characters.every((character) => pattern.test(character));
  if (isEmoji.test(cluster) && !isIn(inText)) {
    const found = fileFor(emojiFace, characters);
    if (found) return found;
  }
  if (isIn(inText)) return wanted;
  if (isIn(inOther)) return face.other;
  for (const name of order) {
    const found = fileFor(name, characters);
    if (found) return found;
  }
  return null;
}

function fileFor(name: string, characters: readonly string[]): string | null {
  const files = new Set<string>();
  for (const character of characters) {
    // Digits of keycaps stand in the face of the emoji as well.
    if (name === emojiFace && /[0-9#*]/.test(character)) continue;
    const file = fileWith(name, character);
    if (!file) return null;
    files.add(fileName(file));
  }
  const [only = null] = files;
  return files.size === 1 ? only : null;
}

/** Parts of a character that no face has as a whole. */
function partsOf(segment: string, index: number, { wanted, order, lost }: Search): Cluster[] {
  const parts: Cluster[] = [];
  let at = index;
  for (const character of segment) {
    const found = faceOf(character, wanted, order);
    if (!found) lost.isLost = true;
    const text = found ? shown(character) : unknownCharacter;
    if (text !== '') parts.push({ at, text, face: found ?? face.other, isSpace: false });
    at += character.length;
  }
  return parts;
}

/** Leaves out marks that are not to be seen, except the joiners that shape letters. */
function shown(cluster: string): string {
  return [...cluster].filter((character) => joiners.test(character) || !isInvisible(character)).join('');
}

/** Gives a word one face, down to its full stop: letters of two in one word look like a mistake. */
function withWholeWords(clusters: Cluster[], wanted: string): Cluster[] {
  let start = 0;
  const isLatin = (cluster: Cluster | undefined) =>
    cluster !== undefined && !cluster.isSpace && (cluster.face === wanted || cluster.face === face.other);
  for (let at = 0; at <= clusters.length; at += 1) {
    if (isLatin(clusters[at])) continue;
    const word = clusters.slice(start, at);
    if (word.some((each) => each.face === face.other))
      for (const each of word) if ([...each.text].every((character) => inOther.test(character))) each.face = face.other;
    start = at + 1;
  }
  return clusters;
}
