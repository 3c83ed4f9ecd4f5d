import { useParams } from 'wouter';
import {
  CheckedIn,
  CheckInCard,
  CheckInFrame,
  CheckInLinkDead,
  CheckInSkeleton,
  CheckInUnreachable,
} from '#web/features/check-in/check-in-card.tsx';
import { useCheckIn, useCheckInLink } from '#web/features/check-in/use-check-in.ts';
import { isFinal } from '#web/lib/use-loaded.ts';

/** Behind the link in a reminder: one button. Opening the page, as scanners do, changes nothing. */
export function CheckInPage() {
  const { token = '' } = useParams<{ token?: string }>();
  return (
    <CheckInFrame>
      <LinkedCheckIn token={token} />
    </CheckInFrame>
  );
}

function LinkedCheckIn({ token }: { token: string }) {
  const { data: link, error, reload } = useCheckInLink(token);
  const { checkIn, submit } = useCheckIn(token);
  if (link && checkIn.state === 'done') {
    return <CheckedIn firstName={link.firstName} lastCheckinAt={checkIn.lastCheckinAt} />;
  }
  if (checkIn.state === 'failed' && checkIn.isFinal) return <CheckInLinkDead />;
  if (link) return <CheckInCard {...link} checkIn={checkIn} onCheckIn={submit} />;
  if (error === null) return <CheckInSkeleton />;
  if (isFinal(error)) return <CheckInLinkDead />;
  return <CheckInUnreachable message={error.message} onRetry={reload} />;
}
