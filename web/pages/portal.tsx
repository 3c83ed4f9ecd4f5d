import { useState } from 'react';
import { useParams } from 'wouter';
import type { Portal } from '#shared/contract/release.ts';
import { PortalForm } from '#web/features/release-portal/portal-form.tsx';
import { PortalFrame } from '#web/features/release-portal/portal-frame.tsx';
import {
  AccessError,
  DecisionResult,
  PortalSkeleton,
  ReleaseOver,
} from '#web/features/release-portal/portal-states.tsx';
import { isFinal, useDecision, usePortal } from '#web/features/release-portal/use-portal.ts';
import { useLeaveWarning } from '#web/lib/leave-warning.ts';

const deadLink = 'Invalid or expired access token';

/** Where a trusted contact confirms or cancels a release. */
export function PortalPage() {
  const { token } = useParams<{ token?: string }>();
  if (token) return <LinkedPortal token={token} />;
  return (
    <PortalFrame>
      <AccessError message={deadLink} />
    </PortalFrame>
  );
}

function LinkedPortal({ token }: { token: string }) {
  const { data: portal, error, refetch } = usePortal(token);
  if (portal) {
    return (
      <PortalFrame onlyFor={portal.contact.name}>
        <Question portal={portal} token={token} isDead={error !== null && isFinal(error)} />
      </PortalFrame>
    );
  }
  return (
    <PortalFrame>
      {error === null ? <PortalSkeleton /> : null}
      {error && isFinal(error) ? <AccessError message={deadLink} /> : null}
      {error && !isFinal(error) ? (
        <AccessError
          message={`${deadLink}, or a failed connection`}
          detail={error.message}
          action={{ label: 'Try again', onPress: () => refetch() }}
        />
      ) : null}
    </PortalFrame>
  );
}

/** The reason stays in memory alone: it speaks of a death, and the computer may be shared. */
function Question({ portal, token, isDead }: { portal: Portal; token: string; isDead: boolean }) {
  const [reason, setReason] = useState('');
  const { submission, submit, backToForm } = useDecision(token);
  const isOpen = portal.state === 'open' && submission.state !== 'done' && !isDead;
  useLeaveWarning(isOpen && reason.trim() !== '');

  if (submission.state === 'done') {
    return <DecisionResult decision={submission.decision} portal={portal} message={submission.message} />;
  }
  if (submission.state === 'failed') {
    return (
      <AccessError
        message="Failed to process confirmation"
        detail={submission.message}
        action={{ label: 'Back to your answer', onPress: backToForm }}
      />
    );
  }
  if (isDead) return <AccessError message={deadLink} />;
  if (portal.state === 'confirmed' || portal.state === 'cancelled') {
    return <DecisionResult decision={portal.state} portal={portal} />;
  }
  if (portal.state !== 'open') return <ReleaseOver portal={portal} />;
  return (
    <PortalForm
      portal={portal}
      reason={reason}
      onReason={setReason}
      busyWith={submission.state === 'busy' ? submission.decision : null}
      onDecide={(decision) => submit(decision, reason)}
    />
  );
}
