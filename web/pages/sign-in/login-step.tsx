import type { SecondFactor } from '#shared/contract/accounts.ts';
import { Button } from '#web/components/ui/button.tsx';
import { ResetRequest, ResetSent } from '#web/features/accounts/reset-request.tsx';
import { SecondStepForm } from '#web/features/accounts/second-step-form.tsx';
import { SignInFrame } from '#web/features/accounts/sign-in-frame.tsx';

export type StepView =
  | { name: 'second-step'; factors: SecondFactor[] }
  | { name: 'reset' }
  | { name: 'sent'; email: string };

type LoginStepProps = {
  view: StepView;
  /** The title, marked where something on the page is wrong. */
  titled: (title: string) => string;
  /** Address in the form that asks for the mail, and its changes. */
  email: string;
  onEmail: (email: string) => void;
  /** Told the address once the mail that sets a new password is on its way. */
  onSent: (email: string) => void;
  onBack: () => void;
  onErrors: (hasErrors: boolean) => void;
};

/** View that replaces the form. Each is keyed, so that its new heading takes the focus. */
export function LoginStep({ view, titled, email, onEmail, onSent, onBack, onErrors }: LoginStepProps) {
  const back = (
    <Button variant="text" size="small" onClick={onBack}>
      Back to Login
    </Button>
  );
  if (view.name === 'sent') {
    return (
      <SignInFrame key="sent" title="Check Your Email" heading="Check Your Email">
        <ResetSent email={view.email} back={back} />
      </SignInFrame>
    );
  }
  if (view.name === 'reset') {
    return (
      <SignInFrame
        key="reset"
        title={titled('Reset your password')}
        heading="Reset your password"
        intro="We send you a link that sets a new one."
      >
        <ResetRequest email={email} onEmail={onEmail} onSent={onSent} onErrors={onErrors} back={back} />
      </SignInFrame>
    );
  }
  return (
    <SignInFrame
      key="second-step"
      title={titled('One more step')}
      heading="One more step"
      intro="You have protected your vault with a second step."
    >
      <SecondStepForm factors={view.factors} onErrors={onErrors} back={back} />
    </SignInFrame>
  );
}
