import { type SyntheticEvent, useState } from 'react';
import { givenUpDays } from '#shared/contract/admin-state.ts';
import {
  type FailedMail,
  type FailedMails,
  failedMailsCounted,
  retryFailedMail,
} from '#shared/contract/operator/failed-mails.ts';
import { Badge } from '#web/components/ui/badge.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { call } from '#web/lib/api/api.ts';
import { dateAndTime } from '#web/lib/format.ts';
import { asksForProof } from './admin-data.ts';
import { useFailedMails } from './operator-lists.ts';
import { Pages } from './pages.tsx';
import { useAct } from './use-act.ts';

/** Emails that failed, with a way to try each again. */
export function FailedMailList() {
  const [search, setSearch] = useState('');
  /** `after` of each page before this one. */
  const [before, setBefore] = useState<readonly string[]>([]);
  const mails = useFailedMails({ search, after: before.at(-1) });
  const retry = useAct({
    act: ({ id }: FailedMail) => call(retryFailedMail, { params: { id } }),
    success: 'It is tried again now.',
    fallback: 'Failed to try the email again',
  });
  const { data } = mails;
  const next = data?.next ?? null;
  return (
    <section className="stack" aria-labelledby="failed-mails">
      <h2 className="h-card" id="failed-mails">
        Emails that failed
      </h2>
      {data ? <p role="status">{countWords(data.counts)}</p> : null}
      <Search
        onSearch={(words) => {
          setSearch(words);
          setBefore([]);
        }}
      />
      {data ? (
        data.mails.length > 0 ? (
          <ul className="admin-bulk" aria-busy={mails.isPlaceholderData}>
            {data.mails.map((mail) => (
              <li key={mail.id} className="card admin-bulk-one">
                <MailRow mail={mail} isBusy={retry.isBusy} onRetry={() => retry.perform(mail)} />
              </li>
            ))}
          </ul>
        ) : (
          <p className="quiet">{emptyWords(search, next !== null)}</p>
        )
      ) : mails.isError && !asksForProof(mails.error) ? (
        <LoadError title="Failed to fetch the emails that failed" onRetry={() => mails.refetch()} />
      ) : (
        <SkeletonRows rows={3} label="Loading emails that failed" />
      )}
      {before.length === 0 && next === null ? null : (
        <Pages
          of="emails that failed"
          number={before.length + 1}
          hasNext={next !== null && !mails.isPlaceholderData}
          onPrevious={() => setBefore(before.slice(0, -1))}
          onNext={() => next !== null && setBefore([...before, next])}
        />
      )}
      {retry.dialog}
    </section>
  );
}

/** Searches at a press: the addresses are sealed, so a search opens many rows. */
function Search({ onSearch }: { onSearch: (words: string) => void }) {
  const [words, setWords] = useState('');
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    onSearch(words.trim());
  };
  return (
    <form aria-label="Search emails that failed" className="admin-filters" onSubmit={submit}>
      <label className="search admin-search">
        <span className="vh">Search emails that failed by address or domain</span>
        <Icon name="search" />
        <input
          className="input"
          type="search"
          placeholder="Address or domain"
          maxLength={254}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </label>
      <Button type="submit" variant="secondary" size="small">
        Search
      </Button>
    </form>
  );
}

type MailRowProps = { mail: FailedMail; isBusy: boolean; onRetry: () => void };

function MailRow({ mail, isBusy, onRetry }: MailRowProps) {
  const { to, kind, account, state, code, reason, firstTriedAt, lastTriedAt, nextTryAt, retry } = mail;
  const name = to ?? 'Address erased';
  const canRetry = retry === 'now' || retry === 'letters';
  return (
    <>
      <div className="admin-bulk-head">
        <h3 className="admin-bulk-subject">
          <bdi>{name}</bdi>
        </h3>
        <Badge tone={state === 'trying' ? 'warn' : 'bad'}>{states[state]}</Badge>
      </div>
      <p>
        {kind}
        {account ? (
          <>
            , about <bdi className="admin-break">{account}</bdi>
          </>
        ) : null}
      </p>
      <p>
        {reason} {code === null ? null : <span className="quiet">Reply code {code}.</span>}
      </p>
      <p className="small quiet">
        {firstTriedAt ? <>First tried {time(firstTriedAt)}. </> : null}
        {lastTriedAt && lastTriedAt !== firstTriedAt ? <>Last tried {time(lastTriedAt)}. </> : null}
        {retry === 'now' || retry === 'waits' ? nextTryAt && <>Next try {time(nextTryAt)}.</> : null}
      </p>
      <div className="admin-bulk-foot">
        <p>{notes[retry]}</p>
        {canRetry ? (
          <Button
            variant="secondary"
            size="small"
            busy={isBusy}
            aria-label={`Try again: ${kind} to ${name}`}
            onClick={onRetry}
          >
            Try again
          </Button>
        ) : null}
      </div>
    </>
  );
}

const states: Record<FailedMail['state'], string> = {
  trying: 'Still tried',
  refused: 'Refused',
  returned: 'Returned',
  given_up: 'Given up',
};

const notes: Record<FailedMail['retry'], string> = {
  now: '',
  letters: 'Tries every refused letter of this account again.',
  queued: 'It is tried again in a moment.',
  frozen: 'Releases of this account are frozen. It is tried after the freeze.',
  waits: 'The mailbox refused it. It is tried again on its day.',
  ended: 'It has ended and is not sent again.',
};

function time(moment: string | Date) {
  return <time dateTime={new Date(moment).toISOString()}>{dateAndTime(moment)}</time>;
}

/** The figures at the top. */
function countWords({ trying, refused, givenUp }: FailedMails['counts']): string {
  const figure = (count: number) =>
    count >= failedMailsCounted ? `${failedMailsCounted.toLocaleString('en-GB')} or more` : String(count);
  return `Still tried: ${figure(trying)}. In the last ${givenUpDays} days refused: ${figure(refused)}, given up: ${figure(givenUp)}.`;
}

function emptyWords(search: string, hasMore: boolean): string {
  if (search === '') return 'No email has failed.';
  return hasMore
    ? 'None on this page. The next page searches further back.'
    : 'No email to this address or domain has failed.';
}
