import type { Enclosure } from '#shared/contract/letters/enclosures.ts';
import type { ShownEnclosure } from './enclosures.tsx';

/** The pictures and the voice of a letter as the service tells of them, each with where it is, and so its original. */
export function shownEnclosures(
  enclosures: readonly Enclosure[],
  hrefOf: (enclosureId: string) => string,
): ShownEnclosure[] {
  return enclosures.map(({ original, ...enclosure }) => ({
    ...enclosure,
    href: hrefOf(enclosure.id),
    original: original && { ...original, href: hrefOf(original.id) },
  }));
}
