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

/** For the `accept` attribute of a field that takes pictures: those of telephones are drawn anew before they are sent. */
export const acceptedPictures = withOtherEndings(Object.keys(originalTypes))
  .map((ending) => `.${ending}`)
  .join(',');

/** What is taken as a picture, below the field. */
export const pictureWords = `jpg, png, gif, webp or heic, up to ${pictureMegabytes} MB each and ${enclosuresMax.picture} in all`;

/** Whether a picture is of the kind that most telephones take and few browsers show (HEIF, ISO/IEC 23008-12). */
export function isHeic(name: string): boolean {
  return ['heic', 'heif'].includes(endingOf(name));
}

/** The picture that was chosen, where it was drawn anew: kept beside the other where the plan has room, or else in its place. */
export type Original = { file: File; kept: 'beside' | 'instead' };

/** The one that was chosen, where it can be kept beside the one drawn anew, or else sent in its place. */
export function originalOf(chosen: File, drawn: File, plan: PlanName): Original | undefined {
  if (chosen === drawn) return undefined;
  if (hasFeature(plan, originalsFeature) && originalTypeOf(chosen.name) && chosen.size <= originalBytesMax)
    return { file: chosen, kept: 'beside' };
  if (enclosureKindOf(chosen.name) !== 'picture' || pictureTooLarge(chosen)) return undefined;
  return { file: chosen, kept: 'instead' };
}

/** Why a chosen file is no picture that is taken, by its name and size, where so many are there already. */
export function pictureRefusal({ name, size }: { name: string; size: number }, there: number): FileRefusal | undefined {
  if (enclosureKindOf(name) !== 'picture' && !isHeic(name))
    return { title: 'File type not accepted', description: `${name} is no picture that we can take: ${pictureWords}.` };
  if (size === 0)
    return { title: 'Empty file', description: `There is nothing in ${name}. Please select another one.` };
  if (there >= enclosuresMax.picture)
    return {
      title: 'No more pictures',
      description: `A letter has room for ${enclosuresMax.picture} pictures. Take one out before you add another.`,
    };
  return undefined;
}

/** Why a picture can't be sent as it is. */
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

/** What is taken as a voice, below the field. */
export const voiceWords = `mp3, m4a, ogg, webm or wav, up to ${voiceMegabytes} MB`;

/** Why a chosen file is no voice that is taken; undefined where, by its name and size, it is. The service looks inside. */
export function voiceRefusal({ name, size }: { name: string; size: number }): FileRefusal | undefined {
  if (enclosureKindOf(name) !== 'voice')
    return { title: 'File type not accepted', description: `Please select a recording: ${voiceWords}.` };
  if (size > enclosureBytesMax.voice)
    return { title: 'File too large', description: `Please select a recording smaller than ${voiceMegabytes}MB.` };
  if (size === 0)
    return { title: 'Empty file', description: 'There is nothing in this file. Please select another one.' };
  return undefined;
}
