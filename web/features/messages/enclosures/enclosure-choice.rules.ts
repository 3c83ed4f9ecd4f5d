import { enclosureBytesMax, enclosureKindOf, enclosureTypes } from '#shared/rules/enclosures.ts';
import { bytesPerMegabyte } from '#shared/rules/plans.ts';
import type { FileRefusal } from '#web/lib/file-choice.rules.ts';

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
