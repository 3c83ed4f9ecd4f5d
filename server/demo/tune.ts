const samplesPerSecond = 8_000;
const noteSeconds = 0.42;
/** Half-tones above the A of 220 Hz; null is a rest. A round that every child can sing. */
const melody = [3, 5, 7, 3, 3, 5, 7, 3, 7, 8, 10, null, 7, 8, 10, null, 3, 10, 3, null] as const;

/** A tune on something like a piano, as a WAV file (RIFF, PCM of 16 bits, one channel). */
export function recordTune(): Buffer {
  const perNote = Math.round(noteSeconds * samplesPerSecond);
  const samples = Buffer.alloc(melody.length * perNote * 2);
  for (const [place, note] of melody.entries()) {
    if (note === null) continue;
    const hertz = 220 * 2 ** (note / 12);
    for (let index = 0; index < perNote; index += 1) {
      const seconds = index / samplesPerSecond;
      const turn = 2 * Math.PI * hertz * seconds;
      const tone = Math.sin(turn) + 0.5 * Math.sin(2 * turn) + 0.25 * Math.sin(3 * turn);
      // Struck, and fading.
      const loudness = Math.min(1, seconds * 200) * Math.exp(-4 * seconds);
      samples.writeInt16LE(Math.round(9_000 * tone * loudness), (place * perNote + index) * 2);
    }
  }
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(samplesPerSecond, 24);
  head.writeUInt32LE(samplesPerSecond * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}
