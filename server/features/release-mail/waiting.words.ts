import { longDate } from '#server/platform/mail/mail-day.ts';

const counted = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten'] as const;

/**
 * Sentence for contacts and the owner about letters with a day of their own: number and next day (milliseconds by the
 * clock), never titles. Empty if there is none. No day that has passed is named: it would show an owner that a reader wants
 * no more letters.
 */
export function waitingSentence(dueAtMs: readonly number[], nowMs = Number.NEGATIVE_INFINITY): string {
  const first = Math.min(...dueAtMs);
  const day = () => longDate(new Date(first));
  if (dueAtMs.length === 0) return '';
  const many = `${counted[dueAtMs.length] ?? dueAtMs.length} letters`;
  if (first <= nowMs) return dueAtMs.length === 1 ? 'One letter is not sent yet.' : `${many} are not sent yet.`;
  if (dueAtMs.length === 1) return `One letter waits until ${day()}.`;
  return dueAtMs.every((each) => each === first)
    ? `${many} wait until ${day()}.`
    : `${many} wait for days of their own, the first until ${day()}.`;
}
