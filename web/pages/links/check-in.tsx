import { useParams } from 'wouter';
import { Letterhead } from '#web/components/layout/letterhead.tsx';
import { UnreachableNotice } from '#web/components/layout/notice.tsx';
import { CheckedIn, CheckInCard, CheckInLinkDead, CheckInSkeleton } from '#web/features/check-in/check-in-card.tsx';
import { useCheckIn, useCheckInLink } from '#web/features/check-in/use-check-in.ts';
import { isFinal } from '#web/lib/api/use-loaded.ts';

/** Page of the link in a reminder. Only its button changes anything, because mail scanners open links. */
export function CheckInPage() {
  const { token = '' } = useParams<{ token?: string }>();
  return (
    <Letterhead>
      <LinkedCheckIn token={token} />
    </Letterhead>
  );
}

function LinkedCheckIn({ token }: { token: string }) {
  const { data: link, error, reload } = useCheckInLink(token);
  const { checkIn, submit } = useCheckIn(token);
  if (link && checkIn.state === 'done') {
    return <CheckedIn firstName={link.firstName} {...checkIn} />;
  }
  if (checkIn.state === 'failed' && checkIn.isFinal) return <CheckInLinkDead />;
  if (link) return <CheckInCard {...link} checkIn={checkIn} onCheckIn={submit} />;
  if (error === null) return <CheckInSkeleton />;
  if (isFinal(error)) return <CheckInLinkDead />;
  return <UnreachableNotice message={error.message} onRetry={reload} />;
}
