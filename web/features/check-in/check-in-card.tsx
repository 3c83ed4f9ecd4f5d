import type { ReactNode } from 'react';
import { productName } from '#shared/product.ts';
import { PageHeading, SkipLink } from '#web/components/layout/page.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button, ButtonLink } from '#web/components/ui/button.tsx';
import { Drawing, type DrawingName } from '#web/components/ui/drawing.tsx';
import { Mark } from '#web/components/ui/mark.tsx';
import { Skeleton } from '#web/components/ui/skeleton.tsx';
import { daysAgo, isoDay, longDate } from '#web/lib/format.ts';
import { useTitle } from '#web/lib/use-title.ts';
import type { CheckInState } from './use-check-in.ts';

export function CheckInFrame({ children }: { children: ReactNode }) {
  return (
    <>
      <SkipLink />
      <header className="head">
        <div className="narrow head-in">
          <span className="brand">
            <Mark />
            {productName}
          </span>
        </div>
      </header>
      <main id="main" className="portal narrow main stack" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

type CheckInCardProps = { firstName: string; lastCheckinAt: string; checkIn: CheckInState; onCheckIn: () => void };

/** One question and one button. */
export function CheckInCard({ firstName, lastCheckinAt, checkIn, onCheckIn }: CheckInCardProps) {
  return (
    <Notice drawing="lamp" title={firstName ? `Hello ${firstName}, are you well?` : 'Hello, are you well?'}>
      <p className="lead">
        Your last sign of life was on <time dateTime={isoDay(lastCheckinAt)}>{longDate(lastCheckinAt)}</time>,{' '}
        {daysAgo(lastCheckinAt)}. Press the button to tell us that all is well. Opening this page alone does not count.
      </p>
      {checkIn.state === 'failed' ? (
        <Banner tone="bad" role="alert">
          {checkIn.message}
        </Banner>
      ) : null}
      <Button size="big" busy={checkIn.state === 'busy'} onClick={onCheckIn}>
        {checkIn.state === 'busy' ? 'Checking in…' : 'Check in'}
      </Button>
    </Notice>
  );
}

export function CheckedIn({ firstName, lastCheckinAt }: { firstName: string; lastCheckinAt: string }) {
  return (
    <Notice drawing="lamp-lit" title={firstName ? `Thank you, ${firstName}` : 'Thank you'}>
      <p className="lead" role="status">
        You checked in on <time dateTime={isoDay(lastCheckinAt)}>{longDate(lastCheckinAt)}</time>. Nothing is sent to
        anybody, and your time starts again from today.
      </p>
      <p>Sign in to see the date of your next check-in, and what would happen when.</p>
      <ButtonLink variant="secondary" href="/">
        See my dates
      </ButtonLink>
    </Notice>
  );
}

export function CheckInLinkDead() {
  return (
    <Notice drawing="key" title="This check-in link has ended">
      <p>
        It was used already, or you have shown us since that you are well. If you are not sure, sign in: that counts
        too.
      </p>
      <ButtonLink href="/login">Sign in</ButtonLink>
    </Notice>
  );
}

export function CheckInUnreachable({ message, onRetry }: { message: string; onRetry: () => void }) {
  return (
    <Notice drawing="key" title="We could not load this page">
      <p role="alert">{message}</p>
      <Button variant="secondary" onClick={onRetry}>
        Try again
      </Button>
    </Notice>
  );
}

export function CheckInSkeleton() {
  return (
    <div className="card empty" role="status" aria-label="Loading your check-in">
      <Skeleton width="8.5rem" height="7rem" />
      <Skeleton width="70%" height="3rem" />
      <Skeleton width="95%" height="3.5rem" />
      <Skeleton width="10rem" height="3.5rem" />
    </div>
  );
}

function Notice({ drawing, title, children }: { drawing: DrawingName; title: string; children: ReactNode }) {
  useTitle(title);
  return (
    // The key makes the heading a new one, so that the focus follows from the question to the thanks.
    <div className="card empty" key={title}>
      <Drawing name={drawing} />
      <PageHeading>{title}</PageHeading>
      {children}
    </div>
  );
}
