import { disableTypes, imageSize, types } from 'image-size';

/** Number of pixels a picture has as it is shown: turned as its camera says. */
export type PictureSize = { width: number; height: number };

/** No format that is taken can name more and be shown (JPEG: two bytes). */
const sideMax = 65_535;
/** What may stand in a letter; readers of other formats take their time with what somebody has made up. */
const takenTypes = ['jpg', 'png', 'gif', 'webp'];
/** Of the eight ways in which a camera can be held the first of those that lie on their side (Exif, tag 274). */
const firstTurnedOrientation = 5;

/** How large the picture is that begins like this; null if that can't be told. */
export async function pictureSizeOf(head: Buffer): Promise<PictureSize | null> {
  disableTypes(types.filter((type) => !takenTypes.includes(type)));
  try {
    // A copy of its own: the library looks at what lies behind it in the memory that buffers share.
    const { width, height, orientation = 1 } = imageSize(new Uint8Array(head));
    if (![width, height].every((side) => Number.isInteger(side) && side > 0 && side <= sideMax)) return null;
    return orientation >= firstTurnedOrientation ? { width: height, height: width } : { width, height };
  } catch {
    // A picture that is broken, or told its size later: it is kept and shown all the same.
    return null;
  }
}
