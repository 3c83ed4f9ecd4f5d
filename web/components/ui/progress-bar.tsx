import type { CSSProperties } from 'react';

type ProgressBarProps = {
  value: number;
  max: number;
  /** Text for screen readers: "3 of 10 messages used". */
  label: string;
  tone?: 'plain' | 'warn';
};

/** Used part of a limit, or progress of a task. */
export function ProgressBar({ value, max, label, tone = 'plain' }: ProgressBarProps) {
  const percent = max > 0 ? Math.min(100, Math.max(0, (value / max) * 100)) : 0;
  return (
    <span className={tone === 'warn' ? 'bar bar-warn' : 'bar'} role="img" aria-label={label}>
      <i style={{ '--v': `${percent}%` } as CSSProperties} />
    </span>
  );
}
