import { type ReactNode, useState } from 'react';
import { useSearch } from 'wouter';
import { resendVerificationByLink } from '#shared/contract/accounts.ts';
import { pressNewVerification } from '#shared/contract/page-forms.ts';
import { PressForm } from '#web/components/layout/press-form.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button, ButtonLink } from '#web/components/ui/button.tsx';
import { messageOf } from '#web/features/accounts/sign-in.ts';
import { SignInFrame } from '#web/features/accounts/sign-in-frame.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { toast } from '#web/lib/toast.ts';

/** Target of a verification link that is older than a day: offers a new one. */
export function VerifyExpiredPage() {
  const search = useSearch();
  const [token] = useState(() => new URLSearchParams(search).get('token') ?? '');
  const resend = useChange(resendVerificationByLink, {
    onSuccess: () => {
      toast({
        title: 'Verification email sent',
        description: 'Please check your email and click the verification link.',
      });
    },
    onError: () => {
      toast({ title: 'Error sending email', description: 'Please try again later.', variant: 'destructive' });
    },
  });
  if (token === '') return <IncompleteLink />;
  if (resend.isSuccess) return <NewLinkSent key="sent" />;
  return (
    <ExpiredLink key="expired" error={resend.error}>
      <PressForm action={pressNewVerification.path} onPress={() => resend.mutate({ body: { token } })}>
        <Button type="submit" wide busy={resend.isPending}>
          {resend.isPending ? 'Sending...' : sendWords}
        </Button>
      </PressForm>
    </ExpiredLink>
  );
}

export const sendWords = 'Send a new link';

export function IncompleteLink() {
  return (
    <SignInFrame
      title="This link is not complete"
      heading="This link is not complete"
      intro="A part of it was lost on the way. Open it from the email again, or sign in and send a new one."
    >
      <ToLogin />
    </SignInFrame>
  );
}

export function NewLinkSent() {
  return (
    <SignInFrame title="Check Your Email" heading="Check Your Email">
      <p role="status">A new verification link is on its way. It works for 24 hours.</p>
      <ToLogin />
    </SignInFrame>
  );
}

/** @param props.children the button that asks for a new link. */
export function ExpiredLink({ error, children }: { error: Error | null; children: ReactNode }) {
  return (
    <SignInFrame
      title={error ? 'Error: This link has expired' : 'This link has expired'}
      heading="This link has expired"
      intro="A verification link works for 24 hours. We send a new one to the same address."
    >
      {error ? (
        <Banner tone="bad" role="alert">
          {messageOf(error)}
        </Banner>
      ) : null}
      {children}
      <ToLogin />
    </SignInFrame>
  );
}

function ToLogin() {
  return (
    <ButtonLink variant="text" size="small" href="/login">
      Go to Login
    </ButtonLink>
  );
}
