import { videoBytesMax } from '#shared/rules/files.ts';

/** Plain talking heads look well at this rate, and a quarter of an hour of them is no larger than a video may be. */
export const recordingBitsPerSecond = 2_000_000;
/** A recording ends by itself after so long. */
export const recordingMsMax = 15 * 60_000;
/** … or when it has come this close to the largest video there may be: the end of a file is still to be written. */
export const recordingBytesMax = videoBytesMax - 2_000_000;

type Format = { mimeType: string; extension: 'mp4' | 'webm' };

/** What is tried, the most widely played first. */
const formats: readonly Format[] = [
  { mimeType: 'video/mp4;codecs="avc1.42E01E,mp4a.40.2"', extension: 'mp4' },
  { mimeType: 'video/webm;codecs="vp8,opus"', extension: 'webm' },
  { mimeType: 'video/webm', extension: 'webm' },
  { mimeType: 'video/mp4', extension: 'mp4' },
];

/** The format that a browser can record; undefined where it can none that we store. */
export function recordingFormat(canRecord: (mimeType: string) => boolean): Format | undefined {
  return formats.find(({ mimeType }) => canRecord(mimeType));
}

/** `video-2026-11-21.webm`. */
export function recordingName(day: string, extension: string): string {
  return `video-${day}.${extension}`;
}

/** `3:07`. */
export function elapsedTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Why the camera could not be used, by the name of the browser's error (Media Capture and Streams, §9.3). */
export function cameraTrouble(errorName: string): string {
  switch (errorName) {
    case 'NotAllowedError':
    case 'SecurityError':
      return 'Your browser was not allowed to use the camera and the microphone. Allow both beside the address of this page, then try again.';
    case 'NotFoundError':
    case 'OverconstrainedError':
      return 'We found no camera and microphone on this device. You can choose a video file instead.';
    case 'NotReadableError':
    case 'AbortError':
      return 'The camera is in use by another program. Close that program, then try again.';
    default:
      return 'The camera did not start. Try again, or choose a video file instead.';
  }
}
