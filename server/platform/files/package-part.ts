import { inflateRawSync } from 'node:zlib';

/** A part of an archive as it is stored there. */
export type PackedPart = { bytes: Uint8Array; isStored: boolean };

/** Limit for a part that is unpacked. In documents it has 1 to 100 kB. */
const partBytesMax = 1_048_576;

const mainType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';

/** Names of the parts that `[Content_Types].xml` names as main document. Word Online names it `word/document2.xml`. */
export function mainPartsOf(contentTypes: PackedPart): string[] {
  return [...textOf(contentTypes).matchAll(/<Override\s([^<>]{1,2000})>/g)]
    .map(([, attributes = '']) => attributes)
    .filter((attributes) => attributes.includes(`"${mainType}"`))
    .map((attributes) => /PartName\s*=\s*"\/([^"]+)"/.exec(attributes)?.[1] ?? '');
}

/** True if the manifest of an OpenDocument file says that its parts are encrypted. */
export function isLockedBy(manifest: PackedPart): boolean {
  return /<(?:[\w-]{1,50}:)?encryption-data\b/.test(textOf(manifest));
}

/** Text of a part. Empty if it is damaged, or longer than the limit. */
function textOf({ bytes, isStored }: PackedPart): string {
  if (isStored) return Buffer.from(bytes).toString('utf8', 0, partBytesMax);
  try {
    return inflateRawSync(bytes, { maxOutputLength: partBytesMax }).toString('utf8');
  } catch {
    return '';
  }
}
