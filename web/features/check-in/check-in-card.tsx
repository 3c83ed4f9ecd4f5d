import { Fragment } from 'react';
import { Notice } from '#web/components/layout/notice.tsx';
import { PressForm } from '#web/components/layout/press-form.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button, ButtonLink } from '#web/components/ui/button.tsx';
import { Skeleton } from '#web/components/ui/skeleton.tsx';
import { counted, daysAgo, isoDay, longDate } from '#web/lib/format.ts';
import type { CheckedInAnswer, CheckInState } from './use-check-in.ts';

type CheckInCardProps = { firstName: string; lastCheckinAt: string; checkIn: CheckInState; onCheckIn: () => void };

/** One question and one button. */
export function CheckInCard({ firstName, lastCheckinAt, checkIn, onCheckIn }: CheckInCardProps) {
  return (
    <Notice drawing="lamp" title={firstName ? `${firstName}, are you there?` : 'Are you there?'}>
      <p className="lead">
        We last heard from you on <time dateTime={isoDay(lastCheckinAt)}>{longDate(lastCheckinAt)}</time>,{' '}
        {daysAgo(lastCheckinAt)}. Press Check in, and we know you are there. You do not have to be well. Opening this
        page alone does not count.
      </p>
      {checkIn.state === 'failed' ? (
        <Banner tone="bad" role="alert">
          {checkIn.message}
        </Banner>
      ) : null}
      {checkIn.state === 'failed' && checkIn.needsSignIn ? (
        <ButtonLink size="big" href="/login">
          Sign in
        </ButtonLink>
      ) : (
        <PressForm onPress={onCheckIn}>
          <Button type="submit" size="big" busy={checkIn.state === 'busy'}>
            {checkIn.state === 'busy' ? 'Checking in…' : 'Check in'}
          </Button>
        </PressForm>
      )}
    </Notice>
  );
}

export function CheckedIn({ firstName, lastCheckinAt, timeline, halted }: { firstName: string } & CheckedInAnswer) {
  const next = timeline.find(({ what }) => what === 'next_checkin')?.at;
  const steps = timeline.filter(({ what }) => followingWords[what] !== undefined);
  return (
    <Notice drawing="lamp-lit" title={firstName ? `Thank you, ${firstName}` : 'Thank you'}>
      <p className="lead" role="status">
        You checked in on <time dateTime={isoDay(lastCheckinAt)}>{longDate(lastCheckinAt)}</time>.{' '}
        {halted ? haltedWords(halted) : startsAgain(timeline)}
      </p>
      {next ? (
        <p>
          <strong>
            Next check-in by <time dateTime={isoDay(next)}>{longDate(next)}</time>.
          </strong>
        </p>
      ) : null}
      {steps.length > 0 ? (
        <>
          <p>If we heard nothing more from you:</p>
          <dl className="facts">
            {steps.map(({ what, at }) => (
              <Fragment key={what}>
                <dt>{followingWords[what]}</dt>
                <dd>
                  <time dateTime={isoDay(at)}>{longDate(at)}</time>
                </dd>
              </Fragment>
            ))}
          </dl>
        </>
      ) : null}
      <ButtonLink variant="secondary" href="/">
        See my dates
      </ButtonLink>
    </Notice>
  );
}

function startsAgain(timeline: CheckedInAnswer['timeline']): string {
  const away = timeline.find(({ what }) => what === 'away_until');
  return away
    ? `Nothing is sent to anybody. You told us that you are away: we count the days from ${longDate(away.at)}.`
    : 'Nothing is sent to anybody, and your time starts again from today.';
}

function haltedWords({ sent, opened, mayArrive }: NonNullable<CheckedInAnswer['halted']>): string {
  const late =
    mayArrive === 0
      ? ''
      : ` ${counted(mayArrive, 'letter')} ${mayArrive === 1 ? 'was' : 'were'} just being handed over and may still arrive: the ${mayArrive === 1 ? 'link opens' : 'links open'} nothing, and we tell any reader who gets ${mayArrive === 1 ? 'it' : 'one'}.`;
  if (sent === 0 && mayArrive > 0) return `The delivery is stopped.${late}`;
  if (sent === 0) return 'The delivery is stopped. Nothing had been sent, and now nothing will be.';
  const read = sent === 1 ? 'it was opened' : `${opened} of them opened`;
  const were = `${counted(sent, 'letter')} had been sent, and ${opened === 0 ? 'none was opened' : read}.`;
  return `The delivery is stopped. ${were} What was not sent stays here, and unopened links are closed.${late}`;
}

/** Steps that would follow if this check-in stayed the last. An owner may have no contacts to ask. */
const followingWords: Partial<Record<CheckedInAnswer['timeline'][number]['what'], string>> = {
  first_reminder: 'First reminder',
  last_reminder: 'Last reminder',
  contacts_asked: 'End of your period',
  automatic_delivery: 'Messages delivered',
};

export function CheckInLinkDead() {
  return (
    <Notice drawing="key" title="This check-in link has ended">
      <p>It was used already, or we have heard from you since. If you are not sure, sign in: that counts too.</p>
      <ButtonLink href="/login">Sign in</ButtonLink>
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
