import { useEffect, useState } from 'react';
import { hearingWords, levelPath, levelStrokes, loudnessOf } from './recording.rules.ts';

/** A stroke of the level stands for so long, in milliseconds. */
const strokeMs = 100;

/** Level of the microphone, stroke by stroke, while it is on. */
export function Level({ stream, isPaused }: { stream: MediaStream; isPaused: boolean }) {
  const levels = useLevels(stream, isPaused);
  return (
    <>
      <LevelDrawing levels={levels} />
      <span className="vh" role="status">
        {isPaused ? '' : hearingWords(levels)}
      </span>
    </>
  );
}

/** The strokes alone; what they say stands beside them in words. */
function LevelDrawing({ levels }: { levels: readonly number[] }) {
  return (
    <svg className="rec-level" viewBox="0 0 600 44" preserveAspectRatio="xMaxYMid slice" aria-hidden="true">
      <path d={levelPath(levels)} />
    </svg>
  );
}

function useLevels(stream: MediaStream, isPaused: boolean): readonly number[] {
  const [levels, setLevels] = useState<readonly number[]>([]);
  useEffect(() => {
    if (isPaused || typeof AudioContext === 'undefined') return;
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    const timer = setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      setLevels((before) => [...before.slice(1 - levelStrokes), loudnessOf(samples)]);
    }, strokeMs);
    return () => {
      clearInterval(timer);
      void context.close();
    };
  }, [stream, isPaused]);
  return levels;
}
