/** Recipient of a letter. Without a name, the address is shown. */
export type Named = { name?: string | null | undefined; email: string };

/** Highest number of names; further recipients are only counted. */
const namedMax = 3;

const together = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** Name, such as `Nell`, or the address of a recipient without one. */
export function readerName({ name, email }: Named): string {
  return name?.trim() || email.trim();
}

/** `Nell`, `Nell and Joss`, `Nell, Joss and Tom`; of more than three `Nell, Joss and 3 others`. */
export function namesTogether(names: readonly string[]): string {
  if (names.length <= namedMax) return together.format(names);
  const named = names.slice(0, namedMax - 1);
  return together.format([...named, `${names.length - named.length} others`]);
}

/** `daughter`, of what may have been written as "my daughter". */
export function plainRelation(relation: string | null | undefined): string {
  return (relation ?? '').trim().replace(/^(my|your)\s+/i, '');
}

/** `your daughter`, to the one who wrote it; nothing where nothing was said. */
export function yourRelation(relation: string | null | undefined): string {
  const plain = plainRelation(relation);
  // Daughter, but not GP.
  const inSentence = /^\p{Lu}\p{Ll}/u.test(plain) ? plain.charAt(0).toLowerCase() + plain.slice(1) : plain;
  return inSentence && `your ${inSentence}`;
}
