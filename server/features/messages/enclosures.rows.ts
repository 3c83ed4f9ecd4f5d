import { type PictureSizeRow, shownSize } from '#server/features/files/picture-size.queries.ts';
import type { PictureSize } from '#server/platform/files/picture-size.ts';
import type { messageEnclosures } from '#server/schema/messages.tables.ts';

/** As it is stored: caption, transcript and name are sealed. */
export type StoredEnclosure = typeof messageEnclosures.$inferSelect;
/** What stands in a letter, a picture with its size and with its original where one is kept. */
export type EnclosureRow = StoredEnclosure & { pictureSize: PictureSize | null; original: StoredEnclosure | null };

/** A row as it is read, beside the size of its picture. */
type Read = { row: StoredEnclosure; picture: PictureSizeRow };

/** Each original beside its picture; the order stays. */
export function withOriginals(read: readonly Read[]): EnclosureRow[] {
  const originals = new Map(read.map(({ row }) => [row.originalOf, row]));
  return read
    .filter(({ row }) => row.originalOf === null)
    .map(({ row, picture }) => ({
      ...row,
      pictureSize: shownSize(picture),
      original: originals.get(row.id) ?? null,
    }));
}
