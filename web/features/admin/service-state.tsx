import { useState } from 'react';
import type { AdminState } from '#shared/contract/admin-state.ts';
import { Button } from '#web/components/ui/button.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { Skeleton } from '#web/components/ui/skeleton.tsx';
import { dateAndTime } from '#web/lib/format.ts';
import { useServiceState } from './admin-data.ts';
import { summaryOf, vitalsOf } from './service-state.words.ts';

const shownWhileLoading = ['worker', 'site', 'mail', 'texts', 'releases', 'clock', 'seals', 'log'];

/** How the service itself stands, asked again while somebody looks at the page. */
export function ServiceState() {
  const { data, isError, refetch } = useServiceState();
  // The button speaks of what was pressed; what is asked by itself disturbs nobody.
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
        {isOld ? 'It could not be asked again just now; this is how it stood. ' : null}
        {isWell ? <b>{words}</b> : words}
      </p>
      <dl className="vitals">
        {vitalsOf(state).map(({ name, isWell: isThisWell, how, sentence }) => (
          <div className={isThisWell ? 'vital' : 'vital look'} key={name}>
            <dt>{name}</dt>
            <dd className="how">
              <Icon name={isThisWell ? 'check' : 'warning'} />
              {how}
            </dd>
            <dd>{sentence}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Loading() {
  return (
    <div className="vitals" role="status" aria-label="Loading the state of the service">
      {shownWhileLoading.map((vital) => (
        <div className="vital" key={vital}>
          <Skeleton width="30%" />
          <Skeleton width="50%" height="2rem" />
          <Skeleton width="90%" />
        </div>
      ))}
    </div>
  );
}
