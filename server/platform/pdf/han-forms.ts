/** Forms of the characters that Japanese and Chinese share in Unicode but write differently. */
export type HanForms = 'japanese' | 'chinese';

/** Characters of a text that are counted. A longer text has told its language by then. */
export const sampleLength = 5_000;

const han = /\p{Script=Han}/u;
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const bopomofo = /\p{Script=Bopomofo}/gu;

type Range = readonly [first: number, last: number];
type CharacterSet = { encoding: string; rows: Range; cells: readonly Range[] };

/** JIS X 0208, with the characters of names that NEC and IBM added. */
const japaneseSet: CharacterSet = { encoding: 'euc-jp', rows: [0xb0, 0xfe], cells: [[0xa1, 0xfe]] };
/** GB 2312, and Big5 without its extensions. */
const simplifiedSet: CharacterSet = { encoding: 'gbk', rows: [0xb0, 0xf7], cells: [[0xa1, 0xfe]] };
const traditionalSet: CharacterSet = {
  encoding: 'big5',
  rows: [0xa4, 0xf9],
  cells: [
    [0x40, 0x7e],
    [0xa1, 0xfe],
  ],
};

/** Sets that were read, each when the first text needed it. */
const loaded = new Map<CharacterSet, ReadonlySet<string>>();

function isIn(set: CharacterSet, character: string): boolean {
  const known = loaded.get(set) ?? charactersOf(set);
  loaded.set(set, known);
  return known.has(character);
}

/** Reads a character set from the decoders of Node.js. */
function charactersOf({ encoding, rows, cells }: CharacterSet): ReadonlySet<string> {
  const bytes: number[] = [];
  for (let row = rows[0]; row <= rows[1]; row += 1)
    for (const [first, last] of cells) for (let cell = first; cell <= last; cell += 1) bytes.push(row, cell);
  return new Set([...new TextDecoder(encoding).decode(Uint8Array.from(bytes))].filter((each) => han.test(each)));
}

/** Counts signs of the language in the texts of one letter, or of one person. */
export function createHanCount() {
  let japanese = 0;
  let chinese = 0;
  const isMissingIn = { simplified: false, traditional: false };

  function countCharacter(character: string): void {
    const isJapanese = isIn(japaneseSet, character);
    const isSimplified = isIn(simplifiedSet, character);
    const isTraditional = isIn(traditionalSet, character);
    // Rare characters are in none of the sets and tell nothing.
    if (!isJapanese && !isSimplified && !isTraditional) return;
    isMissingIn.simplified ||= !isSimplified;
    isMissingIn.traditional ||= !isTraditional;
    if (!isJapanese) chinese += 1;
    else if (!isSimplified && !isTraditional) japanese += 1;
  }

  return {
    add(text: string): void {
      const sample = text.slice(0, sampleLength);
      japanese += sample.match(kana)?.length ?? 0;
      chinese += sample.match(bopomofo)?.length ?? 0;
      if (han.test(sample)) for (const character of sample) if (han.test(character)) countCharacter(character);
    },

    /** Null if nothing tells the language. */
    forms(): HanForms | null {
      if (japanese !== chinese) return japanese > chinese ? 'japanese' : 'chinese';
      // Both Chinese sets lack a character and the Japanese set lacks none, as with 東 and 区 in the name of a ward of Tokyo.
      return chinese === 0 && isMissingIn.simplified && isMissingIn.traditional ? 'japanese' : null;
    },
  };
}

/** Forms of Han characters that these texts tell as a whole; null if nothing tells. */
export function hanFormsOf(texts: readonly string[]): HanForms | null {
  const count = createHanCount();
  for (const text of texts) count.add(text);
  return count.forms();
}
