import type { CSSProperties } from 'react';
import './release.css';
import type { Timeline as TimelineData, TimelineMark } from './timeline-marks.ts';

/** The line of time: a ruler to scale on a wide page, a column on a narrow one. */
export function Timeline({ timeline }: { timeline: TimelineData }) {
  const { marks, extraTopPx, extraBottomPx } = timeline;
  const room = { '--more-above': `${extraTopPx}px`, '--more-below': `${extraBottomPx}px` } as CSSProperties;
  return (
    <div className="ruler" style={room}>
      <Ruler timeline={timeline} />
      <ol className="tl" aria-label="What would happen, and when">
        {marks.map((mark) => (
          <li key={mark.what} className={classOf(mark)} style={placeOf(mark)}>
            <span className="tl-w">{mark.title}</span>
            <time dateTime={mark.isoDate}>{mark.date}</time>
            {mark.note === undefined ? null : <small>{mark.note}</small>}
          </li>
        ))}
      </ol>
    </div>
  );
}

type PlacedMark = TimelineData['marks'][number];

function classOf({ tone, isPast, placement }: PlacedMark): string {
  const names = [toneClass[tone], isPast && tone !== 'past' && 'past', placement.side === 'up' ? 'up' : 'dn'];
  if (placement.isLeftOfStem) names.push('r');
  return names.filter(Boolean).join(' ');
}

const toneClass: Record<TimelineMark['tone'], string> = {
  plain: '',
  past: 'past',
  now: 'now',
  warn: 'warn',
  end: 'end',
};

function placeOf({ x, placement }: PlacedMark): CSSProperties {
  return { '--x': x.toFixed(2), '--h': `${placement.stemPx / 16}rem` } as CSSProperties;
}

function Ruler({ timeline: { marks, nowX, ticks } }: { timeline: TimelineData }) {
  const endX = marks.at(-1)?.x ?? 100;
  return (
    <svg className="ticks" aria-hidden="true" focusable="false">
      <line className="base" x1="0" x2={percent(endX)} y1="0" y2="0" />
      <line className="spent" x1="0" x2={percent(nowX)} y1="0" y2="0" />
      {ticks.weeks.map((x) => (
        <line key={x} x1={percent(x)} x2={percent(x)} y1="0" y2="6" />
      ))}
      {ticks.months.map(({ x, label }) => (
        <g key={x}>
          <line className="m" x1={percent(x)} x2={percent(x)} y1="0" y2="13" />
          <text x={percent(x)} dx="5" y="22">
            {label}
          </text>
        </g>
      ))}
    </svg>
  );
}

function percent(x: number): string {
  return `${x.toFixed(2)}%`;
}
