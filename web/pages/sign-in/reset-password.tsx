import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'wouter';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { NewPasswordForm } from '#web/features/accounts/new-password-form.tsx';
import { type PasswordChange, PasswordChanged } from '#web/features/accounts/password-changed.tsx';
import { ResetRequest, ResetSent } from '#web/features/accounts/reset-request.tsx';
import { SignInFrame } from '#web/features/accounts/sign-in-frame.tsx';
import { sessionKey } from '#web/lib/session.ts';

type View =
  | { name: 'form' }
  | ({ name: 'changed' } & PasswordChange)
  | { name: 'dead' }
  | { name: 'sent'; email: string };

/** Target of the link in the reset mail. */
export function ResetPasswordPage() {
  const { token = '' } = useParams<{ token: string }>();
  const client = useQueryClient();
  const [view, setView] = useState<View>(token === '' ? { name: 'dead' } : { name: 'form' });
  const [hasErrors, setErrors] = useState(false);
  const toLogin = (
    <ButtonLink variant="text" size="small" href="/login">
      Back to Login
    </ButtonLink>
  );
  if (view.name === 'changed') return <PasswordChanged {...view} />;
  if (view.name === 'sent') {
    return (
      <SignInFrame key="sent" title="Check Your Email" heading="Check Your Email">
        <ResetSent email={view.email} back={toLogin} />
      </SignInFrame>
    );
  }
  const title = view.name === 'dead' ? 'This link no longer works' : 'Choose a new password';
  return (
    <SignInFrame
      key={view.name}
      title={hasErrors ? `Error: ${title}` : title}
      heading={title}
      intro={
        view.name === 'dead'
          ? 'A link works once, for one hour. Ask for a new one and use the newest email.'
          : 'It replaces the old one at once.'
      }
    >
      {view.name === 'dead' ? (
        <ResetRequest onSent={(email) => setView({ name: 'sent', email })} onErrors={setErrors} back={toLogin} />
      ) : (
        <NewPasswordForm
          token={token}
          onChanged={(changed) => {
            setView({ name: 'changed', ...changed });
            // The session of this browser has ended with all the others.
            client.invalidateQueries({ queryKey: sessionKey });
          }}
          onDeadLink={() => setView({ name: 'dead' })}
          onErrors={setErrors}
        />
      )}
    </SignInFrame>
  );
}
