import { productName } from '#shared/product.ts';
import { stepsOf } from './answers.rules.ts';
import { StepForm } from './step-form.tsx';
import type { Wizard } from './use-wizard.ts';

/** Overview of the questions, all of which may be answered later. */
export function WelcomeStep({ wizard }: { wizard: Wizard }) {
  const isVisitor = stepsOf(wizard.answers.form).includes('account');
  return (
    <StepForm wizard={wizard}>
      <div className="card setup-card">
        <p className="lead">
          {productName} keeps your letters and gives them to the people you choose when you no longer can. Setting it up
          takes about five minutes.
        </p>
        <ol className="setup-list">
          <li>
            <b>Safety settings.</b> How long a silence has to be before we ask about you.
          </li>
          <li>
            <b>A trusted person.</b> Somebody who would know. They have nothing to do until we ask them.
          </li>
          <li>
            <b>A first message.</b> It can be short, and you can change it at any time.
          </li>
          {isVisitor ? (
            <li>
              <b>Your account.</b> Free, with an email address and a password. Nothing is saved with us before.
            </li>
          ) : null}
        </ol>
        <p className="quiet">You can leave the person and the message for later.</p>
      </div>
    </StepForm>
  );
}
