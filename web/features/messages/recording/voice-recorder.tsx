import { Player } from '#web/components/letter/player.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { elapsedTime } from '#web/lib/format.ts';
import { Level } from './level.tsx';
import { voice } from './recording.rules.ts';
import { type Recording, useRecorder } from './use-recorder.ts';
import './voice-recorder.css';

type VoiceRecorderProps = { onRecorded: (file: File) => void; onClose: () => void };

/** Records a voice with the microphone of this device, on the sheet itself, and hands it over like a chosen file. */
export function VoiceRecorder({ onRecorded, onClose }: VoiceRecorderProps) {
  const { recording, start, stop, pause, goOn, again } = useRecorder(voice);
  if (recording.state === 'failed') {
    return (
      <section className="rec" aria-label="Record your voice">
        <Banner tone="bad" role="alert">
          {recording.message}
        </Banner>
        <div className="btns">
          <Button variant="secondary" size="small" onClick={onClose}>
            Close
          </Button>
          <Button variant="secondary" size="small" onClick={again}>
            Try again
          </Button>
        </div>
      </section>
    );
  }
  return (
    <section className="rec" aria-label="Record your voice">
      <Heading recording={recording} />
      {recording.state === 'recorded' ? (
        <Player src={recording.url} title="Your recording" />
      ) : (
        <MicrophoneLevel recording={recording} />
      )}
      <div className="btns">
        {recording.state === 'recorded' ? (
          <>
            <Button size="small" onClick={() => onRecorded(recording.file)}>
              Use this recording
            </Button>
            <Button variant="secondary" size="small" onClick={again}>
              Record it again
            </Button>
          </>
        ) : recording.state === 'recording' ? (
          <>
            <Button variant="secondary" size="small" onClick={recording.isPaused ? goOn : pause}>
              {recording.isPaused ? 'Go on' : 'Pause'}
            </Button>
            <Button variant="secondary" size="small" onClick={stop}>
              Stop and listen
            </Button>
          </>
        ) : (
          <Button
            size="small"
            busy={recording.state === 'opening'}
            onClick={() => {
              if (recording.state === 'ready') start(recording.stream);
            }}
          >
            Start recording
          </Button>
        )}
        <Button variant="text" size="small" onClick={onClose}>
          Cancel
        </Button>
      </div>
      <p className="small quiet" role="status">
        {wordsOf(recording)}
      </p>
    </section>
  );
}

type Live = Exclude<Recording, { state: 'failed' }>;

function Heading({ recording }: { recording: Live }) {
  const isRunning = recording.state === 'recording' && !recording.isPaused;
  const minutes = voice.msMax / 60_000;
  return (
    <div className="rec-top">
      <h3 className="rec-h">
        {isRunning ? <span className="rec-dot" aria-hidden="true" /> : null}
        {isRunning ? 'Recording your voice' : 'Your voice'}
      </h3>
      {'elapsedMs' in recording ? (
        <p className="rec-time">
          <span className="num">{elapsedTime(recording.elapsedMs)}</span>
          {recording.state === 'recording' ? <span className="quiet small"> of {minutes} minutes</span> : null}
        </p>
      ) : null}
    </div>
  );
}

/** Shows that the microphone hears the owner, before anything is recorded. */
function MicrophoneLevel({ recording }: { recording: Live }) {
  if (!('stream' in recording)) return <div className="rec-level" />;
  return <Level stream={recording.stream} isPaused={recording.state === 'recording' && recording.isPaused} />;
}

function wordsOf(recording: Live): string {
  switch (recording.state) {
    case 'opening':
      return 'Your browser may ask whether this page may use the microphone.';
    case 'ready':
      return 'Say a word, and the line moves when we hear you. Nothing is recorded yet.';
    case 'recording':
      return recording.isPaused
        ? 'Paused. Nothing is recorded now.'
        : 'Recording. Nothing leaves this page while you record.';
    case 'recorded':
      return recording.endedByItself
        ? 'It has reached its longest, and was stopped. It is complete up to there.'
        : 'Listen to it. It goes into the letter when you use it, and is stored when you save.';
  }
}
