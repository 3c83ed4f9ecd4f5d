import { type FormEvent, type ReactNode, useState } from 'react';
import type { TrusteeRelationship, TrusteeSummary } from '#shared/contract/release/trustee.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { TextField } from '#web/components/ui/field.tsx';
import { firstName, ifYouTrigger, needsOthers } from './trustee-words.ts';
import { useTrigger } from './use-trigger.ts';

const wordToType = 'SEND';

type TriggerDialogProps = {
  owner: TrusteeRelationship;
  summary: TrusteeSummary;
  /** Called with the reason if the release was refused, otherwise with null. */
  onClose: (refusal: string | null) => void;
};

/** Last step before a release, which can't be undone: a word to type, and a sign-in if the last one is old. */
export function TriggerDialog({ owner, summary, onClose }: TriggerDialogProps) {
  const { dialog, isBusy, trigger } = useTrigger(onClose);
  const close = () => {
    // A running request ends with its answer.
    if (!isBusy) onClose(null);
  };
  const messages = summary.readyCount === 1 ? 'message' : `${summary.readyCount} messages`;
  return (
    <>
      <Dialog
        open
        onClose={close}
        title={`Release ${owner.ownerEmail || firstName(owner)}’s ${messages}?`}
        closesOutside={false}
      >
        <WordStep
          owner={owner}
          summary={summary}
          isBusy={isBusy}
          onBack={close}
          onTyped={() => trigger(owner.ownerUserId)}
        />
      </Dialog>
      {dialog}
    </>
  );
}

type StepProps = { isBusy: boolean; onBack: () => void };

function WordStep({
  owner,
  summary,
  onTyped,
  ...step
}: StepProps & Omit<TriggerDialogProps, 'onClose'> & { onTyped: () => void }) {
  const [typed, setTyped] = useState('');
  const isTyped = typed.trim().toUpperCase() === wordToType;
  return (
    <Step
      {...step}
      isReady={isTyped}
      onGo={onTyped}
      goLabel={needsOthers(summary) ? 'Confirm the release' : 'Release the messages'}
    >
      <ul className="trustee-follows">
        {ifYouTrigger(firstName(owner), summary).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <TextField
        label={
          <>
            Type <span className="num">{wordToType}</span> to go on
          </>
        }
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        className="trustee-word"
      />
    </Step>
  );
}

type StepFrame = StepProps & { isReady: boolean; goLabel: string; onGo: () => void; children: ReactNode };

function Step({ isBusy, isReady, goLabel, onBack, onGo, children }: StepFrame) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !isBusy) onGo();
  };
  return (
    <form className="dialog-body" onSubmit={submit}>
      {children}
      <div className="btns btns-stack">
        <Button variant="secondary" onClick={onBack} data-focus-first="">
          Keep monitoring
        </Button>
        <Button variant="danger" type="submit" disabled={!isReady} busy={isBusy}>
          {isBusy ? 'Releasing…' : goLabel}
        </Button>
      </div>
    </form>
  );
}
