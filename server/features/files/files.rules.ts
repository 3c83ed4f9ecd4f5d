import { AppError } from '#shared/contract/errors.ts';
import { adviceFor } from '#shared/rules/files/advice.ts';
import { acceptedExtensions, bytesMaxOf, endingOf, isVideoExtension, typeOfExtension } from '#shared/rules/files.ts';
import {
  enclosureBytesMax,
  enclosureKindOf,
  enclosureKinds,
  enclosureTypeOf,
  enclosureTypes,
  originalBytesMax,
  originalsFeature,
  originalTypeOf,
  originalTypes,
} from '#shared/rules/letters/enclosures.ts';
import {
  sealedEnvelopeBytesMax,
  sealedEnvelopeExtension,
  sealedEnvelopeType,
} from '#shared/rules/letters/sealed-envelope.ts';
import { bytesPerMegabyte, canStore, hasFeature, type PlanName, plans } from '#shared/rules/plans.ts';

export type FileUse = 'attachments' | 'enclosures' | 'originals' | 'documentVault';

/** Feature of a plan that each purpose needs. */
const featureOf = {
  attachments: 'attachments',
  enclosures: 'attachments',
  originals: originalsFeature,
  documentVault: 'documentVault',
} as const;

const sellingSentences: Record<FileUse | 'video', string> = {
  attachments: 'File attachments require Essential plan or higher. Upgrade to attach documents to your messages.',
  enclosures:
    'Pictures and voice are available with Essential, Premium and Lifetime plans. Upgrade to put them into your letters.',
  originals:
    'Original photographs are kept with Premium and Lifetime plans. Upgrade to keep them beside your pictures.',
  documentVault:
    'The document vault is available with Essential, Premium and Lifetime plans. Upgrade to store documents.',
  video: 'Video is available with Premium and Lifetime plans. Upgrade to store videos.',
};

/** @throws AppError `FEATURE_NOT_IN_PLAN`. */
export function requireFeature(plan: PlanName, use: FileUse | 'video'): void {
  if (hasFeature(plan, use === 'video' ? use : featureOf[use])) return;
  throw new AppError('FEATURE_NOT_IN_PLAN', sellingSentences[use], { upgradeRequired: true });
}

/** Accepted type of a file, and its size limit. */
export type AcceptedKind = { extension: string; mimeType: string; bytesMax: number; called: FileWord };
type FileWord = 'file' | 'video' | 'picture' | 'recording';

/** @throws AppError `UNSUPPORTED_MEDIA_TYPE`, or `FEATURE_NOT_IN_PLAN` for a video where the plan has none. */
export function acceptName(plan: PlanName, use: FileUse, name: string): AcceptedKind {
  if (use === 'enclosures') return acceptEnclosure(name);
  if (use === 'originals') return acceptOriginal(name);
  const extension = endingOf(name);
  if (use === 'attachments' && extension === sealedEnvelopeExtension)
    return { extension, mimeType: sealedEnvelopeType, bytesMax: sealedEnvelopeBytesMax(plan), called: 'file' };
  const mimeType = typeOfExtension(extension);
  if (mimeType === null) throw notTaken(extension, acceptedExtensions(plan));
  const isVideo = isVideoExtension(extension);
  if (isVideo) requireFeature(plan, 'video');
  return { extension, mimeType, bytesMax: bytesMaxOf(extension), called: isVideo ? 'video' : 'file' };
}

function acceptEnclosure(name: string): AcceptedKind {
  const kind = enclosureKindOf(name);
  const mimeType = enclosureTypeOf(name);
  if (!kind || !mimeType)
    throw notTaken(
      endingOf(name),
      enclosureKinds.flatMap((each) => Object.keys(enclosureTypes[each])),
    );
  const called = kind === 'voice' ? 'recording' : 'picture';
  return { extension: endingOf(name), mimeType, bytesMax: enclosureBytesMax[kind], called };
}

function acceptOriginal(name: string): AcceptedKind {
  const mimeType = originalTypeOf(name);
  if (!mimeType) throw notTaken(endingOf(name), Object.keys(originalTypes));
  return { extension: endingOf(name), mimeType, bytesMax: originalBytesMax, called: 'picture' };
}

function notTaken(extension: string, accepted: readonly string[]): AppError {
  const advice = adviceFor(extension);
  const words = advice ? `${advice} ` : 'We cannot accept this kind of file. ';
  return new AppError('UNSUPPORTED_MEDIA_TYPE', `${words}These are accepted: ${accepted.join(', ')}.`);
}

/** Error for a file above its size limit. */
export function tooLarge({ called, bytesMax }: Pick<AcceptedKind, 'called' | 'bytesMax'>): AppError {
  const message = `File too large: Please select a ${called} smaller than ${bytesMax / bytesPerMegabyte}MB.`;
  return new AppError('PAYLOAD_TOO_LARGE', message);
}

/** An owner's room: the stored bytes, without those that a new file replaces. */
export type Room = { plan: PlanName; usedBytes: number };

/** @throws AppError `STORAGE_LIMIT_EXCEEDED`. */
export function requireRoomFor({ plan, usedBytes }: Room, addedBytes: number): void {
  if (!canStore(plan, usedBytes, addedBytes)) throw noRoom({ plan, usedBytes });
}

/** Error for a file above the plan's free storage. */
export function noRoom({ plan, usedBytes }: Room): AppError {
  const { storageLimitMb: limit, title } = plans[plan];
  const current = Math.round((usedBytes / bytesPerMegabyte) * 10) / 10;
  return new AppError(
    'STORAGE_LIMIT_EXCEEDED',
    `This file does not fit: ${current} MB of the ${limit} MB of ${title} are used. Upgrade for more room, or delete something first.`,
    { upgradeRequired: true, current, limit },
  );
}

/** Size limit of a file, with the error for a larger one. */
export function limitOf(room: Room, kind: AcceptedKind): { bytesMax: number; refusal: () => AppError } {
  const freeBytes = plans[room.plan].storageLimitMb * bytesPerMegabyte - room.usedBytes;
  return freeBytes < kind.bytesMax
    ? { bytesMax: Math.max(0, freeBytes), refusal: () => noRoom(room) }
    : { bytesMax: kind.bytesMax, refusal: () => tooLarge(kind) };
}
