import { type ReactNode, useState } from 'react';
import { useSearch } from 'wouter';
import { PageHeading } from '#web/components/layout/page.tsx';
import { PublicHeader } from '#web/components/layout/public-header.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { TrialNote } from '#web/components/ui/trial-note.tsx';
import { ChosenPlan } from '#web/features/accounts/chosen-plan.tsx';
import { type RegistrablePlan, registrablePlan } from '#web/features/accounts/register-fields.tsx';
import { RegisterForm } from '#web/features/accounts/register-form.tsx';
import { SignInFrame, ThinFooter } from '#web/features/accounts/sign-in-frame.tsx';
import { supportEmail } from '#web/lib/support.ts';
import { useTitle } from '#web/lib/use-title.ts';
import '#web/features/accounts/accounts.css';

const title = 'Create your account';

export function RegisterPage() {
  const search = useSearch();
  const [registeredEmail, setRegisteredEmail] = useState('');
  const [plan, setPlan] = useState(() => planInAddress(search));
  const [hasErrors, setErrors] = useState(false);
  if (registeredEmail !== '') return <Registered email={registeredEmail} />;
  return (
    <RegisterFrame hasErrors={hasErrors} chosen={<ChosenPlan plan={plan} />}>
      <RegisterForm plan={plan} onPlan={setPlan} onRegistered={setRegisteredEmail} onErrors={setErrors} />
    </RegisterFrame>
  );
}

export function planInAddress(search: string): RegistrablePlan {
  return registrablePlan(new URLSearchParams(search).get('plan'));
}

export function Registered({ email }: { email: string }) {
  return (
    <SignInFrame title="Check Your Email" heading="Check Your Email" offers="sign-in">
      <div className="form" role="status">
        <p>
          A verification link was sent to <b>{email}</b>. Open it within 24 hours to finish.
        </p>
        <TrialNote />
        <p className="quiet">
          If you have not received it, check your spam folder or contact support at{' '}
          <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
        </p>
        <ButtonLink href="/login" wide>
          Go to Login
        </ButtonLink>
      </div>
    </SignInFrame>
  );
}

/** Frame of the registration page. `children` is the form, and `chosen` the card of the chosen plan. */
export function RegisterFrame({
  hasErrors,
  chosen,
  children,
}: {
  hasErrors: boolean;
  chosen: ReactNode;
  children: ReactNode;
}) {
  useTitle(hasErrors ? `Error: ${title}` : title);
  return (
    <div className="login">
      <PublicHeader offers="sign-in" />
      <main id="main" className="wrap joining" tabIndex={-1}>
        <div className="joining-head">
          <PageHeading>{title}</PageHeading>
          <p className="quiet">Start your digital legacy journey today</p>
        </div>
        <section className="login-card sheet" aria-labelledby="account-information">
          <h2 className="h-card" id="account-information">
            Account Information
          </h2>
          {children}
        </section>
        {chosen}
      </main>
      <ThinFooter />
    </div>
  );
}
