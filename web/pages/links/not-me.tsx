import { useParams } from 'wouter';
import { Letterhead } from '#web/components/layout/letterhead.tsx';
import { UnreachableNotice } from '#web/components/layout/notice.tsx';
import { NotMeCard, NotMeDone, NotMeLinkDead, NotMeSkeleton } from '#web/features/not-me/not-me-card.tsx';
import { useNotMe, useSayNotMe } from '#web/features/not-me/use-not-me.ts';
import { isFinal } from '#web/lib/api/use-loaded.ts';

/** Page of the link "This was not me" in a mail about a new account. Only its button changes anything, because mail scanners open links. */
export function NotMePage() {
  const { token = '' } = useParams<{ token?: string }>();
  return (
    <Letterhead>
      <NotMeQuestion token={token} />
    </Letterhead>
  );
}

function NotMeQuestion({ token }: { token: string }) {
  const { data: account, error, reload } = useNotMe(token);
  const { said, say } = useSayNotMe(token);
  if (said.state === 'done') return <NotMeDone goesAt={said.goesAt} />;
  if (said.state === 'failed' && said.isFinal) return <NotMeLinkDead />;
  if (account) return <NotMeCard account={account} said={said} onSay={say} />;
  if (error === null) return <NotMeSkeleton />;
  if (isFinal(error)) return <NotMeLinkDead />;
  return <UnreachableNotice message={error.message} onRetry={reload} />;
}
