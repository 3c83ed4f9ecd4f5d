import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { User } from '#shared/contract/accounts.ts';
import { PageHeading } from '#web/components/layout/page.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { ProgressBar } from '#web/components/ui/progress-bar.tsx';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import { useTitle } from '#web/lib/use-title.ts';
import { AccountStep } from './account-step.tsx';
import { type Answers, hasWords, type PartName, partNames, stepsOf } from './answers.rules.ts';
import { keepsWords } from './answers-store.ts';
import { ContactStep } from './contact-step.tsx';
import { DoneStep } from './done-step.tsx';
import { FinishStep } from './finish-step.tsx';
import { MessageStep } from './message-step.tsx';
import { SavedStep, type VaultFacts } from './saved-step.tsx';
import { SettingsStep } from './settings-step.tsx';
import type { AnswersState } from './use-answers.ts';
import { useWizard, type Wizard } from './use-wizard.ts';
import { WelcomeStep } from './welcome-step.tsx';
import { stepTitles } from './words.ts';
import './easy-setup.css';

export type SetupWizardProps = {
  user: User | null;
  /** Null for a visitor. */
  vault: VaultFacts | null;
  state: AnswersState;
  /** Asks an owner whether they are going away, at the end. */
  goingAway: ReactNode;
  onSignedIn: (user: User) => void;
  onLeave: () => void;
  onStartAgain: () => void;
};

/** The wizard: its progress, its question and its navigation. */
export function SetupWizard(props: SetupWizardProps) {
  const { user, vault, state } = props;
  const { answers } = state;
  const done = donePartsOf(answers, vault);
  const wizard = useWizard({ user, state, done, onSignedIn: props.onSignedIn });
  const isWrong = Object.keys(wizard.errors).length > 0 || wizard.problem !== null;
  useTitle(`${isWrong ? 'Error: ' : ''}${stepTitles[answers.step]} – Easy Setup`);
  useLeaveWarning(hasWords(answers) && answers.step !== 'done' && !keepsWords());
  return (
    <main id="main" className="main wrap setup" tabIndex={-1}>
      <Heading answers={answers} />
      <div className="setup-body">
        <Step {...props} wizard={wizard} done={done} />
        <div className="setup-foot">
          {user ? (
            <Link href="/" onClick={() => void (answers.step === 'done' && state.forget())}>
              Skip to Advanced Dashboard
            </Link>
          ) : (
            <Link href="/login">Already have an account? Sign In</Link>
          )}
          <KeptNote answers={answers} isVisitor={user === null} onStartAgain={props.onStartAgain} />
        </div>
      </div>
      {wizard.dialog}
    </main>
  );
}

function Heading({ answers }: { answers: Answers }) {
  const steps = stepsOf(answers.form);
  const position = steps.indexOf(answers.step) + 1;
  const where = `Step ${position} of ${steps.length}`;
  return (
    <div className="setup-head">
      <p className="it">Easy Setup</p>
      {/* Each step has a heading of its own, which takes the focus when it appears. */}
      <PageHeading key={answers.step}>{stepTitles[answers.step]}</PageHeading>
      <p className="quiet num">{where}</p>
      <ProgressBar value={position} max={steps.length} label={`Progress: ${where}`} />
    </div>
  );
}

type StepProps = SetupWizardProps & { wizard: Wizard; done: readonly PartName[] };

function Step({ wizard, done, user, vault, goingAway, onLeave }: StepProps) {
  const { step, isAccountOpen } = wizard.answers;
  const part = partNames.find((name) => name === step);
  if (part && done.includes(part)) return <SavedStep key={step} wizard={wizard} part={part} vault={vault} />;
  if (step === 'welcome') return <WelcomeStep wizard={wizard} />;
  if (step === 'settings') return <SettingsStep wizard={wizard} />;
  if (step === 'contact') return <ContactStep wizard={wizard} />;
  if (step === 'message') return <MessageStep wizard={wizard} />;
  if (step === 'account' && user && isAccountOpen) return <FinishStep wizard={wizard} />;
  if (step === 'account') return <AccountStep wizard={wizard} />;
  return (
    <DoneStep
      wizard={wizard}
      done={done}
      isSignedIn={user !== null}
      isVerified={user?.emailVerified ?? false}
      goingAway={goingAway}
      onLeave={onLeave}
    />
  );
}

function KeptNote({
  answers,
  isVisitor,
  onStartAgain,
}: {
  answers: Answers;
  isVisitor: boolean;
  onStartAgain: () => void;
}) {
  if (answers.step === 'done' || !hasWords(answers)) return null;
  if (!keepsWords()) {
    return <p className="small quiet">This browser can’t keep what you type. Finish before you close this page.</p>;
  }
  return (
    <p className="small quiet">
      <span>What you type is kept on this device, encrypted{isVisitor ? ', until your account is open' : ''}.</span>
      <Button variant="text" size="small" onClick={onStartAgain}>
        Discard it
      </Button>
    </p>
  );
}

/** Completed parts. For an owner they come from the vault; a visitor's form remembers its saves. */
function donePartsOf(answers: Answers, vault: VaultFacts | null): PartName[] {
  const { saved, form, step, isAddingMessage } = answers;
  const isInVault = {
    settings: vault?.profile.hasChosenSettings ?? false,
    contact: (vault?.contacts.length ?? 0) > 0,
    message: (vault?.letters ?? 0) > 0,
  };
  return partNames.filter((part) => {
    if (part === 'message' && isAddingMessage && step !== 'done') return false;
    return saved.includes(part) || ((form === 'owner' || step === 'done') && isInVault[part]);
  });
}
