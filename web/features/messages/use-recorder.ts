import { useCallback, useEffect, useRef, useState } from 'react';
import { isoDay } from '#web/lib/format.ts';
import {
  cameraTrouble,
  recordingBitsPerSecond,
  recordingBytesMax,
  recordingFormat,
  recordingMsMax,
  recordingName,
} from './recording.rules.ts';

/** How often the recorder hands over what it has, in milliseconds. */
const sliceMs = 500;

export type Recording =
  | { state: 'opening' }
  | { state: 'ready'; stream: MediaStream }
  | { state: 'recording'; stream: MediaStream; elapsedMs: number }
  | { state: 'recorded'; file: File; url: string; elapsedMs: number; endedByItself: boolean }
  | { state: 'failed'; message: string };

/** Whether this browser can record a video that we store. */
export function canRecord(): boolean {
  return typeof MediaRecorder !== 'undefined' && 'mediaDevices' in navigator && format() !== undefined;
}

const format = () => recordingFormat((mimeType) => MediaRecorder.isTypeSupported(mimeType));

/** Camera, recorder and the file they make. The camera is off again as soon as nothing is recorded or shown. */
export function useRecorder() {
  const [recording, setRecording] = useState<Recording>({ state: 'opening' });
  const [round, setRound] = useState(0);
  const recorder = useRef<MediaRecorder>(undefined);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another round opens the camera anew.
  useEffect(() => {
    let isCurrent = true;
    let stream: MediaStream | undefined;
    setRecording({ state: 'opening' });
    openCamera().then(
      (opened) => {
        stream = opened;
        if (isCurrent) setRecording({ state: 'ready', stream: opened });
        else turnOff(opened);
      },
      (error: unknown) => {
        const message = cameraTrouble(error instanceof Error ? error.name : '');
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
    recorder.current = record(stream, {
      onProgress: (elapsedMs) => setRecording({ state: 'recording', stream, elapsedMs }),
      onEnd: (made) => {
        turnOff(stream);
        // Whoever has left the page meanwhile gets nothing more from it.
        if (recorder.current) setRecording({ state: 'recorded', ...made, url: URL.createObjectURL(made.file) });
      },
    });
  };
  const stop = useCallback(() => recorder.current?.stop(), []);
  const again = useCallback(() => setRound((number) => number + 1), []);
  return { recording, start, stop, again };
}

function openCamera(): Promise<MediaStream> {
  return navigator.mediaDevices.getUserMedia({
    audio: true,
    video: { width: { ideal: 1280 }, height: { ideal: 720 }, facingMode: 'user' },
  });
}

function turnOff(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

type Made = { file: File; elapsedMs: number; endedByItself: boolean };
type Listener = { onProgress: (elapsedMs: number) => void; onEnd: (made: Made) => void };

/** Records a stream until it is stopped, or has become as long or as large as a video may be. */
function record(stream: MediaStream, { onProgress, onEnd }: Listener): MediaRecorder {
  const chosen = format();
  const recorder = new MediaRecorder(stream, {
    ...(chosen ? { mimeType: chosen.mimeType } : {}),
    videoBitsPerSecond: recordingBitsPerSecond,
  });
  const parts: Blob[] = [];
  const startedMs = performance.now();
  let sizeBytes = 0;
  let endedByItself = false;
  const elapsed = () => performance.now() - startedMs;

  recorder.addEventListener('dataavailable', ({ data }) => {
    parts.push(data);
    sizeBytes += data.size;
    if (recorder.state !== 'recording') return;
    onProgress(elapsed());
    if (elapsed() < recordingMsMax && sizeBytes < recordingBytesMax) return;
    endedByItself = true;
    recorder.stop();
  });
  recorder.addEventListener('stop', () => {
    const type = recorder.mimeType.split(';')[0] || 'video/webm';
    const name = recordingName(isoDay(Date.now()), chosen?.extension ?? 'webm');
    onEnd({ file: new File(parts, name, { type }), elapsedMs: elapsed(), endedByItself });
  });
  recorder.start(sliceMs);
  onProgress(0);
  return recorder;
}
