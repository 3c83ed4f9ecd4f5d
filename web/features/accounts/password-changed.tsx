import { ButtonLink } from '#web/components/ui/button.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

export type PasswordChange = {
  isHandedOver: boolean;
  isFirstSign: boolean;
  unlinkedProviders: readonly string[];
  hasSecondStep: boolean;
};

/** State of the account after a new password, and the parts that its holder should check. */
export function PasswordChanged({ isHandedOver, isFirstSign, unlinkedProviders, hasSecondStep }: PasswordChange) {
  const goToLogin = (
    <ButtonLink href="/login" wide>
      Go to Login
    </ButtonLink>
  );
  if (isHandedOver) {
    return (
      <SignInFrame key="changed" title="This vault is yours" heading="This vault is yours, and empty">
        <p role="status">
          Your password is set. Someone had opened an account with your email address, and it was never confirmed. That
          may have been you. To be safe, we deleted everything in it: messages, trusted contacts and settings.
        </p>
        {goToLogin}
      </SignInFrame>
    );
  }
  return (
    <SignInFrame key="changed" title="Your password is changed" heading="Your password is changed">
      <p role="status">Every device that was signed in has been signed out. Sign in with the new password.</p>
      {unlinkedProviders.length > 0 ? (
        <p>
          The link with {listFormat.format(unlinkedProviders)} was removed. If you use it, link it again under Privacy
          &amp; Security once you are signed in.
        </p>
      ) : null}
      {hasSecondStep ? (
        <p>
          Your second step stays on, and signing in asks for it. If you do not know its passkey or app, reply to our
          email about the new password.
        </p>
      ) : null}
      {isFirstSign ? (
        <p>
          Until now we did not know that the person who used this account also reads your mail. When you are signed in,
          look at the messages, the trusted contacts and the settings in it. If you did not put them there, remove them,
          or choose “This was not me” in the email that brought you here.
        </p>
      ) : null}
      {goToLogin}
    </SignInFrame>
  );
}

const listFormat = new Intl.ListFormat('en-GB', { type: 'conjunction' });
