import { withoutInvisible } from '#shared/rules/letterhead/invisible.ts';
import { withoutEnd } from '#shared/text-ends.ts';

/** Longest address that mail servers accept (RFC 5321 §4.5.3.1.3, less the angle brackets). */
export const emailLengthMax = 254;
const localPartLengthMax = 64;

/** Apostrophes as word processors and telephones write them. */
const apostrophes = /[\u2018\u2019\u201b\u02bc\u2032]/g;
/** Hyphens and dashes as word processors write them. */
const hyphens = /[\u2010-\u2015\u2212]/g;
/** `Jane Doe <jane@mail.example>`, as mail programs copy an address, or the address in angle brackets alone. */
const named = /^([^<>]*)<([^<>]*)>[\s.,;:!?)]*$/;
const punctuationBefore = /^[\s"“”„«»<([]+/;
const punctuationBehind = /[\s"“”„«»>)\].,;:!?]/;

const atextMarks = "!#$%&'*+/=?^_`{|}~-";
/** Each character stands once: a second way to read it would double the time of a refusal. */
const atext = `a-z0-9${atextMarks}`;
const anyScript = `\\p{L}\\p{M}\\p{N}${atextMarks}`;
/** The dot-atom of RFC 5322, section 3.2.3, in lower case. */
const localPart = new RegExp(`^[${atext}]+(?:\\.[${atext}]+)*$`);
/** Local part with the letters that only RFC 6531 allows. */
const localPartOfAnyScript = new RegExp(`^[${anyScript}]+(?:\\.[${anyScript}]+)*$`, 'u');
const domain = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:xn--[a-z0-9-]{0,58}[a-z0-9]|[a-z]{2,63})$/;

/**
 * Address in what a person typed or pasted, as we store it: in lower case, its domain in ASCII (punycode). Text without an
 * address comes back almost as it was, and `addressProblem` refuses it.
 */
export function addressIn(typed: string): string {
  const plain = withoutInvisible(typed.normalize('NFKC')).replace(apostrophes, "'").replace(hyphens, '-').trim();
  return inAscii(bare(plain).toLowerCase());
}

/**
 * Address that another program states, as we store it. Nothing in it is read as a slip, since it may open an account. Null
 * if we could not send mail there.
 */
export function statedAddress(stated: string): string | null {
  const trimmed = stated.trim();
  if (!/^[!-~]+@[^@]+$/.test(trimmed)) return null;
  const address = inAscii(trimmed.toLowerCase());
  return addressProblem(address) === null ? address : null;
}

/** Reason why we can't send mail to this address, as a sentence; null if we can. */
export function addressProblem(address: string): string | null {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(at, 0));
  const isAddress =
    address.length <= emailLengthMax &&
    local.length <= localPartLengthMax &&
    localPartOfAnyScript.test(local) &&
    domain.test(address.slice(at + 1));
  if (!isAddress) return 'Please enter a valid email address';
  if (localPart.test(local)) return null;
  const [letter = ''] = [...local.normalize('NFC')].filter((character) => character > '~');
  return `We can’t send email to an address with “${letter}” before the @. Please enter another address`;
}

/** The address without a name, a `mailto:` and the punctuation around it. */
function bare(text: string): string {
  const [, name = '', inner] = named.exec(text) ?? [];
  if (inner !== undefined) {
    const address = bare(inner.trim());
    // Two addresses: we can't know which one was meant.
    return name.includes('@') && bare(name.trim()) !== address ? text : address;
  }
  const link = /^mailto:([^?]*)/i.exec(text)?.[1];
  const begun = (link === undefined ? text : decoded(link)).replace(punctuationBefore, '');
  const address = withoutEnd(begun, punctuationBehind);
  return /^'.*'$/.test(address) ? address.slice(1, -1) : withoutEnd(address, "'");
}

function decoded(link: string): string {
  try {
    return decodeURIComponent(link);
  } catch {
    return link;
  }
}

/** The address with its domain as the domain name system knows it: `müller.example` is `xn--mller-kva.example`. */
function inAscii(address: string): string {
  const at = address.lastIndexOf('@');
  const host = address.slice(at + 1);
  if (at < 1 || /^\p{ASCII}*$/u.test(host) || !/^[\p{L}\p{M}\p{N}.\u3002-]+$/u.test(host)) return address;
  try {
    return `${address.slice(0, at)}@${new URL(`http://${host}`).hostname}`;
  } catch {
    return address;
  }
}
