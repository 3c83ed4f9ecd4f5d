import { useQueryClient } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { proveMailbox } from '#shared/contract/mailbox.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button, ButtonLink } from '#web/components/ui/button.tsx';
import { messageOf } from '#web/features/accounts/sign-in.ts';
import { SignInFrame } from '#web/features/accounts/sign-in-frame.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { useSession } from '#web/lib/session.ts';

const title = 'Is this mailbox yours?';

/** Target of the mailbox-proof link. Opening it does nothing; a press of the signed-in person does. */
export function ConfirmMailboxPage() {
  const { token = '' } = useParams<{ token: string }>();
  const { user } = useSession();
  const client = useQueryClient();
  const prove = useChange(proveMailbox, { onSuccess: () => client.invalidateQueries() });
  if (prove.isSuccess) {
    return (
      <SignInFrame key="done" title="Thank you" heading="Thank you" offers="none">
        <p role="status">We know now that this account and its mailbox belong to the same person.</p>
        {user?.deletionAt === undefined ? (
          <>
            <ButtonLink href="/trustee" wide>
              Open the Trustee Panel
            </ButtonLink>
            <ButtonLink variant="text" size="small" href="/">
              Go to the dashboard
            </ButtonLink>
          </>
        ) : (
          <ButtonLink href="/" wide>
            Go on to restore my account
          </ButtonLink>
        )}
      </SignInFrame>
    );
  }
  if (!user) {
    return (
      <SignInFrame key="signed-out" title={title} heading={title} offers="none">
        <p>Nobody is signed in here. Sign in to your account in this browser, then open the link in the email again.</p>
        <ButtonLink href="/login" wide>
          Go to Login
        </ButtonLink>
        <NotYours />
      </SignInFrame>
    );
  }
  return (
    <SignInFrame key="ask" title={prove.isError ? `Error: ${title}` : title} heading={title} offers="none">
      <p>
        You are signed in as <bdi>{user.email}</bdi>. Press the button if that account is yours, and you found this link
        in your own mailbox.
      </p>
      {prove.isError ? (
        <Banner tone="bad" role="alert">
          {messageOf(prove.error)}
        </Banner>
      ) : null}
      <Button wide busy={prove.isPending} onClick={() => prove.mutate({ body: { token } })}>
        {prove.isPending ? 'Confirming…' : 'Yes, both are mine'}
      </Button>
      <NotYours />
    </SignInFrame>
  );
}

function NotYours() {
  return (
    <p className="small quiet">
      Did you ask for no such link? Then press nothing. Somebody else may know the password of the account with your
      address: choose “Forgot password” on the sign-in page, and a new one shuts them out.
    </p>
  );
}
