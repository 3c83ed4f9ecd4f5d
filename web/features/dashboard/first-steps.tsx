import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import type { DashboardStats } from './dashboard-data.ts';
import { StepArt } from './first-steps-art.tsx';
import { type FirstStep, firstSteps, whatIsLeft } from './first-steps-words.ts';
import './first-steps.css';

type FirstStepsProps = { stats: DashboardStats; overview: ReleaseOverview; hasLooked: boolean };

/** True if there is something left of the list: it goes once all four are there. */
export function hasFirstSteps(facts: FirstStepsProps): boolean {
  return firstSteps(facts).some(({ state }) => state !== 'done');
}

/** A list that fills: a letter, a yes, a rehearsal, a saved copy. */
export function FirstSteps(facts: FirstStepsProps) {
  const steps = firstSteps(facts);
  const done = steps.filter(({ state }) => state === 'done').length;
  // One button alone stands out, on the step that is next.
  const next = steps.find(({ state }) => state === 'open')?.name;
  return (
    <section className="sheet first-steps" aria-labelledby="first-steps">
      <h2 className="h-card" id="first-steps">
        What makes your vault whole
      </h2>
      <p className="quiet">{whatIsLeft(steps)}</p>
      <ol className="fills">
        {steps.map((step) => (
          <Step key={step.name} step={step} isNext={step.name === next} />
        ))}
      </ol>
      <p className="fills-sum">
        {done} of {steps.length} {done === 1 ? 'is' : 'are'} done. You can leave the rest for another day: this list
        waits here.
      </p>
    </section>
  );
}

function Step({ step: { name, state, title, text, action }, isNext }: { step: FirstStep; isNext: boolean }) {
  return (
    <li className={`fill is-${state}`}>
      <StepArt name={name} />
      <h3>{title}</h3>
      <p>{text}</p>
      {state === 'done' ? (
        <p className="fill-ok">
          <Icon name="check" />
          Done
        </p>
      ) : (
        <ButtonLink variant={isNext ? 'secondary' : 'text'} size="small" href={action.href}>
          {action.label}
        </ButtonLink>
      )}
    </li>
  );
}
