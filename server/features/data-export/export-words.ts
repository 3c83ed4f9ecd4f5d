import type { MessageStatus } from '#shared/rules/categories.ts';

const longDay = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Europe/London' });

/** `21 November 2026`, by the calendar in London. */
export function dayOf(at: Date): string {
  return longDay.format(at);
}

const shortMoment = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'Europe/London',
});

/** `21 Nov 2026, 09:05`, by the clock in London. */
export function momentOf(at: Date): string {
  return shortMoment.format(at);
}

/** Said beside something whose words could not be opened. */
export const damagedWords =
  'This was damaged where it is kept, and could not be opened. The people who run the service have been told.';

/** For whom a letter is: `For Nell (nell@family.example), tom@family.example`; empty where that is damaged. */
export function forWhom(recipients: readonly { name: string | null; email: string }[]): string {
  if (recipients.length === 0) return '';
  return `For ${recipients.map(({ name, email }) => (name === null ? email : `${name} (${email})`)).join(', ')}`;
}

/** What became of a letter so far, as the end of a sentence. */
export function fateOf({ status, deliveredAt }: { status: MessageStatus; deliveredAt: Date | null }): string {
  if (deliveredAt) return `delivered on ${dayOf(deliveredAt)}`;
  return fates[status];
}

const fates: Record<MessageStatus, string> = { draft: 'a draft', ready: 'ready to send', delivered: 'delivered' };

/** A category as it is shown: `Financial`. */
export function categoryTitle(category: string): string {
  return category.charAt(0).toUpperCase() + category.slice(1);
}

export const firstWeeksTitle = 'Notes for the first weeks';
