import { fileBytesMax, videoBytesMax } from '#shared/rules/files.ts';
import {
  enclosureBytesMax,
  enclosuresMax,
  originalBytesMax,
  originalsFeature,
} from '#shared/rules/letters/enclosures.ts';
import { bytesPerMegabyte, hasFeature, type PlanName } from '#shared/rules/plans.ts';

/* Envelope of a letter with a passphrase: pictures, voice and file, packed into one file. The browser seals it
   under a key that is inside the sealed text. The service stores it as the letter's attachment, and learns neither
   the number nor the kind of its parts. */

export const sealedEnvelopeExtension = 'sealed';
/** No other file is given out under it. */
export const sealedEnvelopeType = 'application/octet-stream';
/** First bytes of such a file: its type and the version of its seal. */
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

/** File name of an envelope. The number ties it to the text that was sealed with it. */
export function sealedEnvelopeName(number: string): string {
  return `envelope-${number}.${sealedEnvelopeExtension}`;
}

export function isSealedEnvelope({ mimeType }: { mimeType: string | null | undefined }): boolean {
  return mimeType === sealedEnvelopeType;
}

/** Said of it where a letter is set on paper and can't be opened. */
export const sealedEnvelopeLine = 'The contents of its envelope are sealed with the same passphrase.';
