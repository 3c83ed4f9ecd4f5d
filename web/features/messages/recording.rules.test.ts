import { describe, expect, it } from 'vitest';
import { videoBytesMax } from '#shared/rules/files.ts';
import {
  cameraTrouble,
  elapsedTime,
  recordingBitsPerSecond,
  recordingBytesMax,
  recordingFormat,
  recordingMsMax,
  recordingName,
} from './recording.rules.ts';

describe('A recording', () => {
  it('is made in the most widely played format that the browser can write', () => {
    expect(recordingFormat(() => true)?.extension).toBe('mp4');
    expect(recordingFormat((type) => type.startsWith('video/webm'))).toEqual({
      mimeType: 'video/webm;codecs="vp8,opus"',
      extension: 'webm',
    });
    expect(recordingFormat((type) => type === 'video/mp4')?.extension).toBe('mp4');
  });

  it('is not offered where the browser can write none of them', () => {
    expect(recordingFormat(() => false)).toBeUndefined();
  });

  it('is no larger than a video may be when its time is up', () => {
    expect((recordingBitsPerSecond / 8) * (recordingMsMax / 1000)).toBeLessThan(recordingBytesMax);
    expect(recordingBytesMax).toBeLessThan(videoBytesMax);
  });

  it('has a name with its day, and tells how long it is', () => {
    expect(recordingName('2026-11-21', 'webm')).toBe('video-2026-11-21.webm');
    expect([0, 999, 7_000, 187_000, 900_000].map(elapsedTime)).toEqual(['0:00', '0:00', '0:07', '3:07', '15:00']);
  });

  it.each([
    ['NotAllowedError', /Allow both/],
    ['NotFoundError', /choose a video file/],
    ['NotReadableError', /another program/],
    ['Anything', /Try again/],
  ])('that can’t begin says what to do: %s', (name, words) => {
    expect(cameraTrouble(name)).toMatch(words);
  });
});
