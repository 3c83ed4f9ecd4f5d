import { disableTypes, imageSize, types } from 'image-size';

/** Number of pixels a picture has as it is shown: turned as its camera says. */
export type PictureSize = { width: number; height: number };

/** No format that is taken can name more and be shown (JPEG: two bytes). */
const sideMax = 65_535;
/** Formats allowed in a letter. Readers of other formats can be slow on hostile input. */
const takenTypes = ['jpg', 'png', 'gif', 'webp'];
/** First of the camera orientations that lie on their side (Exif, tag 274). */
const firstTurnedOrientation = 5;

/** Size of a picture by its first bytes; null if unknown. */
export async function pictureSizeOf(head: Buffer): Promise<PictureSize | null> {
  disableTypes(types.filter((type) => !takenTypes.includes(type)));
  try {
    // A copy, because the library reads beyond its view into the shared memory of buffers.
    const { width, height, orientation = 1 } = imageSize(new Uint8Array(head));
    if (![width, height].every((side) => Number.isInteger(side) && side > 0 && side <= sideMax)) return null;
    return orientation >= firstTurnedOrientation ? { width: height, height: width } : { width, height };
  } catch {
    // A picture that is broken, or told its size later: it is kept and shown all the same.
    return null;
  }
}
