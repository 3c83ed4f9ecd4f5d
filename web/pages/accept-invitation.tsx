import { useLocation, useParams } from 'wouter';
import { ContactFrame } from '#web/components/layout/contact-frame.tsx';
import { Notice } from '#web/components/layout/notice.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { InvitationQuestion, InvitationSkeleton } from '#web/features/invitation/invitation-view.tsx';
import { type Accepted, type Invitation, useAnswer, useInvitation } from '#web/features/invitation/use-invitation.ts';
import { isFinal } from '#web/lib/use-loaded.ts';

/** Where somebody accepts or declines to be a trusted contact. Opening it changes nothing: only a press does. */
export function AcceptInvitationPage() {
  const { token = '' } = useParams<{ token?: string }>();
  const { data: invitation, error, reload } = useInvitation(token);
  if (invitation) {
    return (
      <ContactFrame about="role" onlyFor={invitation.contactName}>
        <Answering invitation={invitation} token={token} />
      </ContactFrame>
    );
  }
  return (
    <ContactFrame about="role">
      {error === null ? <InvitationSkeleton /> : null}
      {error && isFinal(error) ? (
        <Notice drawing="key" title="This invitation has ended">
          <p>An invitation works for 30 days. Ask the person who invited you to send it again.</p>
        </Notice>
      ) : null}
      {error && !isFinal(error) ? (
        <Notice drawing="key" title="We could not load your invitation">
          <p role="alert">{error.message}</p>
          <Button variant="secondary" onClick={reload}>
            Try again
          </Button>
        </Notice>
      ) : null}
    </ContactFrame>
  );
}

function Answering({ invitation, token }: { invitation: Invitation; token: string }) {
  const [, navigate] = useLocation();
  const { answer, submit } = useAnswer(token, (accepted) => goToConfirmed(navigate, accepted));
  if (answer.state === 'declined' || (answer.state === 'idle' && invitation.state === 'declined')) {
    return (
      <Notice drawing="letter" title="You have declined">
        <p>
          We ask you nothing about <bdi>{invitation.ownerName}</bdi>. If you change your mind, ask to be invited once
          more.
        </p>
      </Notice>
    );
  }
  if (answer.state === 'idle' && invitation.state === 'accepted') {
    return (
      <Notice drawing="hands" title="You have accepted already">
        <p>
          You are a trusted contact for <bdi>{invitation.ownerName}</bdi>. You do not need to do anything now.
        </p>
      </Notice>
    );
  }
  return <InvitationQuestion invitation={invitation} answer={answer} onAnswer={submit} />;
}

type Navigate = ReturnType<typeof useLocation>[1];

/** The address carries what the specification names; the page believes the state beside it, which no link can bring. */
function goToConfirmed(navigate: Navigate, { contactId, name }: Accepted): void {
  const search = new URLSearchParams({ contactId, name });
  navigate(`/trusted-contact-confirmed?${search}`, { replace: true, state: { accepted: { contactId, name } } });
}
