import { useLocation, useParams } from 'wouter';
import { ContactFrame } from '#web/components/layout/contact-frame.tsx';
import { Notice } from '#web/components/layout/notice.tsx';
import { PressForm } from '#web/components/layout/press-form.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { AcceptedNotice, DeclinedNotice } from '#web/features/invitation/answered.tsx';
import { InvitationQuestion, InvitationSkeleton } from '#web/features/invitation/invitation-view.tsx';
import { type Accepted, type Invitation, useAnswer, useInvitation } from '#web/features/invitation/use-invitation.ts';
import { isFinal } from '#web/lib/api/use-loaded.ts';

/** Page to accept or decline the role of trusted contact. Opening it changes nothing; only a press does. */
export function AcceptInvitationPage() {
  const { token = '' } = useParams<{ token?: string }>();
  const { data: invitation, error, reload } = useInvitation(token);
  if (invitation) {
    return (
      <ContactFrame about="role" onlyFor={invitation.contactName}>
        <InvitationAnswer invitation={invitation} token={token} />
      </ContactFrame>
    );
  }
  return (
    <ContactFrame about="role">
      {error === null ? <InvitationSkeleton /> : null}
      {error && isFinal(error) ? (
        <Notice drawing="key" title="This invitation has ended">
          <p>
            An invitation works for 30 days. It ends sooner if a newer one is sent, or if the person who invited you
            removes you. If you left the role, you have 30 days to come back.
          </p>
          <p>We are not asking you for anything. To take the role, ask the person who invited you to send it again.</p>
        </Notice>
      ) : null}
      {error && !isFinal(error) ? (
        <Notice drawing="key" title="We could not load your invitation">
          <p role="alert">{error.message}</p>
          <PressForm method="get" onPress={reload}>
            <Button type="submit" variant="secondary">
              Try again
            </Button>
          </PressForm>
        </Notice>
      ) : null}
    </ContactFrame>
  );
}

function InvitationAnswer({ invitation, token }: { invitation: Invitation; token: string }) {
  const [, navigate] = useLocation();
  const onAccepted = (accepted: Accepted) => goToConfirmed(navigate, accepted);
  const { answer, declined, submit } = useAnswer({ token, invitation, onAccepted });
  const { ownerName, state, answerableUntil } = invitation;
  const shared = { ownerName, answer, onAnswer: submit };
  if (declined) return <DeclinedNotice {...shared} declined={declined} />;
  if (state === 'declined') return <DeclinedNotice {...shared} declined={{ hasLeft: false, answerableUntil }} />;
  if (state === 'accepted') return <AcceptedNotice {...shared} />;
  return <InvitationQuestion invitation={invitation} answer={answer} onAnswer={submit} />;
}

type Navigate = ReturnType<typeof useLocation>[1];

/** The specification fixes the query. The next page trusts only the history state, which no link can forge. */
function goToConfirmed(navigate: Navigate, accepted: Accepted): void {
  const { contactId, name } = accepted;
  const search = new URLSearchParams({ contactId, name });
  navigate(`/trusted-contact-confirmed?${search}`, { replace: true, state: { accepted } });
}
