import { type ReactNode, useRef, useState } from 'react';
import type { Message } from '#shared/contract/messages.ts';
import { captionLengthMax, transcriptLengthMax } from '#shared/rules/letters/enclosures.ts';
import { Player } from '#web/components/letter/player.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { FieldError, TextAreaField, TextField } from '#web/components/ui/field.tsx';
import { FileButton } from '#web/components/ui/file-field.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { toast } from '#web/lib/toast.ts';
import { voice as medium } from '../recording/recording.rules.ts';
import { canRecord } from '../recording/use-recorder.ts';
import { VoiceRecorder } from '../recording/voice-recorder.tsx';
import '../recording/voice-recorder.css';
import { type Enclosing, newEnclosing, voiceOf, withVoice } from './enclosing.ts';
import { acceptedVoices, voiceRefusal, voiceWords } from './enclosure-choice.rules.ts';
import { useEnclosureHref } from './use-enclosure-href.ts';

type VoiceFieldProps = {
  message: Message | undefined;
  enclosings: readonly Enclosing[];
  onChange: (change: (before: readonly Enclosing[]) => Enclosing[]) => void;
  /** While it is being sent. */
  locked: boolean;
};

/** The voice in the envelope: recorded on the sheet, or chosen; with words above it, and what it says. */
export function VoiceField({ message, enclosings, onChange, locked }: VoiceFieldProps) {
  const [isRecording, setRecording] = useState(false);
  const [error, setError] = useState<string>();
  const box = useRef<HTMLDivElement>(null);
  const voice = voiceOf(enclosings);
  const put = (next: Enclosing | undefined) => {
    setError(undefined);
    setRecording(false);
    onChange((before) => withVoice(before, next));
    // The button that was pressed goes away, and the focus would go with it.
    setTimeout(() => box.current?.querySelector<HTMLElement>('button, input')?.focus());
  };
  const choose = (file: File) => {
    const refusal = voiceRefusal(file);
    if (refusal) {
      setError(refusal.description);
      if (refusal.title === 'File too large') toast({ ...refusal, variant: 'destructive' });
    } else put(newEnclosing('voice', file));
  };
  const tools = (again: string) => (
    <VoiceTools again={again} onRecord={() => setRecording(true)} onChoose={choose} locked={locked} />
  );
  return (
    <div ref={box}>
      {isRecording ? (
        <VoiceRecorder onClose={() => setRecording(false)} onRecorded={(file) => put(newEnclosing('voice', file))} />
      ) : voice ? (
        <VoiceInEnvelope
          key={voice.key}
          message={message}
          voice={voice}
          onChange={(changed) => onChange((before) => withVoice(before, changed))}
          locked={locked}
        >
          {tools('Record it again')}
          <Button variant="text" size="small" disabled={locked} onClick={() => put(undefined)}>
            Take it out
          </Button>
        </VoiceInEnvelope>
      ) : (
        <div className="enclose">
          <div className="btns">{tools('Record your voice')}</div>
          <p className="small quiet">{voiceWords}</p>
        </div>
      )}
      {error ? (
        <div role="alert">
          <FieldError id="voice-error" error={error} />
        </div>
      ) : null}
    </div>
  );
}

type VoiceToolsProps = {
  again: string;
  onRecord: () => void;
  onChoose: (file: File) => void;
  locked: boolean;
};

function VoiceTools({ again, onRecord, onChoose, locked }: VoiceToolsProps) {
  return (
    <>
      {canRecord(medium) ? (
        <Button variant="secondary" size="small" disabled={locked} onClick={onRecord}>
          <Icon name="microphone" />
          {again}
        </Button>
      ) : null}
      <FileButton accept={acceptedVoices} disabled={locked} onChoose={([file]) => file && onChoose(file)}>
        Use a recording I have
      </FileButton>
    </>
  );
}

type VoiceInEnvelopeProps = {
  message: Message | undefined;
  voice: Enclosing;
  onChange: (voice: Enclosing) => void;
  locked: boolean;
  children: ReactNode;
};

function VoiceInEnvelope({ message, voice, onChange, locked, children }: VoiceInEnvelopeProps) {
  const src = useEnclosureHref(message, voice);
  return (
    <section className="rec" aria-label="Your voice">
      <h3 className="rec-h">Your voice</h3>
      <Player src={src} title="Your recording" />
      <TextField
        label="Words above it"
        value={voice.caption}
        maxLength={captionLengthMax}
        readOnly={locked}
        onChange={({ target }) => onChange({ ...voice, caption: target.value })}
      />
      <TextAreaField
        label="What you say, in words"
        hint="For anyone who cannot listen. It goes into the copy they save."
        className="rec-said"
        value={voice.transcript}
        maxLength={transcriptLengthMax}
        readOnly={locked}
        onChange={({ target }) => onChange({ ...voice, transcript: target.value })}
      />
      <div className="btns">{children}</div>
    </section>
  );
}
