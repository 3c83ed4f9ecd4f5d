import { adviceFor } from '#shared/rules/files/advice.ts';
import {
  acceptedExtensions,
  bytesMaxOf,
  endingOf,
  fileBytesMax,
  isVideoExtension,
  typeOfExtension,
  videoBytesMax,
  withOtherEndings,
} from '#shared/rules/files.ts';
import { bytesPerMegabyte, hasFeature, type PlanName } from '#shared/rules/plans.ts';

/** Refusal of a file, as a title and a sentence. */
export type FileRefusal = { title: string; description: string };

/** Two refusals come as a notice as well; of the others the field says enough. */
export function isNoticed({ title }: FileRefusal): boolean {
  return title === 'Upgrade Required' || title === 'File too large';
}

/**
 * Further types that a file field offers. HEIC and AVIF are left out: an iPhone then converts photos to JPEG, which
 * more people can open.
 */
const alsoOffered = ['rtf', 'odt', 'tif', 'tiff', 'webp'] as const;

/** For the `accept` attribute of a file field. */
export function acceptOf(plan: PlanName): string {
  return withOtherEndings([...acceptedExtensions(plan), ...alsoOffered])
    .map((extension) => `.${extension}`)
    .join(',');
}

/** Accepted files of the plan, shown below the field. */
export function acceptedWords(plan: PlanName): string {
  const files = `PDF, Word, text or picture, up to ${fileBytesMax / bytesPerMegabyte} MB`;
  return hasFeature(plan, 'video') ? `${files}, or video, up to ${videoBytesMax / bytesPerMegabyte} MB` : files;
}

/**
 * Reason why a chosen file can't be stored; undefined if its name and size allow it. The service checks its content.
 */
export function refusalOf({ name, size }: { name: string; size: number }, plan: PlanName): FileRefusal | undefined {
  const extension = endingOf(name);
  const isVideo = isVideoExtension(extension);
  if (isVideo && !hasFeature(plan, 'video')) {
    return { title: 'Upgrade Required', description: 'Videos require Premium plan or higher. Choose another file.' };
  }
  if (size > bytesMaxOf(extension)) return isVideo ? videoTooLarge : fileTooLarge;
  if (typeOfExtension(extension) === null) {
    const description = adviceFor(extension) ?? `Please select another file: ${acceptedWords(plan)}.`;
    return { title: 'File type not accepted', description };
  }
  if (size === 0) {
    return { title: 'Empty file', description: 'There is nothing in this file. Please select another one.' };
  }
  return undefined;
}

const fileTooLarge = { title: 'File too large', description: 'Please select a file smaller than 10MB.' };
const videoTooLarge = { title: 'File too large', description: 'Please select a video smaller than 250MB.' };
