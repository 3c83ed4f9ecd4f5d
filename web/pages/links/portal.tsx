import { useState } from 'react';
import { useParams, useSearch } from 'wouter';
import type { Portal } from '#shared/contract/release/portal.ts';
import { ContactFrame } from '#web/components/layout/contact-frame.tsx';
import { DecliningReaders } from '#web/features/release-portal/declining-readers.tsx';
import { OwnerAddress } from '#web/features/release-portal/owner-address.tsx';
import { PortalDocuments, PortalFirstWeeks } from '#web/features/release-portal/portal-documents.tsx';
import { PortalForm } from '#web/features/release-portal/portal-form.tsx';
import {
  AccessError,
  DecisionResult,
  PortalSkeleton,
  ReleaseOver,
} from '#web/features/release-portal/portal-states.tsx';
import { deadLinkDetail } from '#web/features/release-portal/portal-words.ts';
import {
  type Decision,
  type Press,
  useDecision,
  usePortal,
  usePress,
} from '#web/features/release-portal/use-portal.ts';
import { useSentFields } from '#web/lib/api/sent-answers.ts';
import { isFinal } from '#web/lib/api/use-loaded.ts';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';

const deadLink = 'Invalid or expired access token';

/** Page where a trusted contact confirms or cancels a release. */
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
  const documentsFrom = Math.max(0, Math.trunc(Number(new URLSearchParams(useSearch()).get('documents'))) || 0);
  const { data: portal, error, reload } = usePortal(token, documentsFrom);
  if (portal) {
    return (
      <ContactFrame about="release" onlyFor={portal.contact.name}>
        <Question portal={portal} token={token} isDead={error !== null && isFinal(error)} lookAgain={reload} />
        {portal.state === 'open' || error ? null : <OwnerAddress portal={portal} token={token} />}
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

type QuestionProps = { portal: Portal; token: string; isDead: boolean; lookAgain: () => void };

/** The reason stays in memory alone: it speaks of a death, and the computer may be shared. */
function Question({ portal, token, isDead, lookAgain }: QuestionProps) {
  const [reason, setReason] = useState(useSentFields().reason ?? '');
  const { submission, submit, backToForm } = useDecision(token, lookAgain);
  const { pressed, press, backToPage } = usePress(token, lookAgain);
  const isOpen = portal.state === 'open' && submission.state !== 'done' && pressed.state !== 'done' && !isDead;
  useLeaveWarning(isOpen && reason.trim() !== '');

  if (pressed.state === 'done') {
    const stoppedBy = pressed.press === 'take_back' ? 'taken_back' : 'not_asked';
    return <ReleaseOver portal={{ ...portal, state: 'stopped', stoppedBy, outcome: pressed.message }} />;
  }
  if (submission.state === 'failed' || pressed.state === 'failed') {
    const [failed, back] = submission.state === 'failed' ? [submission, backToForm] : [pressed, backToPage];
    return (
      <AccessError
        message="Failed to process confirmation"
        detail={failed.state === 'failed' ? failed.message : undefined}
        action={{ label: 'Back to your answer', onPress: back }}
      />
    );
  }
  if (submission.state === 'done') {
    return <Decided portal={portal} {...submission} isPressing={pressed.state === 'busy'} onPress={press} />;
  }
  if (isDead) return <AccessError message={deadLink} detail={deadLinkDetail} />;
  if (portal.state === 'confirmed' || portal.state === 'cancelled' || portal.state === 'alive') {
    const said = { decision: portal.state, message: portal.outcome };
    return <Decided portal={portal} {...said} isPressing={pressed.state === 'busy'} onPress={press} />;
  }
  if (portal.state !== 'open') {
    return (
      <>
        <ReleaseOver portal={portal} />
        {portal.state === 'released' ? <FromOwner portal={portal} /> : null}
      </>
    );
  }
  return (
    <PortalForm
      portal={portal}
      first={<OwnerAddress portal={portal} token={token} />}
      reason={reason}
      onReason={setReason}
      busyWith={submission.state === 'busy' ? submission.decision : null}
      onDecide={(decision) => submit(decision, reason)}
      isSayingNotAsked={pressed.state === 'busy'}
      onNotAsked={() => press('not_asked')}
    />
  );
}

/** Everything that the owner left for this contact. */
function FromOwner({ portal }: { portal: Portal }) {
  return (
    <>
      <PortalFirstWeeks portal={portal} />
      <PortalDocuments portal={portal} />
      <DecliningReaders portal={portal} />
    </>
  );
}

type DecidedProps = {
  portal: Portal;
  decision: Decision;
  message: string | null;
  isPressing: boolean;
  onPress: (press: Press) => void;
};

/** Answer of a contact, with the way back while it is possible. */
function Decided({ portal, decision, message, isPressing, onPress }: DecidedProps) {
  const canTakeBack = decision === 'confirmed' && portal.canTakeBack;
  return (
    <>
      <DecisionResult
        portal={portal}
        decision={decision}
        words={message}
        onTakeBack={canTakeBack ? () => onPress('take_back') : undefined}
        isTakingBack={isPressing}
      />
      {decision === 'confirmed' ? <FromOwner portal={portal} /> : null}
    </>
  );
}
