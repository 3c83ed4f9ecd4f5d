import { useEffect, useRef } from 'react';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { elapsedTime } from '#web/lib/format.ts';
import { video } from './recording.rules.ts';
import { type Recording, useRecorder } from './use-recorder.ts';

type VideoRecorderProps = { open: boolean; onClose: () => void; onRecorded: (file: File) => void };

/** Records a video with the camera of this device, shows it, and hands it over like a chosen file. */
export function VideoRecorder({ open, onClose, onRecorded }: VideoRecorderProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Record a video" closesOutside={false}>
      <Recorder onClose={onClose} onRecorded={onRecorded} />
    </Dialog>
  );
}

function Recorder({ onClose, onRecorded }: Omit<VideoRecorderProps, 'open'>) {
  const { recording, start, stop, pause, goOn, again } = useRecorder(video);
  const minutes = video.msMax / 60_000;
  if (recording.state === 'failed') {
    return (
      <>
        <Banner tone="bad" role="alert">
          {recording.message}
        </Banner>
        <div className="btns">
          <Button variant="secondary" onClick={onClose}>
            Close
          </Button>
          <Button onClick={again}>Try again</Button>
        </div>
      </>
    );
  }
  return (
    <>
      <Picture recording={recording} />
      <p className="quiet" role="status">
        {wordsOf(recording, minutes)}
      </p>
      <div className="btns">
        {recording.state === 'recorded' ? (
          <>
            <Button variant="secondary" onClick={again}>
              Record it again
            </Button>
            <Button onClick={() => onRecorded(recording.file)}>Use this video</Button>
          </>
        ) : recording.state === 'recording' ? (
          <>
            <span className="recording-time">{elapsedTime(recording.elapsedMs)}</span>
            <Button variant="secondary" onClick={recording.isPaused ? goOn : pause}>
              {recording.isPaused ? 'Go on' : 'Pause'}
            </Button>
            <Button onClick={stop}>Stop recording</Button>
          </>
        ) : (
          <>
            <Button variant="secondary" onClick={onClose}>
              Cancel
            </Button>
            <Button
              busy={recording.state === 'opening'}
              onClick={() => {
                if (recording.state === 'ready') start(recording.stream);
              }}
            >
              Start recording
            </Button>
          </>
        )}
      </div>
    </>
  );
}

function wordsOf(recording: Recording, minutes: number): string {
  switch (recording.state) {
    case 'opening':
      return 'Your browser may ask whether this page may use the camera and the microphone.';
    case 'ready':
      return `You see yourself as in a mirror. You have up to ${minutes} minutes, and nothing is sent while you record.`;
    case 'recording':
      return recording.isPaused ? 'Paused. Nothing is recorded now.' : 'Recording. Nobody sees it but you.';
    case 'recorded':
      return recording.endedByItself
        ? `The recording has reached ${minutes} minutes, or the size a video may have, and was stopped. It is complete up to there.`
        : `This is your video, ${elapsedTime(recording.elapsedMs)} long. It is attached when you use it, and stored when you save the message.`;
    default:
      return '';
  }
}

/** Live picture of the camera, and then the recording. */
function Picture({ recording }: { recording: Recording }) {
  const video = useRef<HTMLVideoElement>(null);
  const stream = 'stream' in recording ? recording.stream : null;
  useEffect(() => {
    if (video.current) video.current.srcObject = stream;
  }, [stream]);
  if (recording.state === 'recorded') {
    return (
      // biome-ignore lint/a11y/useMediaCaption: it is the person's own recording of a moment ago.
      <video key="recorded" className="recorder-picture" src={recording.url} controls playsInline />
    );
  }
  // Silent, or the microphone would hear itself.
  return (
    <video
      key="live"
      ref={video}
      className="recorder-picture is-live"
      autoPlay
      muted
      playsInline
      aria-label="What the camera sees"
    />
  );
}
