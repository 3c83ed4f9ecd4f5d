/** Number of pixels a picture has as it is shown. */
export type PictureSize = { width: number; height: number };

/** No picture of a letter stands higher, in pixels: it is seen whole, with its caption. The stylesheet has the same. */
const heightMax = 640;

/** The room that a picture takes, kept for it from the first moment; nothing where it is not known. */
export function placeOf(size: PictureSize | null | undefined): Partial<PictureSize> {
  if (!size) return {};
  const scale = Math.min(1, heightMax / size.height);
  return { width: Math.max(1, Math.round(size.width * scale)), height: Math.max(1, Math.round(size.height * scale)) };
}
