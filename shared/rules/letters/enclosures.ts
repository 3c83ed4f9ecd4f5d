import { endingOf, fileBytesMax } from '#shared/rules/files.ts';
import { bytesPerMegabyte } from '#shared/rules/plans.ts';

/** Enclosures of a letter, in addition to its one attachment. */
export const enclosureKinds = ['picture', 'voice'] as const;
export type EnclosureKind = (typeof enclosureKinds)[number];

/** Allowed extensions of each kind, with the media type that we serve. */
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

/** Allowed extensions of an original, as the camera wrote it, with the media type. */
export const originalTypes = {
  ...enclosureTypes.picture,
  heic: 'image/heic',
  heif: 'image/heif',
} as const satisfies Record<string, string>;

/** Highest number of enclosures per letter and kind. */
export const enclosuresMax: Record<EnclosureKind, number> = { picture: 12, voice: 1 };
/** Highest size of an enclosure in bytes. */
export const enclosureBytesMax: Record<EnclosureKind, number> = {
  picture: fileBytesMax,
  voice: 25 * bytesPerMegabyte,
};
/** Plan feature that keeping originals needs: its storage is made for videos. */
export const originalsFeature = 'video';
/** Highest size of an original in bytes, enough for a good camera. */
export const originalBytesMax = 30 * bytesPerMegabyte;
/** Longest voice that is recorded in the page. */
export const voiceMsMax = 20 * 60_000;
export const captionLengthMax = 300;
/** About twenty minutes of speech, written down. */
export const transcriptLengthMax = 30_000;

/** Kind of enclosure that a file name stands for; null for any other file. */
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
