import { buffer } from 'node:stream/consumers';
import { extract, pack } from 'tar-stream';

type Packed = { name: string; content: Buffer };

/** A backup with changed entries. An entry is left out if `change` returns null. */
export async function repacked(
  whole: Buffer,
  change: (entry: Packed) => Partial<Packed> | null | undefined,
): Promise<Buffer> {
  const reading = extract();
  reading.end(whole);
  const writing = pack();
  const written = buffer(writing);
  for await (const entry of reading) {
    const parts: Buffer[] = [];
    for await (const part of entry) parts.push(part as Buffer);
    const found = { name: entry.header.name, content: Buffer.concat(parts) };
    const changed = change(found);
    if (changed === null) continue;
    const { name, content } = { ...found, ...changed };
    writing.entry({ name }, content);
  }
  writing.finalize();
  return written;
}
