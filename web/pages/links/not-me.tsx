import { useParams } from 'wouter';
import { Letterhead } from '#web/components/layout/letterhead.tsx';
import { UnreachableNotice } from '#web/components/layout/notice.tsx';
import { NotMeCard, NotMeDone, NotMeLinkDead, NotMeSkeleton } from '#web/features/not-me/not-me-card.tsx';
import { useNotMe, useSayNotMe } from '#web/features/not-me/use-not-me.ts';
import { isFinal } from '#web/lib/api/use-loaded.ts';

/** Behind "This was not me": what would go, and one button. Opening the page, as scanners do, changes nothing. */
export function NotMePage() {
  const { token = '' } = useParams<{ token?: string }>();
  return (
    <Letterhead>
      <LinkedQuestion token={token} />
    </Letterhead>
  );
}

function LinkedQuestion({ token }: { token: string }) {
  const { data: account, error, reload } = useNotMe(token);
  const { said, say } = useSayNotMe(token);
  if (said.state === 'done') return <NotMeDone goesAt={said.goesAt} />;
  if (said.state === 'failed' && said.isFinal) return <NotMeLinkDead />;
  if (account) return <NotMeCard account={account} said={said} onSay={say} />;
  if (error === null) return <NotMeSkeleton />;
  if (isFinal(error)) return <NotMeLinkDead />;
  return <UnreachableNotice message={error.message} onRetry={reload} />;
}
