/** Most results of one group. */
export const groupResultsMax = 8;

type Findable = { label: string; note?: string | undefined };
type Group<Item> = { title: string; items: readonly Item[]; isShownUnasked: boolean };

/** Groups with the items that hold each of the words, in any case and with or without accents. Empty groups are left out. */
export function foundIn<Item extends Findable, G extends Group<Item>>(groups: readonly G[], words: string): G[] {
  const wanted = folded(words).split(/\s+/).filter(Boolean);
  return groups
    .filter(({ isShownUnasked }) => isShownUnasked || wanted.length > 0)
    .map((group) => ({ ...group, items: matching(group.items, wanted) }))
    .filter(({ items }) => items.length > 0);
}

function matching<Item extends Findable>(items: readonly Item[], wanted: readonly string[]): Item[] {
  if (wanted.length === 0) return [...items];
  const found: Item[] = [];
  for (const item of items) {
    const text = folded(`${item.label} ${item.note ?? ''}`);
    if (wanted.every((word) => text.includes(word))) found.push(item);
    if (found.length === groupResultsMax) break;
  }
  return found;
}

function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/’/g, "'").toLowerCase();
}

/** Index after a key in a list of results; null for a key that moves nowhere. The list is a ring. */
export function movedBy(key: string, index: number, count: number): number | null {
  if (count === 0) return null;
  if (key === 'ArrowDown') return (index + 1) % count;
  if (key === 'ArrowUp') return (index + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : null;
}

/** The number of results in words. */
export function countWords(count: number): string {
  if (count === 0) return 'Nothing was found. Try fewer or other words.';
  return count === 1 ? '1 result' : `${count} results`;
}
