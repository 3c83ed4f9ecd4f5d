import { isHeic } from './enclosure-choice.rules.ts';
import { heicBitmap } from './heic.ts';

/** No side of a picture is longer, in pixels: sharp on any screen, and on a printed page. */
export const pictureSideMax = 2_560;
const jpegQuality = 0.88;

/** Kinds that are redrawn. A GIF may be animated, so it stays as it is. */
const drawnTypes: readonly string[] = ['image/jpeg', 'image/png', 'image/webp', 'image/avif'];

/**
 * Redraws the picture as a JPEG on white, upright and within the size limit. That removes the camera's notes, above
 * all the place.
 * @throws Error if this browser can't show the picture.
 */
export async function smallerPicture(file: File): Promise<File> {
  if (!isHeic(file.name) && !drawnTypes.includes(file.type)) return file;
  const bitmap = await bitmapOf(file);
  try {
    const scale = Math.min(1, pictureSideMax / Math.max(bitmap.width, bitmap.height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    const context = canvas.getContext('2d');
    if (!context) throw new Error('This browser draws nothing.');
    context.fillStyle = 'white';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', jpegQuality));
    if (!blob) throw new Error('This browser did not write the picture.');
    return new File([blob], asJpeg(file.name), { type: 'image/jpeg' });
  } finally {
    bitmap.close();
  }
}

async function bitmapOf(file: File): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(file, { imageOrientation: 'from-image' });
  } catch (error) {
    if (isHeic(file.name)) return heicBitmap(file);
    throw error;
  }
}

/** `garden.jpg` of `garden.png`. */
function asJpeg(name: string): string {
  const dot = name.lastIndexOf('.');
  return `${dot > 0 ? name.slice(0, dot) : name}.jpg`;
}
