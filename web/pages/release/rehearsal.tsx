import { useEffect, useState } from 'react';
import { getRehearsal, type Rehearsal, sendRehearsal } from '#shared/contract/release/rehearsal.ts';
import { getRelease, type ReleaseOverview } from '#shared/contract/release/release.ts';
import { Page } from '#web/components/layout/page.tsx';
import { Button, ButtonLink } from '#web/components/ui/button.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { Skeleton } from '#web/components/ui/skeleton.tsx';
import { vaultHeadings } from '#web/content/vault-headings.ts';
import { Readiness } from '#web/features/release/readiness.tsx';
import { RehearsalLetters, RehearsalSteps } from '#web/features/release/rehearsal-steps.tsx';
import { Timeline } from '#web/features/release/timeline.tsx';
import { buildTimeline } from '#web/features/release/timeline-marks.ts';
import { useChange } from '#web/lib/api/changes.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { counted } from '#web/lib/format.ts';
import { noteRehearsalSeen } from '#web/lib/rehearsal-seen.ts';
import { useSession } from '#web/lib/session.ts';
import { toast } from '#web/lib/toast.ts';

/** The dress rehearsal of a release: who would get what, and when. Nothing here moves anything. */
export function RehearsalPage() {
  const { user } = useSession();
  const rehearsal = useRead(getRehearsal);
  const release = useRead(getRelease);
  const send = useChange(sendRehearsal, {
    onSuccess: ({ sent, email }) =>
      toast({
        title: 'Rehearsal sent',
        description: `${counted(sent, 'email')} on the way to ${email}, and to nobody else.`,
      }),
    onError: (error) => toast({ title: 'Not sent', description: error.message, variant: 'destructive' }),
  });
  return (
    <Page
      {...vaultHeadings['/rehearsal']}
      actions={
        <>
          <ButtonLink variant="text" href="/">
            Back to the dashboard
          </ButtonLink>
          <Button
            busy={send.isPending}
            disabled={!rehearsal.data || !user?.emailVerified}
            onClick={() => send.mutate()}
          >
            {send.isPending ? 'Sending…' : 'Send me all of it'}
          </Button>
        </>
      }
    >
      {rehearsal.data && release.data ? (
        <Rehearsed rehearsal={rehearsal.data} overview={release.data} />
      ) : rehearsal.isError || release.isError ? (
        <LoadError
          title="We could not load your rehearsal"
          onRetry={() => {
            rehearsal.refetch();
            release.refetch();
          }}
        />
      ) : (
        <div className="stack" role="status" aria-label="Loading your rehearsal">
          <Skeleton height="15rem" />
          <Skeleton height="9rem" />
          <Skeleton height="9rem" />
        </div>
      )}
    </Page>
  );
}

function Rehearsed({ rehearsal, overview }: { rehearsal: Rehearsal; overview: ReleaseOverview }) {
  const [nowMs] = useState(() => Date.now());
  useEffect(noteRehearsalSeen, []);
  const timeline = buildTimeline({
    ...overview,
    timeline: rehearsal.timeline,
    nowMs: Math.max(nowMs, Date.parse(overview.lastActivityAt)),
    isTexted: rehearsal.isTexted,
  });
  return (
    <>
      <section className="status" aria-label="Your line of time">
        <Timeline timeline={timeline} />
        <Readiness {...rehearsal} />
      </section>
      <RehearsalLetters {...rehearsal} />
      <RehearsalSteps mails={rehearsal.mails} mailsLeftOut={rehearsal.mailsLeftOut} />
    </>
  );
}
