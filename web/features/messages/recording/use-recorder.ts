import { useCallback, useEffect, useRef, useState } from 'react';
import { isoDay } from '#web/lib/format.ts';
import { deviceTrouble, type Medium, recordingFormat, recordingName } from './recording.rules.ts';

/** Interval in milliseconds at which the recorder returns its data. */
const sliceMs = 500;

export type Recording =
  | { state: 'opening' }
  | { state: 'ready'; stream: MediaStream }
  | { state: 'recording'; stream: MediaStream; elapsedMs: number; isPaused: boolean }
  | { state: 'recorded'; file: File; url: string; elapsedMs: number; endedByItself: boolean }
  | { state: 'failed'; message: string };

/** True if this browser can record a format that we store. */
export function canRecord(medium: Medium): boolean {
  return typeof MediaRecorder !== 'undefined' && 'mediaDevices' in navigator && formatOf(medium) !== undefined;
}

const formatOf = (medium: Medium) => recordingFormat(medium, (mimeType) => MediaRecorder.isTypeSupported(mimeType));

/** Camera or microphone, recorder, and the file they make. The device is off again as soon as nothing is recorded or shown. */
export function useRecorder(medium: Medium) {
  const [recording, setRecording] = useState<Recording>({ state: 'opening' });
  const [round, setRound] = useState(0);
  const recorder = useRef<MediaRecorder>(undefined);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another round opens the device anew.
  useEffect(() => {
    let isCurrent = true;
    let stream: MediaStream | undefined;
    setRecording({ state: 'opening' });
    navigator.mediaDevices.getUserMedia(medium.constraints).then(
      (opened) => {
        stream = opened;
        if (isCurrent) setRecording({ state: 'ready', stream: opened });
        else turnOff(opened);
      },
      (error: unknown) => {
        const message = deviceTrouble(medium, error instanceof Error ? error.name : '');
        if (isCurrent) setRecording({ state: 'failed', message });
      },
    );
    return () => {
      isCurrent = false;
      recorder.current = undefined;
      if (stream) turnOff(stream);
    };
  }, [round]);

  useEffect(() => {
    if (recording.state !== 'recorded') return;
    return () => URL.revokeObjectURL(recording.url);
  }, [recording]);

  const start = (stream: MediaStream) => {
    recorder.current = record(medium, stream, {
      onProgress: (elapsedMs, isPaused) => setRecording({ state: 'recording', stream, elapsedMs, isPaused }),
      onEnd: (made) => {
        turnOff(stream);
        // A page that was left in the meantime gets no more data.
        if (recorder.current) setRecording({ state: 'recorded', ...made, url: URL.createObjectURL(made.file) });
      },
    });
  };
  const stop = useCallback(() => recorder.current?.stop(), []);
  const pause = useCallback(() => recorder.current?.pause(), []);
  const goOn = useCallback(() => recorder.current?.resume(), []);
  const again = useCallback(() => setRound((number) => number + 1), []);
  return { recording, start, stop, pause, goOn, again };
}

function turnOff(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

type Made = { file: File; elapsedMs: number; endedByItself: boolean };
type Listener = { onProgress: (elapsedMs: number, isPaused: boolean) => void; onEnd: (made: Made) => void };

/** Records a stream until it is stopped, or has become as long or as large as it may be. Pauses do not count. */
function record(medium: Medium, stream: MediaStream, { onProgress, onEnd }: Listener): MediaRecorder {
  const chosen = formatOf(medium);
  const recorder = new MediaRecorder(stream, {
    ...(chosen ? { mimeType: chosen.mimeType } : {}),
    ...medium.rates,
  });
  const parts: Blob[] = [];
  let recordedMs = 0;
  let runningSinceMs: number | null = performance.now();
  let sizeBytes = 0;
  let endedByItself = false;
  const elapsed = () => recordedMs + (runningSinceMs === null ? 0 : performance.now() - runningSinceMs);

  recorder.addEventListener('dataavailable', ({ data }) => {
    parts.push(data);
    sizeBytes += data.size;
    if (recorder.state !== 'recording') return;
    onProgress(elapsed(), false);
    if (elapsed() < medium.msMax && sizeBytes < medium.bytesMax) return;
    endedByItself = true;
    recorder.stop();
  });
  recorder.addEventListener('pause', () => {
    recordedMs = elapsed();
    runningSinceMs = null;
    onProgress(recordedMs, true);
  });
  recorder.addEventListener('resume', () => {
    runningSinceMs = performance.now();
    onProgress(recordedMs, false);
  });
  recorder.addEventListener('stop', () => {
    const type = recorder.mimeType.split(';')[0] || (chosen?.mimeType ?? '');
    const name = recordingName(medium, isoDay(Date.now()), chosen?.extension ?? 'webm');
    onEnd({ file: new File(parts, name, { type }), elapsedMs: elapsed(), endedByItself });
  });
  recorder.start(sliceMs);
  onProgress(0, false);
  return recorder;
}
