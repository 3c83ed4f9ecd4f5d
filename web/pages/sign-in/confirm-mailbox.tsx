import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useParams } from 'wouter';
import type { User } from '#shared/contract/accounts.ts';
import { proveMailbox } from '#shared/contract/mailbox.ts';
import { PressForm } from '#web/components/layout/press-form.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button, ButtonLink } from '#web/components/ui/button.tsx';
import { messageOf } from '#web/features/accounts/sign-in.ts';
import { SignInFrame } from '#web/features/accounts/sign-in-frame.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { useSession } from '#web/lib/session.ts';

const title = 'Is this mailbox yours?';
export const proveWords = 'Yes, both are mine';

/** Target of the mailbox-proof link. Opening it does nothing; a press of the signed-in person does. */
export function ConfirmMailboxPage() {
  const { token = '' } = useParams<{ token: string }>();
  const { user } = useSession();
  const client = useQueryClient();
  const prove = useChange(proveMailbox, { onSuccess: () => client.invalidateQueries() });
  if (prove.isSuccess) return <MailboxProved key="done" isClosing={user?.deletionAt !== undefined} />;
  if (!user) return <SignInFirst key="signed-out" />;
  return (
    <MailboxQuestion key="ask" user={user} error={prove.error}>
      <PressForm onPress={() => prove.mutate({ body: { token } })}>
        <Button type="submit" wide busy={prove.isPending}>
          {prove.isPending ? 'Confirming…' : proveWords}
        </Button>
      </PressForm>
    </MailboxQuestion>
  );
}

/** @param props.isClosing true if the account is being deleted. */
export function MailboxProved({ isClosing }: { isClosing: boolean }) {
  return (
    <SignInFrame title="Thank you" heading="Thank you" offers="none">
      <p role="status">We know now that this account and its mailbox belong to the same person.</p>
      {isClosing ? (
        <ButtonLink href="/" wide>
          Go on to restore my account
        </ButtonLink>
      ) : (
        <>
          <ButtonLink href="/trustee" wide>
            Open the Trustee Panel
          </ButtonLink>
          <ButtonLink variant="text" size="small" href="/">
            Go to the dashboard
          </ButtonLink>
        </>
      )}
    </SignInFrame>
  );
}

export function SignInFirst() {
  return (
    <SignInFrame title={title} heading={title} offers="none">
      <p>Nobody is signed in here. Sign in to your account in this browser, then open the link in the email again.</p>
      <ButtonLink href="/login" wide>
        Go to Login
      </ButtonLink>
      <NotYours />
    </SignInFrame>
  );
}

type MailboxQuestionProps = {
  user: Pick<User, 'email'>;
  error: Error | null;
  /** The button that answers it. */
  children: ReactNode;
};

export function MailboxQuestion({ user, error, children }: MailboxQuestionProps) {
  return (
    <SignInFrame title={error ? `Error: ${title}` : title} heading={title} offers="none">
      <p>
        You are signed in as <bdi className="whole">{user.email}</bdi>. Press the button if that account is yours, and
        you found this link in your own mailbox.
      </p>
      {error ? (
        <Banner tone="bad" role="alert">
          {messageOf(error)}
        </Banner>
      ) : null}
      {children}
      <NotYours />
    </SignInFrame>
  );
}

function NotYours() {
  return (
    <p className="small quiet">
      If you did not ask for this link, press nothing. Another person may know the password of the account with your
      address. Choose “Forgot password” on the sign-in page: a new password shuts them out.
    </p>
  );
}
