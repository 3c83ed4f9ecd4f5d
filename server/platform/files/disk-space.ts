import { statfs } from 'node:fs/promises';

/** In bytes, as far as this user may use them. */
export type DiskSpace = { freeBytes: number; totalBytes: number };

/** Returns the free and the total space of the disk that holds a folder. */
export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
