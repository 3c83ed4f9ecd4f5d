import { type RefObject, useEffect, useRef, useState } from 'react';
import { Icon } from '#web/components/ui/icon.tsx';
import { elapsedTime } from '#web/lib/format.ts';
import './player.css';

type PlayerProps = {
  src: string | undefined;
  /** Title of the recording, above the timeline and in the labels of the buttons. */
  title: string;
};

/** Audio player of a recording. Before scripts run, and without them, the browser's own player shows. */
export function Player({ src, title }: PlayerProps) {
  const audio = useRef<HTMLAudioElement>(null);
  const [isMounted, setMounted] = useState(false);
  const playing = usePlaying(audio, src);
  useEffect(() => setMounted(true), []);
  if (playing.state === 'failed') {
    return (
      <div className="player-plain" role="status">
        <Title>{title}</Title>
        <p className="quiet small">This device cannot play it here. Saved, it may play in another program.</p>
      </div>
    );
  }
  return (
    <div className={isMounted ? 'player' : 'player-plain'}>
      {isMounted ? <Controls {...playing} title={title} /> : <Title>{title}</Title>}
      {/* biome-ignore lint/a11y/useMediaCaption: the page shows the transcript beside it, if the writer added one. */}
      <audio ref={audio} src={src} controls={!isMounted} preload="metadata" aria-label={title} className="noprint" />
    </div>
  );
}

type Playing = {
  state: 'paused' | 'playing' | 'failed';
  /** Position in seconds. */
  at: number;
  /** In seconds. Undefined until known: some files state no length before their end. */
  length: number | undefined;
  toggle: () => void;
  goTo: (seconds: number) => void;
};

function usePlaying(audio: RefObject<HTMLAudioElement | null>, src: string | undefined): Playing {
  const [state, setState] = useState<Playing['state']>('paused');
  const [at, setAt] = useState(0);
  const [length, setLength] = useState<number>();
  useEffect(() => {
    const player = audio.current;
    if (!player || src === undefined) return;
    const stop = new AbortController();
    const on = (event: keyof HTMLMediaElementEventMap, act: () => void) =>
      player.addEventListener(event, act, { signal: stop.signal });
    const measure = () => setLength(Number.isFinite(player.duration) ? player.duration : undefined);
    on('durationchange', measure);
    on('timeupdate', () => setAt(player.currentTime));
    on('seeked', () => setAt(player.currentTime));
    on('play', () => setState('playing'));
    on('pause', () => setState('paused'));
    on('ended', () => setState('paused'));
    on('error', () => setState('failed'));
    // Events before this effect were missed, so the state is read once.
    measure();
    setState(player.error ? 'failed' : player.paused ? 'paused' : 'playing');
    return () => stop.abort();
  }, [audio, src]);
  const toggle = () => {
    const player = audio.current;
    if (!player?.paused) return player?.pause();
    for (const other of document.querySelectorAll<HTMLMediaElement>('audio, video')) other.pause();
    // The `error` event reports a failure. A pause before playback starts also rejects, which is harmless.
    player.play()?.catch(() => undefined);
  };
  const goTo = (seconds: number) => {
    if (audio.current) audio.current.currentTime = seconds;
    setAt(seconds);
  };
  return { state, at, length, toggle, goTo };
}

function Controls({ state, at, length, toggle, goTo, title }: Playing & { title: string }) {
  const isPlaying = state === 'playing';
  const now = elapsedTime(at * 1_000);
  const position = length === undefined ? now : `${now} of ${elapsedTime(length * 1_000)}`;
  return (
    <>
      <button
        className="play noprint"
        type="button"
        aria-label={`${isPlaying ? 'Pause' : 'Play'}: ${title}`}
        onClick={toggle}
      >
        <Icon name={isPlaying ? 'pause' : 'play'} />
      </button>
      <div>
        <div className="player-title">
          <Title>{title}</Title>
          <span className="num small quiet noprint">{position}</span>
        </div>
        <div className="player-line noprint">
          {length === undefined ? null : (
            <>
              <Ticks part={Math.min(1, at / length)} />
              <input
                type="range"
                aria-label={`Where to listen from: ${title}`}
                aria-valuetext={position}
                min={0}
                max={Math.max(1, Math.floor(length))}
                value={Math.floor(at)}
                onChange={({ target }) => goTo(Number(target.value))}
              />
            </>
          )}
        </div>
      </div>
    </>
  );
}

function Title({ children }: { children: string }) {
  return (
    <p>
      <b dir="auto">{children}</b>
    </p>
  );
}

/** Units of the drawing: every tenth tick is taller. */
const ticks = 30;
const tickGap = 10;

/** Timeline as a row of ticks. The part already heard is darker. */
function Ticks({ part }: { part: number }) {
  const heard = Math.round(part * ticks);
  const path = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => {
      const tick = from + index;
      return `M${tick * tickGap + 1} ${tick % 10 === 0 ? 8 : 14}V36`;
    }).join('');
  return (
    <svg viewBox={`0 0 ${ticks * tickGap + 2} 44`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <path className="heard" d={path(0, heard)} />
      <path d={path(heard, ticks + 1)} />
    </svg>
  );
}
