import { useState } from 'react';
import { useSearch } from 'wouter';
import { resendVerificationByLink } from '#shared/contract/accounts.ts';
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
  const toLogin = (
    <ButtonLink variant="text" size="small" href="/login">
      Go to Login
    </ButtonLink>
  );
  if (token === '') {
    return (
      <SignInFrame
        title="This link is not complete"
        heading="This link is not complete"
        intro="A part of it was lost on the way. Open it from the email again, or sign in and send a new one."
      >
        {toLogin}
      </SignInFrame>
    );
  }
  if (resend.isSuccess) {
    return (
      <SignInFrame key="sent" title="Check Your Email" heading="Check Your Email">
        <p role="status">A new verification link is on its way. It works for 24 hours.</p>
        {toLogin}
      </SignInFrame>
    );
  }
  return (
    <SignInFrame
      key="expired"
      title="This link has expired"
      heading="This link has expired"
      intro="A verification link works for 24 hours. We send a new one to the same address."
    >
      {resend.isError ? (
        <Banner tone="bad" role="alert">
          {messageOf(resend.error)}
        </Banner>
      ) : null}
      <Button wide busy={resend.isPending} onClick={() => resend.mutate({ body: { token } })}>
        {resend.isPending ? 'Sending...' : 'Send a new link'}
      </Button>
      {toLogin}
    </SignInFrame>
  );
}
