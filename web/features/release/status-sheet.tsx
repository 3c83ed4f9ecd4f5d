import { useMemo } from 'react';
import type { ReleaseOverview } from '#shared/contract/release/release.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Drawing } from '#web/components/ui/drawing.tsx';
import { Outcome } from './outcome.tsx';
import { type StatusWords, statusWords } from './status-words.ts';
import { Timeline } from './timeline.tsx';
import { buildTimeline } from './timeline-marks.ts';
import './release.css';

type StatusSheetProps = {
  overview: ReleaseOverview;
  /** The days on which we heard from its owner, behind today on the line. */
  heardOn: readonly string[];
  nowMs: number;
  onCheckIn: () => void;
  isCheckingIn: boolean;
  onStop: () => void;
  isStopping: boolean;
};

/** At a glance: how the owner is, and what would happen when. */
export function StatusSheet({ overview, heardOn, nowMs, ...actions }: StatusSheetProps) {
  const words = statusWords({ ...overview, nowMs });
  const timeline = useMemo(() => buildTimeline({ ...overview, heardOn, nowMs }), [overview, heardOn, nowMs]);
  const isShort = overview.state === 'watching' && !overview.awayUntil;
  const isOver = overview.state === 'released';
  return (
    <section className={isShort ? 'status' : 'status status-long'} aria-labelledby="status-title">
      <div className="status-top">
        <Drawing name={words.isLampLit ? 'lamp-lit' : 'lamp'} />
        <div>
          <h2 id="status-title">{words.title}</h2>
          <StatusText words={words} overview={overview} nowMs={nowMs} />
        </div>
        <StatusAction action={words.action} {...actions} />
      </div>
      <Outcome {...overview} />
      <div className="status-line">
        {overview.state === 'watching' ? <p className="line-say">{overview.standing}</p> : null}
        <div className="status-foot">
          <p>{words.foot}</p>
          <div className="btns">
            <a className="btn btn-3 btn-small" href="#away">
              Going away?
            </a>
            <a className="btn btn-3 btn-small" href="#release">
              Change these times
            </a>
          </div>
        </div>
        {isOver ? null : <Timeline timeline={timeline} />}
      </div>
    </section>
  );
}

function StatusText({ words, overview, nowMs }: { words: StatusWords; overview: ReleaseOverview; nowMs: number }) {
  const next = overview.timeline.find(({ what, at }) => what === 'next_checkin' && Date.parse(at) > nowMs);
  // The date of the commonest sentence is marked up as one; the other sentences hold theirs as words.
  if (overview.state !== 'watching' || !next || overview.awayUntil) return <p>{words.text}</p>;
  const [before, date] = words.text.split(/(?<=by )/);
  return (
    <p>
      {before}
      <time dateTime={next.at}>{date}</time>
    </p>
  );
}

type StatusActionProps = { action: StatusWords['action'] } & Pick<
  StatusSheetProps,
  'onCheckIn' | 'isCheckingIn' | 'onStop' | 'isStopping'
>;

function StatusAction({ action, onCheckIn, isCheckingIn, onStop, isStopping }: StatusActionProps) {
  if (action === 'stop') {
    return (
      <Button variant="danger" size="big" data-presence="" busy={isStopping} onClick={onStop}>
        {isStopping ? 'Stopping…' : 'Stop'}
      </Button>
    );
  }
  return (
    <Button size="big" data-presence="" busy={isCheckingIn} onClick={onCheckIn}>
      {isCheckingIn ? 'Checking In…' : 'Check In'}
    </Button>
  );
}
