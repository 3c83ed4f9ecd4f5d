import { fileTypeFromBuffer } from 'file-type';
import { isLockedBy, mainPartsOf, type PackedPart } from './package-part.ts';
import { type PictureSize, pictureSizeOf } from './picture-size.ts';

export type HeadTask =
  | { read: 'kind'; head: Uint8Array }
  | { read: 'size'; head: Uint8Array }
  | { read: 'main parts'; part: PackedPart }
  | { read: 'lock'; part: PackedPart };

/** Reads the kind of a file, the size of a picture, or one part of an archive. */
export async function run(task: HeadTask): Promise<string | string[] | boolean | PictureSize | null> {
  switch (task.read) {
    case 'kind':
      return (await fileTypeFromBuffer(task.head))?.ext ?? null;
    case 'size':
      return pictureSizeOf(Buffer.from(task.head));
    case 'main parts':
      return mainPartsOf(task.part);
    case 'lock':
      return isLockedBy(task.part);
  }
}
