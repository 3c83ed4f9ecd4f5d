import { normalisedPassword, passwordLengthMin } from '#shared/rules/passwords.ts';

export const passwordLevels = ['too short', 'weak', 'fair', 'good', 'strong'] as const;
export type PasswordLevel = (typeof passwordLevels)[number];

export type PasswordStrength = {
  level: PasswordLevel;
  /** 0 to 4, for the bar. */
  step: number;
  /** One sentence that says what would help; empty where nothing needs to. */
  advice: string;
};

/** Bits of guessing work from which a level is reached. */
const bitsOfLevel = { fair: 36, good: 52, strong: 70 } as const;

/** Beginnings of what people type first. The service holds the long list; this one only keeps the meter honest. */
const wornWords = ['password', 'passw0rd', 'qwerty', 'letmein', 'welcome', 'iloveyou', 'monkey', 'dragon', 'football'];
const keyboardRows = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm', '01234567890'];

/** Shortest piece of a name that counts as the name. */
const personalLengthMin = 3;

/**
 * Strength of a password, estimated from length and variety. Repeats, runs along the alphabet or keyboard, common
 * words, and the person's name or address count as one character each.
 */
export function passwordStrength(typed: string, personal: readonly string[] = []): PasswordStrength {
  const password = normalisedPassword(typed);
  const characters = [...password];
  if (characters.length < passwordLengthMin) {
    return { level: 'too short', step: 0, advice: `Use at least ${passwordLengthMin} characters.` };
  }
  const lower = password.toLowerCase();
  const known = personal.map((word) => word.trim().toLowerCase()).filter((word) => word.length >= personalLengthMin);
  const usedPersonal = known.filter((word) => lower.includes(word));
  const usedWorn = wornWords.filter((word) => lower.includes(word));
  const reduced = [...usedPersonal, ...usedWorn].reduce((text, word) => text.replaceAll(word, word.slice(0, 1)), lower);
  const bits = countedCharacters(reduced) * Math.log2(poolSize(password));

  if (bits < bitsOfLevel.fair) return { level: 'weak', step: 1, advice: adviceFor(usedPersonal, usedWorn) };
  if (bits < bitsOfLevel.good) return { level: 'fair', step: 2, advice: 'Another word or two would make it good.' };
  if (bits < bitsOfLevel.strong) return { level: 'good', step: 3, advice: '' };
  return { level: 'strong', step: 4, advice: '' };
}

function adviceFor(usedPersonal: readonly string[], usedWorn: readonly string[]): string {
  if (usedPersonal.length > 0) return 'Leave out your name and address.';
  if (usedWorn.length > 0) return `Leave out “${usedWorn[0]}”: it is guessed first.`;
  return 'Three or four words that do not belong together are hard to guess.';
}

/** Number of characters a guesser could not predict from the one before. */
function countedCharacters(text: string): number {
  const characters = [...text];
  const distinct = new Set(characters).size;
  const unforeseen = characters.filter((character, index) => !follows(characters[index - 1], character)).length;
  // A word of two letters typed ten times has no more in it than the two letters and their number.
  return Math.min(unforeseen, distinct * 2);
}

function follows(before: string | undefined, character: string): boolean {
  if (before === undefined) return false;
  if (before === character) return true;
  const step = (character.codePointAt(0) ?? 0) - (before.codePointAt(0) ?? 0);
  if (step === 1 || step === -1) return true;
  return keyboardRows.some((row) => row.includes(before + character) || row.includes(character + before));
}

function poolSize(password: string): number {
  const pools: [RegExp, number][] = [
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/[0-9]/, 10],
    [/[\x20-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/, 33],
    [/[^\x20-\x7e]/, 100],
  ];
  return pools.reduce((size, [pattern, count]) => (pattern.test(password) ? size + count : size), 0) || 1;
}
