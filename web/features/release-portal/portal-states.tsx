import type { Portal } from '#shared/contract/release.ts';
import { PageHeading } from '#web/components/layout/page.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Drawing } from '#web/components/ui/drawing.tsx';
import { Skeleton } from '#web/components/ui/skeleton.tsx';
import { longDate } from '#web/lib/format.ts';
import { useTitle } from '#web/lib/use-title.ts';
import { afterCancel, ownerFirstName } from './portal-words.ts';
import type { Decision } from './use-portal.ts';

export function PortalSkeleton() {
  return (
    <div className="stack" role="status" aria-label="Loading what you are asked">
      <Skeleton width="70%" height="3rem" />
      <Skeleton width="90%" height="1.5rem" />
      <Skeleton height="5rem" />
      <Skeleton width="60%" height="1.5rem" />
      <Skeleton height="9rem" />
      <Skeleton height="16rem" />
    </div>
  );
}

type AccessErrorProps = {
  message: string;
  detail?: string | undefined;
  action?: { label: string; onPress: () => void };
};

/** Why nothing is shown, or why an answer was not taken. */
export function AccessError({ message, detail, action }: AccessErrorProps) {
  useTitle('Access Error');
  return (
    <div className="card empty">
      <Drawing name="key" />
      <PageHeading>Access Error</PageHeading>
      <p role="alert">{message}</p>
      {detail ? <p>{detail}</p> : null}
      {action ? (
        <Button variant="secondary" onClick={action.onPress}>
          {action.label}
        </Button>
      ) : null}
    </div>
  );
}

/** What became of the contact's answer. */
export function DecisionResult({
  decision,
  portal,
  message,
}: {
  decision: Decision;
  portal: Portal;
  message?: string;
}) {
  const title = decision === 'confirmed' ? 'Release Confirmed' : 'Release Cancelled';
  useTitle(title);
  const name = ownerFirstName(portal);
  return (
    <div className="card empty">
      <Drawing name={decision === 'confirmed' ? 'post' : 'lamp-lit'} />
      <PageHeading>{title}</PageHeading>
      <p role="status">{message ?? (decision === 'confirmed' ? confirmedWords(portal) : cancelledWords(name))}</p>
      <p className="quiet">Your answer and your reason are kept. You can close this page.</p>
    </div>
  );
}

/** The release went ahead without this contact's answer, or ended without one. */
export function ReleaseOver({ portal }: { portal: Portal }) {
  const wasReleased = portal.state === 'released';
  const title = wasReleased ? 'The messages are on their way' : 'The release was cancelled';
  useTitle(title);
  const name = ownerFirstName(portal);
  return (
    <div className="card empty">
      <Drawing name={wasReleased ? 'post' : 'lamp-lit'} />
      <PageHeading>{title}</PageHeading>
      <p>
        {wasReleased
          ? `${name}’s messages were released without an answer from you: somebody else confirmed, or the time to answer was over.`
          : `Somebody else cancelled the release of ${name}’s messages, and nothing is sent. ${afterCancel(portal)}`}
      </p>
    </div>
  );
}

function cancelledWords(name: string): string {
  return `Nothing is sent. We have told ${name} to log in immediately.`;
}

/** For a later visit, when the words that came with the answer are gone. */
function confirmedWords(portal: Portal): string {
  const delivered = portal.history.find(({ what }) => what === 'delivered');
  const holding = portal.history.find(({ what, isPast }) => what === 'holding_until' && !isPast);
  if (delivered) return `The messages were delivered on ${longDate(delivered.at)}.`;
  if (holding) {
    return `${ownerFirstName(portal)} asked us to wait first. The messages will be delivered on ${longDate(holding.at)}.`;
  }
  if (portal.confirmations < portal.quorum) {
    return `${portal.confirmations} of ${portal.quorum} people have confirmed. The messages will be delivered when all have.`;
  }
  return 'The messages will be delivered within minutes.';
}
