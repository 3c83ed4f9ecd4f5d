import { deliveryLinkDays } from '#shared/rules/retention.ts';
import { isoDay, longDate } from '#web/lib/format.ts';

const dayMs = 86_400_000;

/** Remaining days of the letter as thirty ticks: past days are darker, the last one is amber. */
export function DaysKept({ expiresAt, nowMs }: { expiresAt: string; nowMs: number }) {
  const day = dayOfKeeping(expiresAt, nowMs);
  const words = `Day ${day} of ${deliveryLinkDays}`;
  return (
    <div className="keep-line">
      <svg role="img" aria-label={words} focusable="false">
        {Array.from({ length: deliveryLinkDays + 1 }, (_, tick) => {
          const at = `${((tick / deliveryLinkDays) * 100).toFixed(2)}%`;
          // biome-ignore lint/suspicious/noArrayIndexKey: the ticks never change places.
          return <line key={tick} className={lookOf(tick, day)} x1={at} x2={at} y1={tick % 10 === 0 ? 4 : 9} y2={22} />;
        })}
      </svg>
      <p className="ends">
        <span className="num">{words}</span>
        <span className="ends-last">
          Kept here until <time dateTime={isoDay(expiresAt)}>{longDate(expiresAt)}</time>
        </span>
      </p>
    </div>
  );
}

/** Day within the thirty, from 1. Counted from the end, because a renewed link counts from its renewal. */
export function dayOfKeeping(expiresAt: string, nowMs: number): number {
  const daysLeft = (new Date(expiresAt).getTime() - nowMs) / dayMs;
  return Math.min(deliveryLinkDays, Math.max(1, Math.floor(deliveryLinkDays - daysLeft) + 1));
}

function lookOf(tick: number, day: number): string {
  if (tick === deliveryLinkDays) return 'e';
  return tick <= day ? 'u' : '';
}
