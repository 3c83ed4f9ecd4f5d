import { useParams } from 'wouter';
import { getAuthUser } from '#shared/contract/accounts.ts';
import { proveMailbox } from '#shared/contract/mailbox.ts';
import { pressMailboxProof } from '#shared/contract/page-forms.ts';
import { Button } from '#web/components/ui/button.tsx';
import { addressOf } from '#web/lib/api/api.ts';
import { useSent } from '#web/lib/api/sent-answers.ts';
import { useLinkRead } from '#web/lib/api/use-link-read.ts';
import { MailboxProved, MailboxQuestion, proveWords, SignInFirst } from './confirm-mailbox.tsx';

/** The page of a mailbox-proof link as the server draws it: a form that a browser posts by itself. */
export function PlainConfirmMailboxPage() {
  const { token = '' } = useParams<{ token: string }>();
  const { data: user } = useLinkRead(getAuthUser, undefined);
  const proved = useSent(`POST ${proveMailbox.path}`);
  if (!user) return <SignInFirst />;
  if (proved && !proved.error) return <MailboxProved isClosing={user.deletionAt !== undefined} />;
  return (
    <MailboxQuestion user={user} error={proved?.error ?? null}>
      <form method="post" action={addressOf(pressMailboxProof, { params: { token } })}>
        <Button type="submit" wide>
          {proveWords}
        </Button>
      </form>
    </MailboxQuestion>
  );
}
