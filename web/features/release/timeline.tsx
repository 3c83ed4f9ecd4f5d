import type { CSSProperties } from 'react';
import './timeline.css';
import type { Timeline as TimelineData, TimelineMark } from './timeline-marks.ts';

/** The line of time: drawn across, to scale, on a wide page, and a column on a narrow one. */
export function Timeline({ timeline }: { timeline: TimelineData }) {
  const { marks, heard } = timeline;
  const columns = { '--columns': columnsOf(timeline) } as CSSProperties;
  return (
    <div className="when">
      <Plot timeline={timeline} />
      <ol
        className={heard ? 'tl when-l' : 'tl when-l is-bare'}
        style={columns}
        aria-label="What would happen, and when"
      >
        {heard ? <Behind heard={heard} /> : null}
        {marks.map((mark) => (
          <li key={mark.what} className={classOf(mark)}>
            <span className="tl-w">{mark.title}</span>
            <time dateTime={mark.isoDate}>{mark.date}</time>
            {mark.note === undefined ? null : <small>{mark.note}</small>}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Six months of presence. A vault of today has none yet. */
function Behind({ heard }: { heard: readonly number[] }) {
  if (heard.length < 2) {
    return (
      <li className="was is-new">
        <small>Your line begins today.</small>
      </li>
    );
  }
  const last = Math.max(...heard);
  return (
    <li className="was">
      <svg className="beads" viewBox="0 0 18 120" aria-hidden="true" focusable="false">
        <line className="pl-past" x1="9" x2="9" y1="4" y2="124" />
        {heard.map((x) => (
          <circle key={x} className="pl-was" cx="9" cy={(4 + (x / last) * 104).toFixed(1)} r="3" />
        ))}
      </svg>
      <small>Each small dot is a day we heard from you.</small>
    </li>
  );
}

type PlacedMark = TimelineData['marks'][number];

function classOf({ tone, isPast, what }: PlacedMark): string {
  const names = [toneClass[tone], isPast && tone !== 'past' && 'past', what === 'contacts_asked' && !isPast && 'asks'];
  return names.filter(Boolean).join(' ');
}

const toneClass: Record<TimelineMark['tone'], string> = {
  plain: '',
  past: 'past',
  now: 'now',
  warn: 'warn',
  end: 'end',
};

/** The widths of the columns of words, the empty one before the first of them included. */
function columnsOf({ marks }: TimelineData): string {
  const starts = [0, ...marks.map(({ columnX }) => columnX), 100];
  const widths = starts.slice(1).map((end, index) => end - (starts[index] ?? 0));
  return widths.map((width) => `minmax(0, ${width.toFixed(2)}fr)`).join(' ');
}

const lineY = 44;
const leadY = { bend: 58, end: 96 };
const radius: Record<TimelineMark['tone'], number> = { plain: 7, past: 5, now: 9, warn: 7, end: 7 };

/** The words below say all of it; the drawing is for the eye alone. Marks keep their place in it, so that they glide. */
function Plot({ timeline: { marks, nowX, endX, pastMonths, months, heard } }: { timeline: TimelineData }) {
  return (
    <svg className="plot" aria-hidden="true" focusable="false">
      {[
        ...pastMonths.map((month) => ({ ...month, isAgo: true })),
        ...months.map((month) => ({ ...month, isAgo: false })),
      ].map(({ x, label, isAgo }) => (
        <g key={x} className={isAgo ? 'pl-ago' : undefined}>
          <line className="pl-m" x1={percent(x)} x2={percent(x)} y1="32" y2={lineY} />
          <text x={percent(x)} dx="4" y="28">
            {label}
          </text>
        </g>
      ))}
      <line className="pl-past" x1="0" x2={percent(nowX)} y1={lineY} y2={lineY} />
      <line className="pl-next" x1={percent(nowX)} x2={percent(endX)} y1={lineY} y2={lineY} />
      {marks.map(({ what, x, columnX }) => (
        <g key={what}>
          <line className="pl-lead" x1={percent(x)} x2={percent(x)} y1={lineY} y2={leadY.bend} />
          <line className="pl-lead" x1={percent(x)} x2={percent(columnX)} y1={leadY.bend} y2={leadY.end} />
        </g>
      ))}
      {heard?.map((x) => (
        <circle key={x} className="pl-was" cx={percent(x)} cy={lineY} r="3.5" />
      ))}
      {marks.map(({ what, x, tone }) => (
        <circle key={what} className={`pl-${tone}`} cx={percent(x)} cy={lineY} r={radius[tone]} />
      ))}
      <circle className="pl-core" cx={percent(nowX)} cy={lineY} r="5" />
    </svg>
  );
}

function percent(x: number): string {
  return `${x.toFixed(2)}%`;
}
