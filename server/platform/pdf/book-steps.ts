import type { Opening } from './book.ts';
import type { HanForms } from './han-forms.ts';

/** A name within a sentence: its direction does not change that of the sentence (UAX 9, FSI and PDI). */
export function isolated(name: string): string {
  return `\u2068${name}\u2069`;
}

/** Instructions for setting a book, as plain data: the caller reads the letters, and a thread sets them. */
export type BookStep =
  /** `hanForms`: forms that all texts of the book tell together. Null or absent: they don't tell. */
  | { do: 'titlePage'; owner: string; lines: string[]; hanForms?: HanForms | null }
  | { do: 'reserveContents'; lines: number }
  /** `hanForms`: forms that the texts of this chapter tell together. Null or absent: those of the book. */
  | { do: 'begin'; title: string; isPart: boolean; hanForms?: HanForms | null }
  | { do: 'write'; words: string; size?: number; gapAfter?: number }
  | { do: 'quietly'; words: string }
  | { do: 'space'; points: number }
  /** `otherwise` stands in place of a picture that cannot be set. */
  | { do: 'picture'; bytes: Uint8Array; otherwise: string }
  /** Attaches all words since the last `titlePage` or `begin` as a text file if a character could not be set, and adds `note`. */
  | { do: 'attachUnlessWhole'; name: string; note: string };

/** `tooLarge` is the sentence for the person if the book gets too large. */
export type BookInput = Opening & { tooLarge: string };

/** The thread asks for the next steps until there are none, and hands over the bytes of the PDF. */
export type BookQuestion = { is: 'next' } | { is: 'bytes'; bytes: Uint8Array };
export type BookAnswer = BookStep[] | null;
