import { useInfiniteQuery } from '@tanstack/react-query';
import { memo, useState } from 'react';
import {
  type ActivityKind,
  activityKinds,
  activityPerPage,
  downloadActivity,
  getActivity,
} from '#shared/contract/activity.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { deviceName } from '#shared/rules/sign-in/device-name.ts';
import { MoreItems } from '#web/components/list-pages/more-items.tsx';
import { ButtonLink } from '#web/components/ui/button.tsx';
import { Card } from '#web/components/ui/card.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { SelectField, TextField } from '#web/components/ui/field.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { addressOf, call } from '#web/lib/api/api.ts';
import { keyOf } from '#web/lib/api/reads.ts';
import { dateAndTime } from '#web/lib/format.ts';

type Chosen = { kind: ActivityKind | ''; from: string; to: string };

const everything: Chosen = { kind: '', from: '', to: '' };

const kindWords: Record<ActivityKind, string> = {
  'sign-in': 'Signing in',
  account: 'Account',
  vault: 'Messages and documents',
  contacts: 'Trusted contacts',
  release: 'Check-ins and releases',
  money: 'Plans and payments',
  other: 'Other',
};

const kindOptions = [
  { value: '', label: 'Everything' },
  ...activityKinds.map((kind) => ({ value: kind, label: kindWords[kind] })),
];

/** Activity of the account in plain words, with filters, pages and a download. */
export function ActivityCard() {
  const [chosen, setChosen] = useState(everything);
  const query = { kind: chosen.kind || undefined, from: chosen.from || undefined, to: chosen.to || undefined };
  const pages = useInfiniteQuery({
    queryKey: [...keyOf(getActivity), query],
    queryFn: ({ pageParam, signal }) => call(getActivity, { query: { ...query, before: pageParam }, signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchOnMount: 'always',
  });
  const entries = pages.data?.pages.flatMap((page) => page.entries) ?? [];
  const fileOf = (format: 'csv' | 'json') => addressOf(downloadActivity, { query: { ...query, format } });
  return (
    <Card as="section" className="guard" aria-labelledby="activity">
      <h2 className="h-card" id="activity">
        Activity
      </h2>
      <p className="quiet">
        Everything that was done in your account. Nobody can change this record unseen, not even us.
      </p>
      <Filters chosen={chosen} onChoose={setChosen} />
      {pages.isPending ? (
        <SkeletonRows rows={4} label="Loading your activity" />
      ) : pages.isError && entries.length === 0 ? (
        <LoadError title="We could not load your activity" onRetry={() => pages.refetch()} />
      ) : entries.length === 0 ? (
        <p role="status">Nothing of this kind was done in that time.</p>
      ) : (
        <ol className="guard-list activity">
          {entries.map((entry) => (
            <Entry key={entry.position} entry={entry} />
          ))}
        </ol>
      )}
      <MoreItems
        list={{
          found: null,
          hasMore: pages.hasNextPage,
          isLoadingMore: pages.isFetchingNextPage,
          hasFailedMore: pages.isFetchNextPageError,
          more: () => pages.fetchNextPage(),
        }}
        shown={entries.length}
        perPage={activityPerPage}
        items=".activity > li"
        noun="entries"
      />
      <div className="btns noprint">
        <ButtonLink variant="text" href={fileOf('csv')} download>
          Download as a table (CSV)
        </ButtonLink>
        <ButtonLink variant="text" href={fileOf('json')} download>
          Download as JSON
        </ButtonLink>
      </div>
    </Card>
  );
}

type ActivityEntry = RouteResult<typeof getActivity>['entries'][number];

/** One line of the log. Lines that are shown already are not drawn again when more come. */
export const Entry = memo(function Entry({ entry: { at, words, ipAddress, userAgent } }: { entry: ActivityEntry }) {
  return (
    <li>
      <div>
        <b>{words}</b>
        <p className="hint">
          <time dateTime={at}>{dateAndTime(at)}</time>
          {userAgent ? ` · ${deviceName(userAgent)}` : ''}
          {ipAddress ? ` · ${ipAddress}` : ''}
        </p>
      </div>
    </li>
  );
});

function Filters({ chosen, onChoose }: { chosen: Chosen; onChoose: (chosen: Chosen) => void }) {
  return (
    <div className="guard-filters">
      <SelectField
        label="About"
        options={kindOptions}
        value={chosen.kind}
        onChange={(event) => onChoose({ ...chosen, kind: event.target.value as Chosen['kind'] })}
      />
      <TextField
        label="From"
        type="date"
        max={chosen.to || undefined}
        value={chosen.from}
        onChange={(event) => onChoose({ ...chosen, from: event.target.value })}
      />
      <TextField
        label="To"
        type="date"
        min={chosen.from || undefined}
        value={chosen.to}
        onChange={(event) => onChoose({ ...chosen, to: event.target.value })}
      />
    </div>
  );
}
