export type MailAddress = { address: string; name?: string };

/** Longest address a mail server must take (RFC 5321, section 4.5.3.1.3, less the brackets). */
const addressLimit = 254;
const localPartLimit = 64;
/** Longer text is cut; far below the 998 characters of a line (RFC 5322, 2.1.1). */
const headerTextLimit = 200;

/** The dot-atom of RFC 5322, section 3.2.3, and letters of any script (RFC 6531). No quoted local parts. */
const localPart = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const domain =
  /^[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?(?:\.[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?)*$/u;
/** Control characters, the line and paragraph separators of Unicode, and marks that turn the direction of reading. */
const notForHeaders = /[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/** True for exactly one address and nothing else: no name, no list, no line end, no comment. */
export function isMailAddress(address: string): boolean {
  const at = address.lastIndexOf('@');
  if (at < 1 || address.length > addressLimit || at > localPartLimit) return false;
  return localPart.test(address.slice(0, at)) && domain.test(address.slice(at + 1));
}

/**
 * Typed text, made safe for one header line. Characters that could end the line, start another header or mislead
 * become spaces.
 */
export function headerText(words: string): string {
  const oneLine = words.replace(notForHeaders, ' ').replace(/\s+/g, ' ').trim();
  return [...oneLine].slice(0, headerTextLimit).join('');
}

/** Reads `Everkept <hello@example.org>` or a bare address. Throws a TypeError on anything else. */
export function parseMailAddress(text: string): MailAddress {
  const named = /^"?([^"<>]*)(?:"\s*)?<([^<>]+)>$/.exec(text.trim());
  const address = (named?.[2] ?? text).trim();
  if (!isMailAddress(address)) throw new TypeError('The sender of mail (MAIL_FROM) is not an address.');

  const name = headerText(named?.[1] ?? '');
  return name === '' ? { address } : { address, name };
}

/** The part behind the @. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}
