import type { Message } from '#shared/contract/messages.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import { longDate, relativeAge } from '#web/lib/format.ts';

type Kept = Pick<Message, 'status' | 'recipients' | 'recipientEmail' | 'deliveredAt' | 'updatedAt'>;

/** Recipient's name on the envelope, or the start of the address if there is no name. */
export function envelopeName({ recipients, recipientEmail }: Pick<Kept, 'recipients' | 'recipientEmail'>): string {
  const [first = '', second, ...others] = (
    recipients.length > 0 ? recipients : [{ name: null, email: recipientEmail }]
  ).map(({ name, email }) => (name ? firstNameOf(name) : (email.split('@')[0] ?? '')));
  if (second === undefined) return first;
  return others.length === 0 ? `${first} and ${second}` : `${first} and ${others.length + 1} others`;
}

/** State of a letter in a few words. */
export function keptState({ status, deliveredAt, updatedAt }: Kept, nowMs = Date.now()): string {
  if (status === 'ready') return 'Sealed';
  if (status === 'draft') return `Draft, from ${relativeAge(updatedAt, nowMs).toLowerCase()}`;
  return deliveredAt ? `Delivered ${longDate(deliveredAt)}` : 'Delivered';
}
