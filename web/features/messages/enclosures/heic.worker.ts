import { heicTo } from 'heic-to/csp';

/** Answer for a picture. Null if the file is none. */
export type HeicAnswer = { bitmap: ImageBitmap | null };

addEventListener('message', async ({ data }: MessageEvent<Blob>) => {
  const bitmap = await heicTo({ blob: data, type: 'bitmap' }).catch(() => null);
  const answer: HeicAnswer = { bitmap };
  postMessage(answer, { transfer: bitmap ? [bitmap] : [] });
});
