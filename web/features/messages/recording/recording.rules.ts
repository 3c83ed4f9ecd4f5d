import { videoBytesMax } from '#shared/rules/files.ts';
import { enclosureBytesMax, voiceMsMax } from '#shared/rules/letters/enclosures.ts';

type Format = { mimeType: string; extension: string };

/** Kind of a recording, and the limits at which it stops. */
export type Medium = {
  what: 'video' | 'voice';
  /** Constraints for the device (Media Capture and Streams, §5.2). */
  constraints: MediaStreamConstraints;
  /** Formats to try, the most widely supported first. */
  formats: readonly Format[];
  /** Bit rates for the recorder (MediaStream Recording, §2.3). */
  rates: Pick<MediaRecorderOptions, 'videoBitsPerSecond' | 'audioBitsPerSecond'>;
  msMax: number;
  bytesMax: number;
};

/** Bytes reserved for the end of a file, which is still to be written. */
const endBytes = 2_000_000;

export const video: Medium = {
  what: 'video',
  constraints: {
    audio: true,
    video: { width: { ideal: 1280 }, height: { ideal: 720 }, facingMode: 'user' },
  },
  formats: [
    { mimeType: 'video/mp4;codecs="avc1.42E01E,mp4a.40.2"', extension: 'mp4' },
    { mimeType: 'video/webm;codecs="vp8,opus"', extension: 'webm' },
    { mimeType: 'video/webm', extension: 'webm' },
    { mimeType: 'video/mp4', extension: 'mp4' },
  ],
  // Plain talking heads look well at this rate, and a quarter of an hour of them is no larger than a video may be.
  rates: { videoBitsPerSecond: 2_000_000 },
  msMax: 15 * 60_000,
  bytesMax: videoBytesMax - endBytes,
};

export const voice: Medium = {
  what: 'voice',
  constraints: { audio: true },
  formats: [
    { mimeType: 'audio/mp4;codecs="mp4a.40.2"', extension: 'm4a' },
    { mimeType: 'audio/webm;codecs=opus', extension: 'webm' },
    { mimeType: 'audio/ogg;codecs=opus', extension: 'ogg' },
    { mimeType: 'audio/webm', extension: 'webm' },
    { mimeType: 'audio/mp4', extension: 'm4a' },
  ],
  // A voice is clear at this rate, and twenty minutes of it are no larger than a recording may be.
  rates: { audioBitsPerSecond: 96_000 },
  msMax: voiceMsMax,
  bytesMax: enclosureBytesMax.voice - endBytes,
};

/** The format that a browser can record; undefined where it can none that we store. */
export function recordingFormat({ formats }: Medium, canRecord: (mimeType: string) => boolean): Format | undefined {
  return formats.find(({ mimeType }) => canRecord(mimeType));
}

/** `video-2026-11-21.webm`. */
export function recordingName({ what }: Medium, day: string, extension: string): string {
  return `${what}-${day}.${extension}`;
}

/** Reason why nothing could be recorded, by the name of the browser's error (Media Capture and Streams, §9.3). */
export function deviceTrouble({ what }: Medium, errorName: string): string {
  const words = troubles[what];
  switch (errorName) {
    case 'NotAllowedError':
    case 'SecurityError':
      return `Your browser was not allowed to use ${words.devices}. Allow ${words.them} beside the address of this page, then try again.`;
    case 'NotFoundError':
    case 'OverconstrainedError':
      return `We found no ${words.found} on this device. You can choose ${words.instead} instead.`;
    case 'NotReadableError':
    case 'AbortError':
      return `The ${words.device} is in use by another program. Close that program, then try again.`;
    default:
      return `The ${words.device} did not start. Try again, or choose ${words.instead} instead.`;
  }
}

const troubles = {
  video: {
    devices: 'the camera and the microphone',
    them: 'both',
    found: 'camera and microphone',
    device: 'camera',
    instead: 'a video file',
  },
  voice: {
    devices: 'the microphone',
    them: 'it',
    found: 'microphone',
    device: 'microphone',
    instead: 'a recording that you have',
  },
} as const satisfies Record<Medium['what'], Record<string, string>>;

/** Softer than this is silence, of a whole that is 1: what a microphone gives of an empty room. */
const silence = 0.01;

/** Loudness of a stretch of sound, from 0 to 1: its root mean square, scaled so that speech fills the height. */
export function loudnessOf(samples: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < samples.length; at += 1) sum += (samples[at] ?? 0) ** 2;
  const mean = samples.length > 0 ? Math.sqrt(sum / samples.length) : 0;
  return Math.min(1, mean * 4);
}

/** Words about the level, for people who can't see it. */
export function hearingWords(levels: readonly number[]): string {
  return levels.some((level) => level > silence)
    ? 'We can hear you well.'
    : 'We hear nothing yet. Is the microphone on?';
}

/** Number of strokes of the level. */
export const levelStrokes = 100;

/** The level as strokes round a middle line, the newest at the right, in a drawing of 600 by 44. */
export function levelPath(levels: readonly number[]): string {
  const shown = levels.slice(-levelStrokes);
  const from = levelStrokes - shown.length;
  return shown
    .map((level, index) => {
      const height = Math.round(3 + level * 35);
      return `M${(from + index) * 6 + 3} ${22 - height / 2}v${height}`;
    })
    .join('');
}
