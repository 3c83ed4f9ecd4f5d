export const passwordLengthMin = 8;
export const passwordLengthMax = 128;
/** Longest password as typed: one that is normalised may be shorter. */
export const typedPasswordLengthMax = 4 * passwordLengthMax;

/**
 * Password in the form that is hashed (NFKC, RFC 8265). Keyboards write `ä` as one character or as two, and an input
 * method may write letters in full width.
 */
export function normalisedPassword(typed: string): string {
  return typed.normalize('NFKC');
}
