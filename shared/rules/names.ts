/** Characters that count as a full stop in a domain (UTS #46, section 2.3), besides the full stop itself. */
const dotLike = /[\u3002\uff0e\uff61]/g;
const scheme = /:\/\/|\bwww\./i;
/** Words with full stops and nothing else between them, such as a domain; initials are none. */
const joined = /[\p{L}\p{N}-]{2,}(\.[\p{L}\p{N}-]{2,})+/gu;
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

/**
 * Whether a mail program or a reader would take part of this text for an address on the web or of a mailbox. A name
 * stands in mails to other people, who would follow it: "Mary St.John" may, "win at evil.example" may not.
 */
export function holdsLink(text: string): boolean {
  const plain = text.normalize('NFKC').replace(dotLike, '.');
  if (scheme.test(plain) || plain.includes('@')) return true;
  return [...plain.matchAll(joined)].some(([found]) => {
    const [first = '', ...others] = found.toLowerCase().split('.');
    return others.length > 1 || !titles.has(first);
  });
}

/** The name we greet somebody by. None before their address is verified: until then it is what a stranger may have typed. */
export function greetingName(person: { firstName: string | null; emailVerified: boolean }): string | null {
  return person.emailVerified ? person.firstName : null;
}
