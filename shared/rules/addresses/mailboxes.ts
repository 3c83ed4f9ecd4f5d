/** Domains of Google's mail. Both names reach one mailbox, and dots in its name do not count. */
const googleDomains: readonly string[] = ['gmail.com', 'googlemail.com'];
const googleDomain = 'gmail.com';

/**
 * Folded form of an address, equal for every spelling of one mailbox. Only for comparing: people are shown the address as
 * it was written, and mail goes to it as it was written. `server/platform/db/mailbox-column.ts` computes the same in SQL.
 */
export function mailboxOf(address: string): string {
  const [local = '', domain = ''] = address.trim().toLowerCase().split('@');
  // A name that begins with the plus has nothing before its tag.
  const name = local.split('+')[0] || local;
  return googleDomains.includes(domain) ? `${name.replaceAll('.', '')}@${googleDomain}` : `${name}@${domain}`;
}

/**
 * True if we know how the provider of this address folds its spellings. Another provider may give `ann+x@` to another person
 * than `ann@`, so only the exact address grants rights there.
 */
export function hasKnownSpellings(address: string): boolean {
  return googleDomains.includes(address.trim().toLowerCase().split('@')[1] ?? '');
}

/**
 * Folded form of an address, equal only for spellings that are certain to reach one mailbox. Use it to tell people apart:
 * a domain may give `ann+x@` to another person than `ann@`. `mailboxOf` is for limits, which may be too strict.
 */
export function personOf(address: string): string {
  return hasKnownSpellings(address) ? mailboxOf(address) : address.trim().toLowerCase();
}

/** True if both addresses reach one mailbox. */
export function isSameMailbox(one: string, other: string): boolean {
  return mailboxOf(one) === mailboxOf(other);
}

/** The item with exactly this address, or else the first in the same mailbox. */
export function findByMailbox<Item extends { email: string }>(
  items: readonly Item[],
  address: string,
): Item | undefined {
  return items.find(({ email }) => email === address) ?? items.find(({ email }) => isSameMailbox(email, address));
}
