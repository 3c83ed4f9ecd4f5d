import { enclosureBytesMax, enclosureKindOf, enclosuresMax, enclosureTypes } from '#shared/rules/letters/enclosures.ts';
import { bytesPerMegabyte } from '#shared/rules/plans.ts';
import type { FileRefusal } from '#web/lib/file-choice.rules.ts';

const pictureMegabytes = enclosureBytesMax.picture / bytesPerMegabyte;

/** For the `accept` attribute of a field that takes pictures. */
export const acceptedPictures = Object.keys(enclosureTypes.picture)
  .map((ending) => `.${ending}`)
  .join(',');

/** What is taken as a picture, below the field. */
export const pictureWords = `jpg, png, gif or webp, up to ${pictureMegabytes} MB each and ${enclosuresMax.picture} in all`;

/** Why a chosen file is no picture that is taken, by its name and size, where so many are there already. */
export function pictureRefusal({ name, size }: { name: string; size: number }, there: number): FileRefusal | undefined {
  if (enclosureKindOf(name) !== 'picture')
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
export const acceptedVoices = voiceEndings.map((ending) => `.${ending}`).join(',');

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
