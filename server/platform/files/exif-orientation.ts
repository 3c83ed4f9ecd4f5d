/** A TIFF of one entry in big-endian order: how the camera was held (JEITA CP-3451, tag 274). */
const orientationOnly = Buffer.from('4d4d002a00000008' + '0001' + '0112000300000001000100000000' + '0000', 'hex');
const orientationAt = 18;
const headerBytes = 8;
const entryBytes = 12;
const orientationTag = 0x0112;

export const exifName = 'Exif\0\0';
export const orientationBytes = orientationOnly.length;

/** Exif data that names an orientation and nothing else. */
export function exifOf(orientation: number): Buffer {
  const exif = Buffer.from(orientationOnly);
  exif.writeUInt16BE(orientation, orientationAt);
  return exif;
}

/** Orientation that Exif data name. Null if they name none. */
export function orientationIn(tiff: Buffer): number | null {
  if (tiff.length < headerBytes) return null;
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number) => (at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  const entries = short(directory);
  for (let entry = 0; entry < entries; entry += 1) {
    const at = directory + 2 + entry * entryBytes;
    if (at + entryBytes > tiff.length) return null;
    if (short(at) === orientationTag) return short(at + 8);
  }
  return null;
}
