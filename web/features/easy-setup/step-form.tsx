import { type ReactNode, useEffect, useRef } from 'react';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button, ButtonLink } from '#web/components/ui/button.tsx';
import { type PartName, stepFrom } from './answers.rules.ts';
import type { Wizard } from './use-wizard.ts';
import { saveLabels } from './words.ts';

type StepFormProps = {
  wizard: Wizard;
  /** The part that the form holds, with a button of its own where it can be saved at once. */
  part?: PartName;
  /** Action of Continue, if it is not the next step. */
  onSubmit?: () => void;
  submitLabel?: string;
  children: ReactNode;
};

/** The fields of a step, what went wrong with them, and the buttons that lead on and back. */
export function StepForm({ wizard, part, onSubmit, submitLabel = 'Continue', children }: StepFormProps) {
  const { isBusy, refusals, problem, answers, savesAtOnce } = wizard;
  const ref = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (refusals > 0) ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusals]);
  return (
    <form
      ref={ref}
      className="setup-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (onSubmit) onSubmit();
        else wizard.next();
      }}
    >
      {children}
      {problem ? (
        <Banner
          tone="bad"
          role="alert"
          action={
            problem.needsRoom ? (
              <ButtonLink variant="secondary" size="small" href="/subscribe">
                See the plans
              </ButtonLink>
            ) : undefined
          }
        >
          {problem.text}
          {problem.saysItIsKept ? null : ' What you typed is still here.'}
        </Banner>
      ) : null}
      <div className="btns setup-buttons">
        {answers.step === 'welcome' ? null : (
          <Button variant="text" onClick={wizard.previous}>
            Previous
          </Button>
        )}
        {part && savesAtOnce ? (
          <Button variant="secondary" busy={isBusy} onClick={() => wizard.save(part)}>
            {saveLabels[part]}
          </Button>
        ) : null}
        <Button type="submit" busy={isBusy}>
          {isBusy ? 'Saving…' : submitLabel}
        </Button>
        {part ? (
          // Skips this part; its text stays.
          <Button variant="text" onClick={() => wizard.goTo(stepFrom(answers, 1))}>
            Later
          </Button>
        ) : null}
      </div>
    </form>
  );
}
