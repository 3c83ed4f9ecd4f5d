import { useState } from 'react';
import { type UnderWay, type UnderWayStage, underWayStages } from '#shared/contract/operator/releases.ts';
import { LoadError } from '#web/components/ui/empty.tsx';
import { SelectField } from '#web/components/ui/field.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { dateAndTime, isoDay, longDate } from '#web/lib/format.ts';
import { asksForProof } from './admin-data.ts';
import { useReleasesUnderWay } from './operator-lists.ts';
import { Pages } from './pages.tsx';

const stageWords: Record<UnderWayStage, string> = {
  asked: 'Contacts are asked, or letters go',
  reminded: 'Owners who were reminded',
};
const stages = underWayStages.map((value) => ({ value, label: stageWords[value] }));

/** Releases in progress: what each waits for, and until when. Nothing here starts or shortens one. */
export function ReleaseList() {
  const [stage, setStage] = useState<UnderWayStage>('asked');
  /** `after` of each page before this one. */
  const [before, setBefore] = useState<readonly string[]>([]);
  const { data, isError, error, isPlaceholderData, refetch } = useReleasesUnderWay({ stage, after: before.at(-1) });
  const next = data?.next ?? null;
  return (
    <section className="stack" aria-labelledby="releases-under-way">
      <h2 className="h-card" id="releases-under-way">
        Releases in progress
      </h2>
      <div className="admin-filters">
        <SelectField
          label="Show"
          options={stages}
          value={stage}
          onChange={(event) => {
            setStage(underWayStages.find((each) => each === event.target.value) ?? 'asked');
            setBefore([]);
          }}
        />
      </div>
      {data ? (
        data.releases.length > 0 ? (
          <ul className="admin-bulk" aria-busy={isPlaceholderData}>
            {data.releases.map((release) => (
              <li key={release.id} className="card admin-bulk-one">
                <ReleaseRow release={release} />
              </li>
            ))}
          </ul>
        ) : (
          <p className="quiet" role="status">
            {stage === 'asked' ? 'No release is in progress.' : 'No owner is being reminded.'}
          </p>
        )
      ) : isError && !asksForProof(error) ? (
        <LoadError title="Failed to fetch the releases" onRetry={() => refetch()} />
      ) : (
        <SkeletonRows rows={2} label="Loading releases in progress" />
      )}
      {before.length === 0 && next === null ? null : (
        <Pages
          of="releases in progress"
          number={before.length + 1}
          hasNext={next !== null && !isPlaceholderData}
          onPrevious={() => setBefore(before.slice(0, -1))}
          onNext={() => next !== null && setBefore([...before, next])}
        />
      )}
    </section>
  );
}

function ReleaseRow({ release: { account, how, since, waits } }: { release: UnderWay }) {
  return (
    <>
      <h3 className="admin-bulk-subject">
        <bdi>{account}</bdi>
      </h3>
      <p>
        {how}
        {since ? (
          <span className="quiet">
            {' '}
            since <time dateTime={new Date(since).toISOString()}>{dateAndTime(since)}</time>
          </span>
        ) : null}
      </p>
      {waits.length > 0 ? (
        <ul className="admin-waits">
          {waits.map(({ what, until }) => (
            <li key={what}>
              {what}
              {until ? (
                <>
                  , until <time dateTime={isoDay(until)}>{longDate(until)}</time>
                </>
              ) : null}
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
}
