/** Searchable text of a question, with its id. */
export type Searchable = { id: string; words: string };

/**
 * The ids of what holds every word that was typed, in any order and inside of longer words. Nothing typed means that
 * nothing is searched for: null.
 */
export function idsMatching(entries: readonly Searchable[], typed: string): ReadonlySet<string> | null {
  const wanted = folded(typed).split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return null;
  return new Set(
    entries
      .filter(({ words }) => {
        const text = folded(words);
        return wanted.every((word) => text.includes(word));
      })
      .map(({ id }) => id),
  );
}

/** Without case, accents and the difference between kinds of apostrophe. */
function folded(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .replace(/[‘’]/g, "'")
    .toLowerCase();
}
