import type { SilenceSchedule } from '#shared/rules/inactivity.ts';
import './plan-line.css';

type Stop = { what: string; day: number; tone: 'now' | 'warn' | 'end' };

/** Room after the last dot, so that it is not cut. */
const tailShare = 0.03;

/** The choice, drawn to scale: its dots move as it changes. The table below says the same in words. */
export function PlanLine({ schedule }: { schedule: SilenceSchedule }) {
  const { firstReminderDay, lastReminderDay, contactsAskedDay, automaticDeliveryDay } = schedule;
  const stops: Stop[] = [
    { what: 'now', day: 0, tone: 'now' },
    { what: 'first', day: firstReminderDay, tone: 'warn' },
    { what: 'last', day: lastReminderDay, tone: 'warn' },
    { what: 'asked', day: contactsAskedDay, tone: 'warn' },
    ...(automaticDeliveryDay === null ? [] : [{ what: 'delivered', day: automaticDeliveryDay, tone: 'end' as const }]),
  ];
  const endDay = yearDays + 30;
  const xOf = (day: number) => `${(1 + (day / endDay) * (1 - tailShare) * 98).toFixed(2)}%`;
  const months = Array.from({ length: Math.floor(endDay / monthDays) + 1 }, (_, index) => index * monthDays);
  const last = stops.at(-1)?.day ?? 0;
  return (
    <svg className="plan-line" aria-hidden="true" focusable="false">
      <line className="base" x1={xOf(0)} x2={xOf(endDay)} y1="14" y2="14" />
      <line className="span" x1={xOf(0)} x2={xOf(last)} y1="14" y2="14" />
      {months.map((day) => (
        <line key={day} className="tick" x1={xOf(day)} x2={xOf(day)} y1="14" y2="21" />
      ))}
      {stops.map(({ what, day, tone }) => (
        <circle key={what} className={`dot-${tone}`} cx={xOf(day)} cy="14" r="6" />
      ))}
      <text x={xOf(0)} y="36">
        Today
      </text>
      <text x={xOf(yearDays)} y="36" textAnchor="end">
        One year
      </text>
    </svg>
  );
}

/** The line is as long as the longest choice, so that a shorter one is seen to be shorter. */
const yearDays = 365;
const monthDays = 30;
