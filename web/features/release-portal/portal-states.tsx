import type { Portal } from '#shared/contract/release.ts';
import { PageHeading } from '#web/components/layout/page.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Drawing } from '#web/components/ui/drawing.tsx';
import { Skeleton } from '#web/components/ui/skeleton.tsx';
import { useTitle } from '#web/lib/use-title.ts';
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

/** What became of the contact's answer, in the service's words. */
export function DecisionResult({ decision, words }: { decision: Decision; words: string | null }) {
  const title = decision === 'confirmed' ? 'Release Confirmed' : 'Release Cancelled';
  useTitle(title);
  return (
    <div className="card empty">
      <Drawing name={decision === 'confirmed' ? 'post' : 'lamp-lit'} />
      <PageHeading>{title}</PageHeading>
      <p role="status">{words}</p>
      <p className="quiet">What you wrote is kept. You can close this page.</p>
    </div>
  );
}

/** The release went ahead without this contact, or ended in spite of them. */
export function ReleaseOver({ state, outcome }: Portal) {
  const wasReleased = state === 'released';
  const title = wasReleased ? 'The messages are on their way' : 'The release was cancelled';
  useTitle(title);
  return (
    <div className="card empty">
      <Drawing name={wasReleased ? 'post' : 'lamp-lit'} />
      <PageHeading>{title}</PageHeading>
      <p>{outcome}</p>
    </div>
  );
}
