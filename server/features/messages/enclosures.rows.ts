import type { messageEnclosures } from '#server/schema/messages.tables.ts';

/** As it is stored: caption, transcript and name are sealed. */
export type StoredEnclosure = typeof messageEnclosures.$inferSelect;
/** What stands in a letter, a picture with its original where one is kept. */
export type EnclosureRow = StoredEnclosure & { original: StoredEnclosure | null };

/** Each original beside its picture; the order stays. */
export function withOriginals(rows: readonly StoredEnclosure[]): EnclosureRow[] {
  const originals = new Map(rows.map((row) => [row.originalOf, row]));
  return rows
    .filter(({ originalOf }) => originalOf === null)
    .map((row) => ({ ...row, original: originals.get(row.id) ?? null }));
}
