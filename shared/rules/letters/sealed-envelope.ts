import { fileBytesMax, videoBytesMax } from '#shared/rules/files.ts';
import {
  enclosureBytesMax,
  enclosuresMax,
  originalBytesMax,
  originalsFeature,
} from '#shared/rules/letters/enclosures.ts';
import { bytesPerMegabyte, hasFeature, type PlanName } from '#shared/rules/plans.ts';

/*
 * What lies in the envelope of a letter with a passphrase: pictures, voice and file, packed into one file and sealed in the
 * browser under a key that stands under the seal of the words. To the service it is the letter's attachment, and says
 * neither how many they are nor what.
 */

export const sealedEnvelopeExtension = 'sealed';
/** No other file is given out under it. */
export const sealedEnvelopeType = 'application/octet-stream';
/** How such a file begins: what it is, and in which way it is sealed. */
export const sealedEnvelopeMark = 'EKSEAL1\n';
/** AES-256-GCM seals so many bytes at a time, each piece with a tag of its own (NIST SP 800-38D). */
export const sealedSegmentBytes = 1_048_576;
/** Room for captions and for what voice and video say. */
const wordsBytesMax = bytesPerMegabyte;

/** Number of bytes the envelope of a sealed letter may have on a plan: all that a letter may hold in the clear. */
export function sealedEnvelopeBytesMax(plan: PlanName): number {
  const ofPicture = enclosureBytesMax.picture + (hasFeature(plan, originalsFeature) ? originalBytesMax : 0);
  const pictures = enclosuresMax.picture * ofPicture;
  const file = hasFeature(plan, 'video') ? videoBytesMax : fileBytesMax;
  return pictures + enclosuresMax.voice * enclosureBytesMax.voice + file + wordsBytesMax;
}

/** Its name, by which one is told from another: the words open the one that was sealed with them. */
export function sealedEnvelopeName(number: string): string {
  return `envelope-${number}.${sealedEnvelopeExtension}`;
}

export function isSealedEnvelope({ mimeType }: { mimeType: string | null | undefined }): boolean {
  return mimeType === sealedEnvelopeType;
}

/** Said of it where a letter is set on paper and can't be opened. */
export const sealedEnvelopeLine = 'What lies in its envelope is sealed with the same passphrase.';
