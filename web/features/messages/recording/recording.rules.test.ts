import { describe, expect, it } from 'vitest';
import { videoBytesMax } from '#shared/rules/files.ts';
import { enclosureBytesMax, enclosureKindOf } from '#shared/rules/letters/enclosures.ts';
import {
  deviceTrouble,
  hearingWords,
  levelPath,
  levelStrokes,
  loudnessOf,
  recordingFormat,
  recordingName,
  video,
  voice,
} from './recording.rules.ts';

describe('A recording', () => {
  it('is made in the most widely played format that the browser can write', () => {
    expect(recordingFormat(video, () => true)?.extension).toBe('mp4');
    expect(recordingFormat(video, (type) => type.startsWith('video/webm'))).toEqual({
      mimeType: 'video/webm;codecs="vp8,opus"',
      extension: 'webm',
    });
    expect(recordingFormat(video, (type) => type === 'video/mp4')?.extension).toBe('mp4');
  });

  it('is not offered where the browser can write none of them', () => {
    expect(recordingFormat(video, () => false)).toBeUndefined();
  });

  it('is no larger than it may be when its time is up', () => {
    expect(((video.rates.videoBitsPerSecond ?? 0) / 8) * (video.msMax / 1000)).toBeLessThan(video.bytesMax);
    expect(video.bytesMax).toBeLessThan(videoBytesMax);
    expect(((voice.rates.audioBitsPerSecond ?? 0) / 8) * (voice.msMax / 1000)).toBeLessThan(voice.bytesMax);
    expect(voice.bytesMax).toBeLessThan(enclosureBytesMax.voice);
  });

  it('has a name with its day', () => {
    expect(recordingName(video, '2026-11-21', 'webm')).toBe('video-2026-11-21.webm');
    expect(recordingName(voice, '2026-11-21', 'm4a')).toBe('voice-2026-11-21.m4a');
  });

  it.each([
    ['NotAllowedError', /Allow both/],
    ['NotFoundError', /choose a video file/],
    ['NotReadableError', /another program/],
    ['Anything', /Try again/],
  ])('that can’t begin says what to do: %s', (name, words) => {
    expect(deviceTrouble(video, name)).toMatch(words);
  });

  it.each([
    ['NotAllowedError', /use the microphone\. Allow it beside/],
    ['NotFoundError', /found no microphone on this device/],
    ['NotReadableError', /The microphone is in use/],
    ['Anything', /choose a recording that you have/],
  ])('for a voice names only the microphone: %s', (name, words) => {
    expect(deviceTrouble(voice, name)).toMatch(words);
  });

  it('for a voice has an accepted ending, in every format', () => {
    for (const { mimeType, extension } of voice.formats) {
      expect(recordingFormat(voice, (type) => type === mimeType)?.extension).toBe(extension);
      expect(enclosureKindOf(`a.${extension}`)).toBe('voice');
    }
  });
});

describe('The level of a voice', () => {
  it('is zero in silence and full for a shout', () => {
    expect(loudnessOf([])).toBe(0);
    expect(loudnessOf(new Float32Array(512))).toBe(0);
    expect(loudnessOf(new Float32Array(512).fill(0.1))).toBeCloseTo(0.4);
    expect(loudnessOf(new Float32Array(512).fill(1))).toBe(1);
  });

  it('has words for people who can’t see it', () => {
    expect(hearingWords([])).toMatch(/hear nothing yet/);
    expect(hearingWords([0, 0.001])).toMatch(/hear nothing yet/);
    expect(hearingWords([0, 0.3])).toBe('We can hear you well.');
  });

  it('is drawn with the newest stroke at the right, and no more of them than fit', () => {
    expect(levelPath([])).toBe('');
    expect(levelPath([0])).toBe('M597 20.5v3');
    const many = levelPath(Array.from({ length: levelStrokes + 50 }, () => 1));
    expect(many.match(/M/g)).toHaveLength(levelStrokes);
    expect(many.startsWith('M3 3v38')).toBe(true);
  });
});
