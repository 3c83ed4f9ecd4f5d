import type { PictureSize } from '#server/platform/files/picture-size.ts';
import { fileObjects } from '#server/schema/files.tables.ts';

/** How large a picture is, of a question that has the row of its file beside it. */
export const pictureSizeColumns = { width: fileObjects.pictureWidth, height: fileObjects.pictureHeight };

export type PictureSizeRow = { width: number | null; height: number | null } | null;

/** The size as such a question gives it; null for what is no picture, or has no file. */
export function shownSize(row: PictureSizeRow): PictureSize | null {
  const { width = null, height = null } = row ?? {};
  return width === null || height === null ? null : { width, height };
}
