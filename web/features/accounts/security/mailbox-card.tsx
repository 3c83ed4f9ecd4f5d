import { askForMailboxProof } from '#shared/contract/mailbox.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { messageOf } from '#web/features/accounts/sign-in.ts';
import { useChange } from '#web/lib/api/changes.ts';
import { useSession } from '#web/lib/session.ts';
import '#web/features/accounts/accounts.css';
import './security.css';

/** Limits of an account without a mailbox proof, and the way to give one. */
export function MailboxCard() {
  const { user } = useSession();
  const send = useChange(askForMailboxProof);
  if (!user?.emailVerified || user.isMailboxProven) return null;
  return (
    <Card as="section" className="guard" aria-labelledby="mailbox">
      <h2 className="h-card" id="mailbox">
        Show that your mailbox is yours
      </h2>
      <p>
        We do not know yet that you, who sign in here, also read the mail at <bdi className="whole">{user.email}</bdi>.
        Until we do, this account cannot act as a trustee, cannot be opened with an account elsewhere, and can have no
        second step. That protects people from somebody who opens an account with an address that is not theirs.
      </p>
      {send.isSuccess ? (
        <p role="status">
          The link is on its way to <bdi className="whole">{user.email}</bdi>. Open it in this browser, and press the
          button there.
        </p>
      ) : (
        <Button variant="secondary" className="guard-act" busy={send.isPending} onClick={() => send.mutate()}>
          {send.isPending ? 'Sending…' : 'Send me the link'}
        </Button>
      )}
      {send.isError ? (
        <Banner tone="bad" role="alert">
          {messageOf(send.error)}
        </Banner>
      ) : null}
    </Card>
  );
}
