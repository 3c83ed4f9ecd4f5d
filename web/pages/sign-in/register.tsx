import { useState } from 'react';
import { useSearch } from 'wouter';
import { PageHeading } from '#web/components/layout/page.tsx';
import { PublicHeader } from '#web/components/layout/public-header.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { TrialNote } from '#web/components/ui/trial-note.tsx';
import { ChosenPlan } from '#web/features/accounts/chosen-plan.tsx';
import { planFromAddress, RegisterForm } from '#web/features/accounts/register-form.tsx';
import { SignInFrame, ThinFooter } from '#web/features/accounts/sign-in-frame.tsx';
import { supportEmail } from '#web/lib/support.ts';
import { useTitle } from '#web/lib/use-title.ts';
import '#web/features/accounts/accounts.css';

export function RegisterPage() {
  const [registeredEmail, setRegisteredEmail] = useState('');
  if (registeredEmail === '') return <Joining onRegistered={setRegisteredEmail} />;
  return (
    <SignInFrame title="Check Your Email" heading="Check Your Email" offers="sign-in">
      <div className="form" role="status">
        <p>
          A verification link was sent to <b>{registeredEmail}</b>. Open it within 24 hours to finish.
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

function Joining({ onRegistered }: { onRegistered: (email: string) => void }) {
  const search = useSearch();
  const [plan, setPlan] = useState(() => planFromAddress(search));
  const [hasErrors, setErrors] = useState(false);
  useTitle(hasErrors ? 'Error: Create your account' : 'Create your account');
  return (
    <div className="login">
      <PublicHeader offers="sign-in" />
      <main id="main" className="wrap joining" tabIndex={-1}>
        <div className="joining-head">
          <PageHeading>Create your account</PageHeading>
          <p className="quiet">Start your digital legacy journey today</p>
        </div>
        <section className="login-card sheet" aria-labelledby="account-information">
          <h2 className="h-card" id="account-information">
            Account Information
          </h2>
          <RegisterForm plan={plan} onPlan={setPlan} onRegistered={onRegistered} onErrors={setErrors} />
        </section>
        <ChosenPlan plan={plan} />
      </main>
      <ThinFooter />
    </div>
  );
}
