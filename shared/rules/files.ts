import { bytesPerMegabyte, hasFeature, type PlanName } from '#shared/rules/plans.ts';

/** What may be stored: the ending a name must have, and the type it is given out under. */
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

/** What plans with video may store besides. */
export const videoTypes = { mp4: 'video/mp4', webm: 'video/webm', mov: 'video/quicktime' } as const;

export type FileExtension = keyof typeof fileTypes | keyof typeof videoTypes;

/** Largest document or attachment, in bytes. */
export const fileBytesMax = 10 * bytesPerMegabyte;
/** Largest video, in bytes. */
export const videoBytesMax = 250 * bytesPerMegabyte;
/** Longest name under which a file is kept, its ending included. */
export const fileNameLengthMax = 150;

/** The endings a plan takes, in the order in which people are told of them. */
export function acceptedExtensions(plan: PlanName): readonly FileExtension[] {
  const files = Object.keys(fileTypes) as FileExtension[];
  return hasFeature(plan, 'video') ? [...files, ...(Object.keys(videoTypes) as FileExtension[])] : files;
}

/** The last ending of a name, in lower case and without its dot; empty where there is none. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** The type of an ending, or null for one that is not accepted on any plan. */
export function typeOfExtension(extension: string): string | null {
  const types: Record<string, string> = { ...fileTypes, ...videoTypes };
  return Object.hasOwn(types, extension) ? (types[extension] ?? null) : null;
}

/** Whether an ending is one of a video, which only some plans take and which may be larger. */
export function isVideoExtension(extension: string): boolean {
  return Object.hasOwn(videoTypes, extension);
}

/** How many bytes a file with this ending may have. */
export function bytesMaxOf(extension: string): number {
  return isVideoExtension(extension) ? videoBytesMax : fileBytesMax;
}
