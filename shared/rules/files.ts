import { bytesPerMegabyte, hasFeature, type PlanName } from '#shared/rules/plans.ts';

/** Allowed file extensions, each with the media type that we serve it as. */
export const fileTypes = {
  pdf: 'application/pdf',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  txt: 'text/plain',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
} as const;

/** Kinds that are taken as well. The page does not list them: phones, scanners and other word processors make them. */
export const otherFileTypes = {
  rtf: 'application/rtf',
  odt: 'application/vnd.oasis.opendocument.text',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  avif: 'image/avif',
  tif: 'image/tiff',
  tiff: 'image/tiff',
} as const;

/** Other endings of kinds that are taken. A file with one of them is kept under the ending on the right. */
const otherEndings: Readonly<Record<string, string>> = {
  jpe: 'jpg',
  jfif: 'jpg',
  m4v: 'mp4',
  '3gp': 'mp4',
  '3g2': 'mp4',
  qt: 'mov',
  m4b: 'm4a',
  '3ga': 'm4a',
  oga: 'ogg',
};

/** Further extensions for plans with video. */
export const videoTypes = { mp4: 'video/mp4', webm: 'video/webm', mov: 'video/quicktime' } as const;

export type FileExtension = keyof typeof fileTypes | keyof typeof videoTypes;

/** Largest document or attachment, in bytes. */
export const fileBytesMax = 10 * bytesPerMegabyte;
/** Largest video, in bytes. */
export const videoBytesMax = 250 * bytesPerMegabyte;
/** Longest name under which a file is kept, its ending included. */
export const fileNameLengthMax = 150;

/** Extensions that a plan allows, in display order. */
export function acceptedExtensions(plan: PlanName): readonly FileExtension[] {
  const files = Object.keys(fileTypes) as FileExtension[];
  return hasFeature(plan, 'video') ? [...files, ...(Object.keys(videoTypes) as FileExtension[])] : files;
}

/** The last ending of a name, in lower case and without its dot; empty where there is none. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** Ending under which a file of this name is kept, if it is taken: another ending of the same kind is replaced. */
export function endingOf(name: string): string {
  const extension = extensionOf(name);
  return Object.hasOwn(otherEndings, extension) ? (otherEndings[extension] ?? extension) : extension;
}

/** Endings for the `accept` attribute of a file field that takes these: with the other endings of the same kinds. */
export function withOtherEndings(extensions: readonly string[]): string[] {
  const others = Object.entries(otherEndings).filter(([, kept]) => extensions.includes(kept));
  return [...extensions, ...others.map(([ending]) => ending)];
}

/** The type of an ending, or null for one that is not accepted on any plan. */
export function typeOfExtension(extension: string): string | null {
  const types: Record<string, string> = { ...fileTypes, ...otherFileTypes, ...videoTypes };
  return Object.hasOwn(types, extension) ? (types[extension] ?? null) : null;
}

/** True if an ending is one of a video, which only some plans take and which may be larger. */
export function isVideoExtension(extension: string): boolean {
  return Object.hasOwn(videoTypes, extension);
}

/** Number of bytes a file with this ending may have. */
export function bytesMaxOf(extension: string): number {
  return isVideoExtension(extension) ? videoBytesMax : fileBytesMax;
}
