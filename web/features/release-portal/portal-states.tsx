import type { Portal } from '#shared/contract/release/portal.ts';
import { PageHeading } from '#web/components/layout/page.tsx';
import { PressForm, pressName } from '#web/components/layout/press-form.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Drawing } from '#web/components/ui/drawing.tsx';
import { Skeleton } from '#web/components/ui/skeleton.tsx';
import { useTitle } from '#web/lib/use-title.ts';
import { canAskAnew, stoppedTitle, thanksFor } from './portal-words.ts';
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

/** Reason why nothing is shown, or why an answer was refused. */
export function AccessError({ message, detail, action }: AccessErrorProps) {
  useTitle('Access Error');
  return (
    <div className="card empty">
      <Drawing name="key" />
      <PageHeading>Access Error</PageHeading>
      <p role="alert">{message}</p>
      {detail ? <p>{detail}</p> : null}
      {action ? (
        <PressForm method="get" onPress={action.onPress}>
          <Button type="submit" variant="secondary">
            {action.label}
          </Button>
        </PressForm>
      ) : null}
    </div>
  );
}

function FirstWeek() {
  return (
    <p>
      <a href="/first-week">The first week after a death</a> says what cannot wait, and what can.
    </p>
  );
}

const decisionTitles: Record<Decision, string> = {
  confirmed: 'Release Confirmed',
  cancelled: 'Release Cancelled',
  alive: 'Your answer is kept',
};

type DecisionResultProps = {
  portal: Portal;
  decision: Decision;
  words: string | null;
  /** Takes the confirmation back; left out where that is not possible. */
  onTakeBack?: (() => void) | undefined;
  isTakingBack?: boolean;
};

/** Result of the contact's answer, in the service's words. */
export function DecisionResult({ portal, decision, words, onTakeBack, isTakingBack = false }: DecisionResultProps) {
  const title = decisionTitles[decision];
  useTitle(title);
  return (
    <div className="card empty">
      <Drawing name={decision === 'confirmed' ? 'post' : 'lamp-lit'} />
      <PageHeading>{title}</PageHeading>
      <p className="lead">{thanksFor(portal, decision)}</p>
      <p role="status">{words}</p>
      <p className="quiet">You have nothing more to do. What you wrote is kept, and you can close this page.</p>
      {decision === 'confirmed' ? <FirstWeek /> : null}
      {onTakeBack ? (
        <>
          <p className="quiet">
            Was it a mistake? You can take your confirmation back until the first letter has left.
          </p>
          <PressForm onPress={onTakeBack}>
            <Button type="submit" name={pressName} value="take-back" variant="secondary" busy={isTakingBack}>
              {isTakingBack ? 'Taking it back…' : 'Take my confirmation back'}
            </Button>
          </PressForm>
        </>
      ) : null}
    </div>
  );
}

/** The release went ahead without this contact, or ended in spite of them. */
export function ReleaseOver({ portal }: { portal: Portal }) {
  const wasReleased = portal.state === 'released';
  const title = wasReleased ? 'The messages are on their way' : stoppedTitle(portal);
  useTitle(title);
  return (
    <div className="card empty">
      <Drawing name={wasReleased ? 'post' : 'lamp-lit'} />
      <PageHeading>{title}</PageHeading>
      <p role="status">{portal.outcome}</p>
      {wasReleased ? <FirstWeek /> : null}
      {canAskAnew(portal) ? (
        <a className="btn btn-2" href="/emergency-activation">
          Open the emergency form
        </a>
      ) : null}
    </div>
  );
}
