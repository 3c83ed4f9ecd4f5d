/** Characters that count as a full stop in a domain (UTS #46, section 2.3), besides the full stop itself. */
const dotLike = /[\u3002\uff0e\uff61]/g;
const scheme = /:\/\/|\bwww\./i;
/** What can't stand in a domain. Splitting by it takes a time that grows with the length of the text and no faster. */
const between = /[^\p{L}\p{N}.-]+/u;
const titles: ReadonlySet<string> = new Set([
  'st',
  'ste',
  'dr',
  'mr',
  'mrs',
  'ms',
  'mx',
  'jr',
  'sr',
  'prof',
  'rev',
  'sir',
]);
/** Before a name, but never before a domain. */
const longTitles: ReadonlySet<string> = new Set(['miss', 'dame', 'lady', 'lord', 'father', 'sister', 'canon', 'rabbi']);

/**
 * Whether a mail program or a reader would take part of this text for an address on the web or of a mailbox. A name
 * stands in mails to other people, who would follow it: "Mary St.John" may, "win at evil.example" may not.
 */
export function holdsLink(text: string): boolean {
  const plain = text.normalize('NFKC').replace(dotLike, '.');
  if (scheme.test(plain) || plain.includes('@')) return true;
  return plain.toLowerCase().split(between).some(isDomain);
}

/** In the place of what was left out. */
const leftOut = '[address left out]';

/**
 * A text in which no mail program finds anything to press: addresses with a scheme and those of mailboxes are left out, and
 * a space stands after full stops that join words. For words of a stranger that nobody should be kept from writing, and
 * that stand under our letterhead: a missing space in them costs nothing.
 */
export function withoutLinks(text: string): string {
  return text.replace(/\S+/gu, (word) => {
    if (!holdsLink(word)) return word;
    const plain = word.normalize('NFKC').replace(dotLike, '.');
    const isAddress = scheme.test(plain) || plain.includes('@');
    return isAddress ? leftOut : plain.replace(/\.(?=\S)/g, '. ');
  });
}

/** Whether parts of two letters or more are joined by a full stop; initials are not, and a title before a name is none. */
function isDomain(word: string): boolean {
  const parts = word.split('.');
  const joined = parts.filter((part, index) => part.length > 1 && (parts[index + 1]?.length ?? 0) > 1);
  return joined.length > 1 || (joined.length === 1 && !titles.has(joined[0] ?? ''));
}

/** The name we greet somebody by. None before their address is verified: until then it is what a stranger may have typed. */
export function greetingName(person: { firstName: string | null; emailVerified: boolean }): string | null {
  return person.emailVerified ? person.firstName : null;
}

/** `Priya` of `Priya Shah`, for a greeting; the whole of `Dr Shah`, whom nobody calls "Dr". */
export function firstNameOf(name: string): string {
  const [first = '', ...rest] = name.trim().split(/\s+/);
  const word = first.toLowerCase().replace(/\.$/, '');
  const isTitle = titles.has(word) || longTitles.has(word);
  return rest.length === 0 || isTitle ? name.trim() : first;
}
