import { useState } from 'react';
import { Button } from '#web/components/ui/button.tsx';
import { FirstPasswordForm } from '#web/features/accounts/first-password.tsx';
import { SignInFrame } from '#web/features/accounts/sign-in-frame.tsx';
import { useSession } from '#web/lib/session.ts';

const heading = 'Choose a password of your own';

/** Only page for a person whose password was set by an administrator, until they have changed it. */
export function FirstPasswordPage() {
  const { signOut } = useSession();
  const [hasErrors, setErrors] = useState(false);
  return (
    <SignInFrame
      title={hasErrors ? `Error: ${heading}` : heading}
      heading={heading}
      offers="none"
      intro="Another person knows the password you were given. Your account opens once you have one that only you know."
    >
      <FirstPasswordForm onErrors={setErrors} />
      <Button variant="text" size="small" onClick={signOut}>
        Log out
      </Button>
    </SignInFrame>
  );
}
