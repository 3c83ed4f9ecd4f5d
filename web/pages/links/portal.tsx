import { useState } from 'react';
import { useParams } from 'wouter';
import type { Portal } from '#shared/contract/release.ts';
import { ContactFrame } from '#web/components/layout/contact-frame.tsx';
import { PortalDocuments } from '#web/features/release-portal/portal-documents.tsx';
import { PortalForm } from '#web/features/release-portal/portal-form.tsx';
import {
  AccessError,
  DecisionResult,
  PortalSkeleton,
  ReleaseOver,
} from '#web/features/release-portal/portal-states.tsx';
import { deadLinkDetail } from '#web/features/release-portal/portal-words.ts';
import { useDecision, usePortal } from '#web/features/release-portal/use-portal.ts';
import { isFinal } from '#web/lib/api/use-loaded.ts';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';

const deadLink = 'Invalid or expired access token';

/** Where a trusted contact confirms or cancels a release. */
export function PortalPage() {
  const { token } = useParams<{ token?: string }>();
  if (token) return <LinkedPortal token={token} />;
  return (
    <ContactFrame about="release">
      <AccessError message={deadLink} detail={deadLinkDetail} />
    </ContactFrame>
  );
}

function LinkedPortal({ token }: { token: string }) {
  const { data: portal, error, reload } = usePortal(token);
  if (portal) {
    return (
      <ContactFrame about="release" onlyFor={portal.contact.name}>
        <Question portal={portal} token={token} isDead={error !== null && isFinal(error)} onRefused={reload} />
      </ContactFrame>
    );
  }
  return (
    <ContactFrame about="release">
      {error === null ? <PortalSkeleton /> : null}
      {error && isFinal(error) ? <AccessError message={deadLink} detail={deadLinkDetail} /> : null}
      {error && !isFinal(error) ? (
        <AccessError
          message={`${deadLink}, or a failed connection`}
          detail={error.message}
          action={{ label: 'Try again', onPress: reload }}
        />
      ) : null}
    </ContactFrame>
  );
}

type QuestionProps = { portal: Portal; token: string; isDead: boolean; onRefused: () => void };

/** The reason stays in memory alone: it speaks of a death, and the computer may be shared. */
function Question({ portal, token, isDead, onRefused }: QuestionProps) {
  const [reason, setReason] = useState('');
  const { submission, submit, backToForm } = useDecision(token, onRefused);
  const isOpen = portal.state === 'open' && submission.state !== 'done' && !isDead;
  useLeaveWarning(isOpen && reason.trim() !== '');

  if (submission.state === 'done') {
    return (
      <>
        <DecisionResult decision={submission.decision} words={submission.message} />
        {submission.decision === 'confirmed' ? <PortalDocuments portal={portal} /> : null}
      </>
    );
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
  if (isDead) return <AccessError message={deadLink} detail={deadLinkDetail} />;
  if (portal.state === 'confirmed' || portal.state === 'cancelled') {
    return (
      <>
        <DecisionResult decision={portal.state} words={portal.outcome} />
        {portal.state === 'confirmed' ? <PortalDocuments portal={portal} /> : null}
      </>
    );
  }
  if (portal.state !== 'open') {
    return (
      <>
        <ReleaseOver {...portal} />
        {portal.state === 'released' ? <PortalDocuments portal={portal} /> : null}
      </>
    );
  }
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
