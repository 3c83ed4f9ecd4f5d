import { z } from 'zod';
import { addressIn, addressProblem, emailLengthMax } from '#shared/rules/addresses/written-address.ts';
import { looksLikePhone, phoneIn, phoneLengthMax } from '#shared/rules/addresses/written-phone.ts';
import { trimmedText } from '#shared/rules/letterhead/invisible.ts';
import { holdsLink, holdsNumber, withoutHidden } from '#shared/rules/letterhead/links.ts';

/** Longest text that an address is read from: a paste may bring a name. */
export const typedEmailLengthMax = emailLengthMax + 200;
export const nameLengthMax = 100;
export const titleLengthMax = 200;
/** About 30,000 words: longer than any letter, short enough to be one row. */
export const contentLengthMax = 200_000;
/** Longest token our links carry; anything longer is not ours. */
export const tokenLengthMax = 128;

const storable = (value: string) => value.isWellFormed() && !value.includes('\0');

/**
 * Text that PostgreSQL and every mail program can hold: well-formed UTF-16 without NUL. Nothing reads a text that is too long,
 * since normalising may make it eighteen times as long.
 */
export function text(lengthMax: number, missing = 'Required') {
  return z
    .string(missing)
    .max(lengthMax, { message: `Please keep this to ${lengthMax.toLocaleString('en-GB')} characters`, abort: true })
    .refine(storable, 'This contains a character that cannot be stored');
}

/** Text without white space at its ends; empty if nothing in it can be seen. */
export function visibleText(lengthMax: number, missing?: string) {
  return text(lengthMax, missing).overwrite(trimmedText);
}

/** Text in which something can be seen; trimmed. */
export function requiredText(lengthMax: number, message = 'Required') {
  return visibleText(lengthMax, message).min(1, message);
}

/** One line: no line breaks or other control characters, so that a mail header can hold it. Drops hidden characters. */
export function requiredLine(lengthMax: number, message = 'Required') {
  return text(lengthMax, message)
    .overwrite(lineOf)
    .min(1, message)
    .refine(isOneLine, 'This must be a single line of text');
}

const hasNoLink = (words: string | null) => words === null || !holdsLink(words);
const noLinks = 'Please leave out web and email addresses';
const hasNoNumber = (words: string | null) => words === null || !holdsNumber(words);
const noNumbers = 'Please leave out phone numbers';

/** A person's name, which appears in mails to other people: one line without a link or a telephone number. */
export function requiredName(message?: string) {
  return requiredLine(nameLengthMax, message).refine(hasNoLink, noLinks).refine(hasNoNumber, noNumbers);
}

/** A name as of `requiredName`, or null. */
export function optionalName() {
  return optionalLine(nameLengthMax).refine(hasNoLink, noLinks).refine(hasNoNumber, noNumbers);
}

/** One line or nothing; an empty string is read as nothing. */
export function optionalLine(lengthMax: number) {
  return text(lengthMax)
    .overwrite(lineOf)
    .refine(isOneLine, 'This must be a single line of text')
    .nullish()
    .transform((value) => value || null);
}

/** Text of several lines or nothing; trimmed, and text in which nothing can be seen is read as nothing. */
export function optionalText(lengthMax: number) {
  return visibleText(lengthMax)
    .nullish()
    .transform((value) => value || null);
}

/** Text or null that our mail quotes to other people: without a link or a telephone number that they could follow. */
export function optionalWords(lengthMax: number) {
  return text(lengthMax)
    .overwrite(lineOf)
    .nullish()
    .transform((value) => value || null)
    .refine(hasNoLink, noLinks)
    .refine(hasNoNumber, noNumbers);
}

/** Yes or no in a form, where everything is text. */
export const booleanText = z.enum(['true', 'false', ''], 'Invalid input').transform((value) => value === 'true');

const lineOf = (value: string) => trimmedText(withoutHidden(value));

function isOneLine(value: string): boolean {
  return !/\p{Cc}|\u2028|\u2029/u.test(value);
}

/** An address as it is stored and compared, read from what a person typed or pasted. */
export const email = z
  .string('Please enter a valid email address')
  .max(typedEmailLengthMax, { message: 'Please enter a valid email address', abort: true })
  .overwrite(addressIn)
  .superRefine((address, context) => {
    const message = addressProblem(address);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

export const id = z.uuid('Invalid input');

/** An instant: ISO 8601 in UTC on the wire, a `Date` in the server. */
export const instant = z
  .codec(z.iso.datetime(), z.date(), {
    decode: (wire) => new Date(wire),
    encode: (date) => date.toISOString(),
  })
  .meta({ id: 'Instant' });

export const idParams = z.object({ id });
export const token = z.string().min(1).max(tokenLengthMax);
export const tokenParams = z.object({ token });
export const okAnswer = z.object({ ok: z.literal(true) });
export const messageAnswer = z.object({ message: z.string() });

/** Six digits with what people type between them. */
const typedDigitsLengthMax = 40;

/** Six digits, which people type with spaces between them. `wanted` is the sentence for anything else. */
export function sixDigits(wanted: string) {
  return z
    .string(wanted)
    .max(typedDigitsLengthMax, { message: wanted, abort: true })
    .transform((typed) => typed.normalize('NFKC').replace(/\s/g, ''))
    .pipe(z.string().regex(/^\d{6}$/, wanted));
}

export const authenticatorCode = sixDigits('Type the six digits that the app shows');

/**
 * Present if the text of a row no longer matches its seal. The text is left out, the rest stays, and the operator was
 * notified.
 */
export const isDamaged = z.literal(true).optional();

/**
 * True keeps the person signed in on this device for 14 days without use. False: 30 minutes, and no longer than the
 * browser's window.
 */
export const keepSignedIn = z.boolean().default(true);

export const phoneWanted = 'Please enter a phone number, such as 07700 900123';

/** A phone number or nothing, without what a paste brings. The service also checks that it can be texted. */
export const phone = text(phoneLengthMax)
  .overwrite(phoneIn)
  .nullish()
  .transform((value) => value || null)
  .refine((value) => value === null || looksLikePhone(value), phoneWanted);

/** Name that a new file had. Absent if the file keeps its name, and its ending is not corrected by its content. */
export const renamedFrom = z.string().optional();
