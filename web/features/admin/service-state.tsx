import { useState } from 'react';
import type { AdminState } from '#shared/contract/admin-state.ts';
import { Button } from '#web/components/ui/button.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { Skeleton } from '#web/components/ui/skeleton.tsx';
import { dateAndTime } from '#web/lib/format.ts';
import { useServiceState } from './admin-data.ts';
import { summaryOf, type Vital, vitalsOf } from './service-state.words.ts';

const shownWhileLoading = ['worker', 'site', 'mail', 'texts', 'releases', 'clock', 'seals', 'log'];

/** State of the service, polled while the page is visible. */
export function ServiceState() {
  const { data, isError, refetch } = useServiceState();
  // The button shows its own request only. Background polls stay invisible.
  const [isLooking, setIsLooking] = useState(false);
  const lookAgain = async () => {
    setIsLooking(true);
    await refetch();
    setIsLooking(false);
  };
  return (
    <section className="stack" aria-labelledby="service-state">
      <div className="page-head">
        <div>
          <h2 className="h-card" id="service-state">
            State of the service
          </h2>
          {data ? (
            <p>
              How it stands, on <time dateTime={data.at}>{dateAndTime(data.at)}</time>
            </p>
          ) : null}
        </div>
        {data ? (
          <div className="btns">
            <Button variant="secondary" size="small" busy={isLooking} onClick={lookAgain}>
              {isLooking ? 'Looking…' : 'Look again'}
            </Button>
          </div>
        ) : null}
      </div>
      {data ? <Vitals state={data} isOld={isError} /> : null}
      {!data && isError ? (
        <LoadError title="Failed to fetch the state of the service" onRetry={() => refetch()} />
      ) : null}
      {data || isError ? null : <Loading />}
    </section>
  );
}

function Vitals({ state, isOld }: { state: AdminState; isOld: boolean }) {
  const { words, isWell } = summaryOf(state);
  return (
    <>
      <p className="say-it" role="status">
        {isOld ? 'The newest state could not be loaded. This is the last one. ' : null}
        {isWell ? <b>{words}</b> : words}
      </p>
      <dl className="vitals">
        {vitalsOf(state).map((vital) => {
          const { className, icon } = looks[toneOf(vital)];
          return (
            <div className={className} key={vital.name}>
              <dt>{vital.name}</dt>
              <dd className="how">
                <Icon name={icon} />
                {vital.how}
              </dd>
              <dd>{vital.sentence}</dd>
            </div>
          );
        })}
      </dl>
    </>
  );
}

const looks = {
  well: { className: 'vital', icon: 'check' },
  open: { className: 'vital open', icon: 'info' },
  look: { className: 'vital look', icon: 'warning' },
} as const;

function toneOf({ isWell, isOpen }: Vital): keyof typeof looks {
  if (!isWell) return 'look';
  return isOpen ? 'open' : 'well';
}

function Loading() {
  return (
    <div className="stack" role="status" aria-label="Loading the state of the service">
      <Skeleton width="16rem" height="1.875rem" />
      <div className="vitals">
        {shownWhileLoading.map((vital) => (
          <div className="vital" key={vital}>
            <Skeleton width="30%" />
            <Skeleton width="50%" height="2rem" />
            <Skeleton width="90%" />
          </div>
        ))}
      </div>
    </div>
  );
}
