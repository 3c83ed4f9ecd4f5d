import { useState } from 'react';
import type { Envelope } from '#shared/contract/letters/envelopes.ts';
import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { LoadError } from '#web/components/ui/empty.tsx';
import { Skeleton } from '#web/components/ui/skeleton.tsx';
import { Spinner } from '#web/components/ui/spinner.tsx';
import { KnownPeople, KnownPeopleSkeleton } from '#web/features/contacts/known-people.tsx';
import type { DashboardStats } from '#web/features/dashboard/dashboard-data.ts';
import { FirstSteps, hasFirstSteps } from '#web/features/dashboard/first-steps.tsx';
import { Shelf, ShelfSkeleton } from '#web/features/dashboard/shelf.tsx';
import { StatusSheet } from '#web/features/release/status-sheet.tsx';
import type { ReleaseActions } from '#web/features/release/use-release-actions.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { hasLookedAtRehearsal } from '#web/lib/rehearsal-seen.ts';

type HomeProps = {
  stats: DashboardStats;
  overview: ReleaseOverview | undefined;
  hasFailed: boolean;
  onRetry: () => void;
  actions: ReleaseActions;
  initial: string;
  canWrite: boolean;
  /** Id of the letter whose words are being read. */
  openingId: string | undefined;
  onOpen: (message: Envelope) => void;
  onWrite: () => void;
};

/** The owner's state, their letters and their contacts. New owners see the next steps. */
export function Home({ stats, overview, hasFailed, onRetry, actions, ...rest }: HomeProps) {
  const letters = useRead(light.getLettersSummary);
  const contacts = useRead(light.listContacts);
  const [hasLooked] = useState(hasLookedAtRehearsal);
  const isFilling = overview?.state === 'watching' && hasFirstSteps({ stats, overview, hasLooked });
  return (
    <div className="home">
      <Status overview={overview} stats={stats} hasFailed={hasFailed} onRetry={onRetry} actions={actions} />
      {isFilling ? <FirstSteps stats={stats} overview={overview} hasLooked={hasLooked} /> : null}
      {letters.data ? (
        <Shelf
          messages={letters.data.shelf}
          all={letters.data.all}
          initial={rest.initial}
          canWrite={rest.canWrite}
          openingId={rest.openingId}
          onOpen={rest.onOpen}
          onWrite={rest.onWrite}
        />
      ) : letters.isError ? (
        <LoadError title="We could not load your letters" onRetry={() => letters.refetch()} />
      ) : (
        <ShelfSkeleton />
      )}
      {contacts.data ? (
        <KnownPeople contacts={contacts.data} isJoined={!isFilling && isAskedStill(overview)} />
      ) : contacts.isError ? (
        <LoadError title="We could not load your contacts" onRetry={() => contacts.refetch()} />
      ) : (
        <KnownPeopleSkeleton />
      )}
    </div>
  );
}

/** True if the line shows a day on which contacts would be asked, and there are contacts. */
function isAskedStill(overview: ReleaseOverview | undefined): boolean {
  if (!overview || overview.contactNames.length === 0) return false;
  return overview.timeline.some(({ what, isPast }) => what === 'contacts_asked' && !isPast);
}

type StatusProps = Pick<HomeProps, 'stats' | 'overview' | 'hasFailed' | 'onRetry' | 'actions'>;

function Status({ stats, overview, hasFailed, onRetry, actions }: StatusProps) {
  const [nowMs] = useState(() => Date.now());
  if (!overview) {
    if (hasFailed) return <LoadError title="We could not load your line of time" onRetry={onRetry} />;
    return <StatusSkeleton />;
  }
  return (
    <StatusSheet
      overview={overview}
      heardOn={stats.heardOn}
      // A page left open for days is drawn from the moment its figures are from.
      nowMs={Math.max(nowMs, Date.parse(overview.lastActivityAt))}
      onCheckIn={actions.checkIn}
      isCheckingIn={actions.isCheckingIn}
      onStop={actions.stop}
      isStopping={actions.isStopping}
    />
  );
}

function StatusSkeleton({ isWaiting = false }: { isWaiting?: boolean }) {
  return (
    <div className="status status-wait" role="status" aria-label="Loading your line of time">
      {isWaiting ? <Spinner /> : <Skeleton width="18rem" height="3rem" />}
    </div>
  );
}

/** The page in its final shape, before anything of it is known. */
export function HomeSkeleton() {
  return (
    <div className="home">
      <StatusSkeleton isWaiting />
      <ShelfSkeleton />
      <KnownPeopleSkeleton />
    </div>
  );
}
