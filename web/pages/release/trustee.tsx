import { useState } from 'react';
import type { TrusteeRelationship } from '#shared/contract/release/trustee.ts';
import { Page } from '#web/components/layout/page.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { Empty, LoadError } from '#web/components/ui/empty.tsx';
import { Skeleton, SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { MailboxCard } from '#web/features/accounts/security/mailbox-card.tsx';
import { useSessionEnded } from '#web/features/accounts/use-session-ended.ts';
import { OwnerList } from '#web/features/trustee/owner-list.tsx';
import { Decision, MessageCounts, OwnerFacts } from '#web/features/trustee/owner-panel.tsx';
import { useRelationships, useSummary } from '#web/features/trustee/trustee-data.ts';
import { firstName } from '#web/features/trustee/trustee-words.ts';
import { useSession } from '#web/lib/session.ts';
import '#web/features/trustee/trustee.css';

const skeletonRows = 2;

/** Page of a trustee: the messages to release, and the choice to wait or to release. */
export function TrusteePage() {
  const [isDeciding, setDeciding] = useState(false);
  const relationships = useRelationships(!isDeciding);
  const [selectedId, setSelectedId] = useState<string | null>(null);
  useSessionEnded(relationships.data === null);
  const owners = relationships.data ?? [];
  const selected = owners.find(({ id }) => id === selectedId) ?? owners[0];
  return (
    <Page title="Trustee Panel" intro="People who trust you to say when their messages should be sent">
      <MailboxCard />
      {selected ? (
        <div className="trustee">
          <OwnerList owners={owners} selectedId={selected.id} onSelect={setSelectedId} />
          <OwnerPanel key={selected.id} owner={selected} isDeciding={isDeciding} onDeciding={setDeciding} />
        </div>
      ) : relationships.data ? (
        <Empty
          drawing="hands"
          title="No trustee relationships found..."
          text="When somebody names this email address as a trusted contact and you accept, they appear here."
        />
      ) : relationships.isError ? (
        <LoadError title="We could not load the people who trust you" onRetry={() => relationships.refetch()} />
      ) : (
        <SkeletonRows rows={skeletonRows} label="Loading the people who trust you" />
      )}
    </Page>
  );
}

type OwnerPanelProps = {
  owner: TrusteeRelationship;
  isDeciding: boolean;
  onDeciding: (isDeciding: boolean) => void;
};

function OwnerPanel({ owner, isDeciding, onDeciding }: OwnerPanelProps) {
  const { summary, isError, isSignedOut, refetch } = useSummary(owner, !isDeciding);
  const { user } = useSession();
  useSessionEnded(isSignedOut);
  return (
    <div className="stack">
      <Card as="section" className="stack" aria-labelledby="trustee-account">
        <h2 className="h-card" id="trustee-account">
          Account information
        </h2>
        <OwnerFacts owner={owner} />
        {summary && owner.isActive ? <MessageCounts summary={summary} /> : null}
      </Card>
      {owner.isActive ? null : (
        <p>
          Your role has ended. You no longer see anything of {firstName(owner)}’s account, and nothing is asked of you.
        </p>
      )}
      {owner.isActive && summary ? (
        <Decision
          owner={owner}
          summary={summary}
          isMailboxProven={user?.isMailboxProven ?? false}
          isDeciding={isDeciding}
          onDeciding={onDeciding}
        />
      ) : null}
      {owner.isActive && !summary && isError ? (
        <LoadError title="We could not load the messages" onRetry={() => refetch()} />
      ) : null}
      {owner.isActive && !summary && !isError ? (
        <div role="status" aria-label="Loading the messages">
          <Skeleton height="9rem" />
        </div>
      ) : null}
    </div>
  );
}
