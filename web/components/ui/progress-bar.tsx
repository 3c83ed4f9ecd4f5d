import type { CSSProperties } from 'react';

type ProgressBarProps = {
  value: number;
  max: number;
  /** What is read out: "3 of 10 messages used". */
  label: string;
  tone?: 'plain' | 'warn';
};

/** How much of a limit is used, or how far a piece of work has come. */
export function ProgressBar({ value, max, label, tone = 'plain' }: ProgressBarProps) {
  const percent = max > 0 ? Math.min(100, Math.max(0, (value / max) * 100)) : 0;
  return (
    <span className={tone === 'warn' ? 'bar bar-warn' : 'bar'} role="img" aria-label={label}>
      <i style={{ '--v': `${percent}%` } as CSSProperties} />
    </span>
  );
}
