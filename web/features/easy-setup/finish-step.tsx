import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { PartList } from './part-list.tsx';
import type { Wizard } from './use-wizard.ts';

/** The account is open, but a part of the answers is not saved in it yet. */
export function FinishStep({ wizard }: { wizard: Wizard }) {
  const { answers, isBusy } = wizard;
  return (
    <div className="setup-form">
      <div className="card setup-card">
        <p className="lead">
          Your account is open, and you are signed in. Not everything you typed is saved in it yet.
        </p>
        <PartList done={answers.saved} />
      </div>
      {answers.problem ? (
        <Banner tone="bad" role="alert">
          {answers.problem} You can go back and change it, or save the rest now.
        </Banner>
      ) : null}
      <div className="btns setup-buttons">
        <Button variant="text" onClick={wizard.previous}>
          Previous
        </Button>
        <Button busy={isBusy} onClick={wizard.finish}>
          {isBusy ? 'Saving…' : 'Save the rest'}
        </Button>
      </div>
    </div>
  );
}
