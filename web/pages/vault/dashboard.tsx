import { lazy, Suspense, useDeferredValue, useState } from 'react';
import type { Message } from '#shared/contract/messages.ts';
import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { Page } from '#web/components/layout/page.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { Skeleton } from '#web/components/ui/skeleton.tsx';
import { TrialNote } from '#web/components/ui/trial-note.tsx';
import { vaultHeadings } from '#web/content/vault-headings.ts';
import { ownerNameOf } from '#web/features/accounts/owner-name.ts';
import { useSessionEnded } from '#web/features/accounts/use-session-ended.ts';
import { VerificationBanner } from '#web/features/accounts/verification-banner.tsx';
import { pastDueWords } from '#web/features/billing/billing-words.ts';
import { type DashboardStats, limitState, type PlanLimits } from '#web/features/dashboard/dashboard-data.ts';
import { LimitBanner } from '#web/features/dashboard/limit-banner.tsx';
import { PlanBadge } from '#web/features/dashboard/plan-badge.tsx';
import { QuickActions } from '#web/features/dashboard/quick-actions.tsx';
import { StatCards } from '#web/features/dashboard/stat-cards.tsx';
import { VaultTeaser } from '#web/features/dashboard/vault-teaser.tsx';
import { useWholeLetter } from '#web/features/messages/use-whole-letter.ts';
import { GoingAway } from '#web/features/release/going-away.tsx';
import { Problems } from '#web/features/release/problems.tsx';
import { ReleaseSettings } from '#web/features/release/release-settings.tsx';
import { type ReleaseActions, useReleaseActions } from '#web/features/release/use-release-actions.ts';
import { WelcomeBackPage } from '#web/features/release/welcome-back/welcome-back-page.tsx';
import { light } from '#web/lib/api/light-routes.ts';
import { readOften } from '#web/lib/api/query.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { useAsked } from '#web/lib/asked-page.ts';
import { idle } from '#web/lib/loading/idle.ts';
import { useFetchedPart } from '#web/lib/loading/use-fetched-part.ts';
import { useSession } from '#web/lib/session.ts';
import { Home, HomeSkeleton } from './dashboard-home.tsx';

/** Loaded when the owner starts to write, because the list of letters does not need it. */
const fetchDialog = () => import('#web/features/messages/message-dialog.tsx');

/** Stands at the foot of the page, with all that a form needs, and is fetched once the rest is seen. Without it that still stands. */
const ReminderPhone = lazy(async () => {
  await idle();
  const fetched = await import('#web/features/release/reminder-phone.tsx').catch(() => null);
  return { default: fetched?.ReminderPhone ?? PhoneNotLoaded };
});

/** Letter that is being written: a new one, one of the shelf, or none. */
type Writing = { isOpen: boolean; message?: Message | undefined };

export function DashboardPage() {
  const stats = useRead(light.getDashboardStats, readOften);
  const limits = useRead(light.getPlanLimits, readOften);
  const release = useRead(light.getRelease, readOften);
  useSessionEnded(stats.data === null || limits.data === null);
  // An owner who was silent and is back reads that page first, without a glimpse of the dashboard.
  if (release.data?.cameBack) return <WelcomeBackPage overview={release.data} cameBack={release.data.cameBack} />;
  const isReleaseAwaited = release.isLoading && release.failureCount === 0;
  if (stats.data && limits.data && !isReleaseAwaited) return <Dashboard stats={stats.data} limits={limits.data} />;
  const hasFailed = stats.isError || limits.isError;
  return (
    <Page {...vaultHeadings['/']}>
      {hasFailed ? (
        <LoadError
          title="We could not load your dashboard"
          text="Your vault is safe. The connection failed. Try again, or come back in a few minutes."
          onRetry={() => {
            stats.refetch();
            limits.refetch();
          }}
        />
      ) : (
        <HomeSkeleton />
      )}
    </Page>
  );
}

const payLink = (
  <ButtonLink variant="text" size="small" href="/account">
    Look at how you pay
  </ButtonLink>
);

function Dashboard({ stats, limits }: { stats: DashboardStats; limits: PlanLimits }) {
  const { user, isVerified } = useSession();
  const actions = useReleaseActions();
  const release = useRead(light.getRelease, readOften);
  // Content below letters and people is drawn once it is visible.
  const isWhole = useDeferredValue(true, false);
  const [writing, setWriting] = useState<Writing>();
  const dialog = useFetchedPart(fetchDialog);
  const whole = useWholeLetter();
  const write = async () => {
    whole.unwant();
    if (await dialog.want()) setWriting({ isOpen: true, message: undefined });
  };
  const open = async ({ id }: Pick<Message, 'id'>): Promise<void> => {
    const [isThere, message] = await Promise.all([dialog.want(), whole.read(id, () => open({ id }))]);
    if (isThere && message) setWriting({ isOpen: true, message });
  };
  const overview = release.data ?? undefined;
  useAsked('/', ({ what }) => {
    // The owner presses it: the palette shows where, and never checks in.
    if (what === 'check-in') document.querySelector<HTMLElement>('[data-presence]')?.focus();
    return true;
  });
  return (
    <Page
      {...vaultHeadings['/']}
      actions={
        <>
          <PlanBadge plan={stats.currentPlan} />
          <ButtonLink variant="text" size="small" href="/easy-setup">
            Run Setup Wizard
          </ButtonLink>
        </>
      }
    >
      <TrialNote />
      <Problems
        problems={overview?.problems ?? []}
        above={[user !== null && !isVerified && <VerificationBanner key="verification" />]}
      />
      <Home
        stats={stats}
        overview={overview}
        hasFailed={release.isError}
        onRetry={() => release.refetch()}
        actions={actions}
        initial={[...(user?.firstName ?? '')][0]?.toUpperCase() ?? ''}
        canWrite={limits.messages.canCreate}
        openingId={whole.openingId}
        onOpen={open}
        onWrite={write}
      />
      {isWhole ? (
        <BelowHome stats={stats} limits={limits} overview={overview} actions={actions} onWrite={write} />
      ) : null}
      {writing && dialog.part ? (
        <dialog.part.MessageDialog
          // Another message is another form, and so is another version of it.
          key={writing.message?.version ?? 'new'}
          open={writing.isOpen}
          message={writing.message}
          ownerName={ownerNameOf(user)}
          onClose={() => setWriting({ ...writing, isOpen: false })}
        />
      ) : null}
    </Page>
  );
}

type BelowHomeProps = {
  stats: DashboardStats;
  limits: PlanLimits;
  overview: ReleaseOverview | undefined;
  actions: ReleaseActions;
  onWrite: () => void;
};

/** Figures, quick actions and settings. */
function BelowHome({ stats, limits, overview, actions, onWrite }: BelowHomeProps) {
  const { user } = useSession();
  return (
    <>
      <PlanBanners limits={limits} isPaidFor={stats.currentPlan !== 'free'} overview={overview} />
      <StatCards stats={stats} limits={limits} confirmedNames={overview?.contactNames} />
      <VaultTeaser plan={stats.currentPlan} />
      <QuickActions
        limits={limits}
        onNewMessage={onWrite}
        onCheckIn={actions.checkIn}
        isCheckingIn={actions.isCheckingIn}
      />
      <Settings overview={overview} />
      <div className="pair">
        {user ? (
          <Suspense fallback={<PhoneSkeleton />}>
            <ReminderPhone kept={user.phone} isProven={user.isPhoneProven} canBeTexted={user.emailVerified} />
          </Suspense>
        ) : null}
        {overview ? <GoingAway awayUntil={overview.awayUntil} /> : null}
      </div>
    </>
  );
}

type PlanBannersProps = { limits: PlanLimits; isPaidFor: boolean; overview: ReleaseOverview | undefined };

/** The plan's notices come after the person. Its limits are hidden during and just after a request. */
function PlanBanners({ limits, isPaidFor, overview }: PlanBannersProps) {
  const billing = useRead(light.getBilling, { enabled: isPaidFor, ...readOften });
  const isPastDue = billing.data?.status === 'past_due';
  const isLimitTold = overview?.state === 'watching' && limitState(limits) !== 'free';
  if (!isPastDue && !isLimitTold) return null;
  return (
    <div className="attention">
      {billing.data && isPastDue ? (
        <Banner tone="bad" action={payLink}>
          {pastDueWords(billing.data)}
        </Banner>
      ) : null}
      {isLimitTold ? <LimitBanner limits={limits} /> : null}
    </div>
  );
}

function PhoneNotLoaded() {
  return (
    <Card as="section" className="settings" id="phone">
      <LoadError title="We could not load the phone for reminders" onRetry={() => location.reload()} />
    </Card>
  );
}

function PhoneSkeleton() {
  return (
    <Card as="section" className="settings" id="phone">
      <Skeleton height="24rem" />
    </Card>
  );
}

function Settings({ overview }: { overview: ReleaseOverview | undefined }) {
  const settings = useRead(light.getReleaseSettings);
  if (settings.data && overview) return <ReleaseSettings settings={settings.data} overview={overview} />;
  if (settings.isError) {
    return <LoadError title="We could not load your release settings" onRetry={() => settings.refetch()} />;
  }
  return (
    <div className="card settings" role="status" aria-label="Loading your release settings">
      <Skeleton width="60%" height="1.5rem" />
      <Skeleton height="3rem" />
      <Skeleton height="9rem" />
    </div>
  );
}
