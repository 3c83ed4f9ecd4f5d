import { fileTypeFromBuffer } from 'file-type';
import { type PictureSize, pictureSizeOf } from './picture-size.ts';

export type HeadTask = { read: 'kind' | 'size'; head: Uint8Array };

/** Reads the kind of a file, or the size of a picture, from its first bytes. */
export async function run({ read, head }: HeadTask): Promise<string | PictureSize | null> {
  if (read === 'size') return pictureSizeOf(Buffer.from(head));
  return (await fileTypeFromBuffer(head))?.ext ?? null;
}
