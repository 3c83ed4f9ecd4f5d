import { endingOf, withOtherEndings } from '#shared/rules/files.ts';
import {
  enclosureBytesMax,
  enclosureKindOf,
  enclosuresMax,
  enclosureTypes,
  originalBytesMax,
  originalsFeature,
  originalTypeOf,
  originalTypes,
} from '#shared/rules/letters/enclosures.ts';
import { bytesPerMegabyte, hasFeature, type PlanName } from '#shared/rules/plans.ts';
import type { FileRefusal } from '#web/lib/file-choice.rules.ts';

const pictureMegabytes = enclosureBytesMax.picture / bytesPerMegabyte;

/** Value of the `accept` attribute for pictures. Pictures of telephones are redrawn before they are sent. */
export const acceptedPictures = withOtherEndings(Object.keys(originalTypes))
  .map((ending) => `.${ending}`)
  .join(',');

/** Accepted kinds of pictures, shown below the field. */
export const pictureWords = `jpg, png, gif, webp or heic, up to ${pictureMegabytes} MB each and ${enclosuresMax.picture} in all`;

/** True if the picture is of the kind that most telephones take and few browsers show (HEIF, ISO/IEC 23008-12). */
export function isHeic(name: string): boolean {
  return ['heic', 'heif'].includes(endingOf(name));
}

/**
 * The chosen picture, if it was redrawn. It is kept as the original if the plan has room, or else sent in place of the
 * other.
 */
export type Original = { file: File; kept: 'beside' | 'instead' };

/** The chosen picture, if it can be kept with the redrawn one, or sent in its place. */
export function originalOf(chosen: File, drawn: File, plan: PlanName): Original | undefined {
  if (chosen === drawn) return undefined;
  if (hasFeature(plan, originalsFeature) && originalTypeOf(chosen.name) && chosen.size <= originalBytesMax)
    return { file: chosen, kept: 'beside' };
  if (enclosureKindOf(chosen.name) !== 'picture' || pictureTooLarge(chosen)) return undefined;
  return { file: chosen, kept: 'instead' };
}

/** Reason to refuse a chosen file as a picture, from its name, its size and the number of pictures so far. */
export function pictureRefusal({ name, size }: { name: string; size: number }, there: number): FileRefusal | undefined {
  if (enclosureKindOf(name) !== 'picture' && !isHeic(name))
    return {
      title: 'File type not accepted',
      description: `${name} is not a picture that we can accept: ${pictureWords}.`,
    };
  if (size === 0)
    return { title: 'Empty file', description: `There is nothing in ${name}. Please select another one.` };
  if (there >= enclosuresMax.picture)
    return {
      title: 'No more pictures',
      description: `A letter has room for ${enclosuresMax.picture} pictures. Take one out before you add another.`,
    };
  return undefined;
}

/** Reason why a picture can't be sent unchanged. */
export function pictureTooLarge({ name, size }: { name: string; size: number }): FileRefusal | undefined {
  if (size <= enclosureBytesMax.picture) return undefined;
  return { title: 'File too large', description: `${name} is larger than ${pictureMegabytes} MB.` };
}

const voiceEndings = Object.keys(enclosureTypes.voice);
const voiceMegabytes = enclosureBytesMax.voice / bytesPerMegabyte;

/** For the `accept` attribute of a field that takes a voice. */
export const acceptedVoices = withOtherEndings(voiceEndings)
  .map((ending) => `.${ending}`)
  .join(',');

/** Accepted kinds of recordings, shown below the field. */
export const voiceWords = `mp3, m4a, ogg, webm or wav, up to ${voiceMegabytes} MB`;

/**
 * Reason to refuse a chosen file as a voice, from its name and size. Undefined if it is accepted. The service checks
 * the content.
 */
export function voiceRefusal({ name, size }: { name: string; size: number }): FileRefusal | undefined {
  if (enclosureKindOf(name) !== 'voice')
    return { title: 'File type not accepted', description: `Please select a recording: ${voiceWords}.` };
  if (size > enclosureBytesMax.voice)
    return { title: 'File too large', description: `Please select a recording smaller than ${voiceMegabytes}MB.` };
  if (size === 0)
    return { title: 'Empty file', description: 'There is nothing in this file. Please select another one.' };
  return undefined;
}
