import { useSearch } from 'wouter';
import { resendVerificationByLink } from '#shared/contract/accounts.ts';
import { pressNewVerification } from '#shared/contract/page-forms.ts';
import { Button } from '#web/components/ui/button.tsx';
import { useSent, useSentFields } from '#web/lib/api/sent-answers.ts';
import { ExpiredLink, IncompleteLink, NewLinkSent, sendWords } from './verify-expired.tsx';

/** The page of an expired verification link as the server draws it: a form that a browser posts by itself. */
export function PlainVerifyExpiredPage() {
  const sent = useSent(`POST ${resendVerificationByLink.path}`);
  const search = useSearch();
  const { token = new URLSearchParams(search).get('token') ?? '' } = useSentFields();
  if (token === '') return <IncompleteLink />;
  if (sent && !sent.error) return <NewLinkSent />;
  return (
    <ExpiredLink error={sent?.error ?? null}>
      <form method="post" action={pressNewVerification.path}>
        <input type="hidden" name="token" value={token} />
        <Button type="submit" wide>
          {sendWords}
        </Button>
      </form>
    </ExpiredLink>
  );
}
