import type { DeliverOn } from '#shared/rules/deliver-on.ts';
import { londonDay } from '#shared/rules/london-day.ts';
import { counted, longDate } from '#web/lib/format.ts';

/** Day of delivery as the form holds it: the choice, and the typed value for each kind of wait. */
export type WhenFields = { when: 'once' | 'day' | 'months'; day: string; months: string };

export function whenFieldsOf(deliverOn: DeliverOn): WhenFields {
  if (deliverOn === null) return { when: 'once', day: '', months: '' };
  if (typeof deliverOn === 'string') return { when: 'day', day: deliverOn, months: '' };
  return { when: 'months', day: '', months: String(deliverOn.months) };
}

/** Value of the fields, which may be invalid yet. */
export function deliverOnOf({ when, day, months }: WhenFields): DeliverOn {
  if (when === 'once') return null;
  return when === 'day' ? day : { months: Number(months.trim() || Number.NaN) };
}

/** True if a letter waits at all: a day that is past means at once. */
export function doesWait(deliverOn: DeliverOn, nowMs = Date.now()): boolean {
  return typeof deliverOn === 'string' ? deliverOn > londonDay(nowMs) : deliverOn !== null;
}

/** `as soon as it is time`, `on 4 May 2031`, `6 months after it is time`: inside a sentence. */
export function whenWords(deliverOn: DeliverOn): string {
  if (!doesWait(deliverOn) || deliverOn === null) return 'as soon as it is time';
  if (typeof deliverOn === 'string') return `on ${longDate(deliverOn)}`;
  return `${counted(deliverOn.months, 'month')} after it is time`;
}
