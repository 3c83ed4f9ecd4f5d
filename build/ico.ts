const headBytes = 6;
const entryBytes = 16;

/** An icon file with several sizes, each as PNG (Microsoft, Evolution of the ICO file format, part 4). */
export function icoOf(images: readonly { sizePx: number; png: Buffer }[]): Buffer {
  const head = Buffer.alloc(headBytes + images.length * entryBytes);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(images.length, 4);
  let offset = head.length;
  for (const [index, { sizePx, png }] of images.entries()) {
    const at = headBytes + index * entryBytes;
    head.writeUInt8(sizePx, at);
    head.writeUInt8(sizePx, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(png.length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += png.length;
  }
  return Buffer.concat([head, ...images.map(({ png }) => png)]);
}
