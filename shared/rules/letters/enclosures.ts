import { endingOf, fileBytesMax } from '#shared/rules/files.ts';
import { bytesPerMegabyte } from '#shared/rules/plans.ts';

/** What lies in an envelope beside the letter and its one attachment. */
export const enclosureKinds = ['picture', 'voice'] as const;
export type EnclosureKind = (typeof enclosureKinds)[number];

/** What is taken of each kind: the ending a name must have, and the type it is given out under. */
export const enclosureTypes = {
  picture: { jpg: 'image/jpeg', jpeg: 'image/jpeg', png: 'image/png', gif: 'image/gif', webp: 'image/webp' },
  voice: {
    mp3: 'audio/mpeg',
    m4a: 'audio/mp4',
    ogg: 'audio/ogg',
    opus: 'audio/ogg',
    webm: 'audio/webm',
    wav: 'audio/wav',
  },
} as const satisfies Record<EnclosureKind, Record<string, string>>;

/** What is taken as the original of a picture, as the camera wrote it; the ending and the type as above. */
export const originalTypes = {
  ...enclosureTypes.picture,
  heic: 'image/heic',
  heif: 'image/heif',
} as const satisfies Record<string, string>;

/** How many of each kind a letter may have. */
export const enclosuresMax: Record<EnclosureKind, number> = { picture: 12, voice: 1 };
/** How large each may be, in bytes. */
export const enclosureBytesMax: Record<EnclosureKind, number> = {
  picture: fileBytesMax,
  voice: 25 * bytesPerMegabyte,
};
/** What a plan needs to keep them: it has the room that videos need. */
export const originalsFeature = 'video';
/** How large the original of a picture may be, in bytes: what a good camera writes. */
export const originalBytesMax = 30 * bytesPerMegabyte;
/** Longest voice that is recorded in the page. */
export const voiceMsMax = 20 * 60_000;
export const captionLengthMax = 300;
/** About twenty minutes of speech, written down. */
export const transcriptLengthMax = 30_000;

/** What a file of this name would be; null for one that is neither. */
export function enclosureKindOf(name: string): EnclosureKind | null {
  const extension = endingOf(name);
  return enclosureKinds.find((kind) => Object.hasOwn(enclosureTypes[kind], extension)) ?? null;
}

/** The type it is given out under; null for a name that is none of an enclosure. */
export function enclosureTypeOf(name: string): string | null {
  const kind = enclosureKindOf(name);
  const types: Record<string, string> = kind ? enclosureTypes[kind] : {};
  return types[endingOf(name)] ?? null;
}

/** The type under which the original of a picture is given out; null for a name that is none. */
export function originalTypeOf(name: string): string | null {
  const extension = endingOf(name);
  const types: Record<string, string> = originalTypes;
  return Object.hasOwn(types, extension) ? (types[extension] ?? null) : null;
}
