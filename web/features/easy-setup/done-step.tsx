import type { ReactNode } from 'react';
import { Button } from '#web/components/ui/button.tsx';
import { Drawing } from '#web/components/ui/drawing.tsx';
import { TrialNote } from '#web/components/ui/trial-note.tsx';
import { type PartName, partNames } from './answers.rules.ts';
import { PartList } from './part-list.tsx';
import type { Wizard } from './use-wizard.ts';

type DoneStepProps = {
  wizard: Wizard;
  done: readonly PartName[];
  isSignedIn: boolean;
  isVerified: boolean;
  /** Asks a signed-in owner if they are going away. */
  goingAway: ReactNode;
  onLeave: () => void;
};

/** Last step: completed parts, parts left for later, and the button that leads to the vault. */
export function DoneStep({ wizard, done, isSignedIn, isVerified, goingAway, onLeave }: DoneStepProps) {
  const isComplete = partNames.every((part) => done.includes(part));
  return (
    <div className="setup-form">
      <div className="card setup-card setup-done">
        <Drawing name="lamp-lit" />
        <div>
          <p className="lead">
            {isComplete
              ? 'Your vault is ready. Sign in now and then, so that we know you are there.'
              : 'Your vault is open. What is marked below can wait until you are ready for it.'}
          </p>
          <PartList done={done} />
          {isVerified ? null : (
            <p>
              <b>One thing is left.</b> Open the email we sent you and press the link in it. Until then nothing is sent
              to anybody.
            </p>
          )}
        </div>
      </div>
      {isVerified ? null : <TrialNote />}
      {goingAway}
      <div className="btns setup-buttons">
        {/* A visitor's form has no way back, because its answers are in the new account. */}
        {wizard.answers.form === 'owner' ? (
          <Button variant="text" onClick={wizard.previous}>
            Previous
          </Button>
        ) : null}
        {isSignedIn ? (
          <Button variant="secondary" onClick={wizard.addAnother}>
            Add Another Message
          </Button>
        ) : null}
        {/* Signed out, there is no vault to open, so the button stays on this last step. */}
        <Button onClick={() => (isSignedIn ? onLeave() : wizard.goTo('done'))}>Go to My Vault</Button>
      </div>
    </div>
  );
}
