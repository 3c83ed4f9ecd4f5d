import type { PictureSize } from '#server/platform/files/picture-size.ts';
import { fileObjects } from '#server/schema/files.tables.ts';

/** Columns of a picture's size, for a query that joins its file. */
export const pictureSizeColumns = { width: fileObjects.pictureWidth, height: fileObjects.pictureHeight };

export type PictureSizeRow = { width: number | null; height: number | null } | null;

/** Size from such a row; null if the file is missing or no picture. */
export function shownSize(row: PictureSizeRow): PictureSize | null {
  const { width = null, height = null } = row ?? {};
  return width === null || height === null ? null : { width, height };
}
