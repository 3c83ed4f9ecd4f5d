import { personOf } from '#shared/rules/addresses/mailboxes.ts';
import type { DeliveryStatus } from '#shared/rules/deliveries.ts';
import { deliveryLinkDays } from '#shared/rules/retention.ts';

/** What became of the mail that carries a link. `dead`: the tries ran out. */
type MailOutcome = 'accepted' | 'bounced' | 'dead';

/** A letter stays this long from the moment the mail with its link was accepted. */
export const letterKeptDays = deliveryLinkDays;
/** Days after acceptance on which the link of an unopened letter is sent again. */
export const firstReminderDay = 7;
export const lastReminderDay = 23;
export const remindersMax = 2;

const dayMs = 86_400_000;

/**
 * Tells people apart: two letters are for one person if the names are the same, apart from capitals and spaces, and so are
 * the addresses. Spellings count as one address only if they are certain to reach one mailbox.
 */
export function foldedPerson({ name, address }: Reader): [string, string] {
  const fold = (text: string) => text.normalize('NFKC').trim().replace(/\s+/gu, ' ').toLowerCase();
  return [fold(name ?? ''), personOf(fold(address))];
}

type Reader = { name: string | null; address: string };

type Addressed = { recipients: readonly { name: string | null; email: string }[]; isSealed: boolean };

/** Whom messages reach, each person once, with how many letters and how many of them that ask for a passphrase. */
export function readersOf(messages: readonly Addressed[]): (Reader & { letters: number; sealed: number })[] {
  const readers = messages.flatMap(({ recipients, isSealed }) =>
    recipients.map(({ name, email }) => ({ reader: { name, address: email }, isSealed })),
  );
  const byPerson = Map.groupBy(readers, ({ reader }) => JSON.stringify(foldedPerson(reader)));
  return [...byPerson.values()].flatMap((same) => {
    const sealed = same.filter(({ isSealed }) => isSealed).length;
    return same[0] ? [{ ...same[0].reader, letters: same.length, sealed }] : [];
  });
}

/** A moment by the clock and in healthy time, which is wall time less outages. Both in milliseconds. */
export type Moment = { atMs: number; healthyMs: number };

/** How long a link lives. `beganHealthyMs` is null until its mail is known to be accepted. */
export type LinkLife = { expiresAtMs: number; beganHealthyMs: number | null };

/** When the link dies, in milliseconds, if its mail was accepted at `acceptedAtMs` and no outage lengthens its life. */
export function expiryOf(acceptedAtMs: number): number {
  return acceptedAtMs + letterKeptDays * dayMs;
}

/**
 * When the link dies as things stand now, in milliseconds by the clock: 30 days of healthy time after its mail was
 * accepted, and never before that many days by the clock.
 */
export function expiryAt({ expiresAtMs, beganHealthyMs }: LinkLife, now: Moment): number {
  if (beganHealthyMs === null) return expiresAtMs;
  return Math.max(expiresAtMs, now.atMs + letterKeptDays * dayMs - livedMs(beganHealthyMs, now));
}

function livedMs(beganHealthyMs: number, { healthyMs }: Moment): number {
  return Math.max(0, healthyMs - beganHealthyMs);
}

/**
 * Whether the link opens its letter. A link whose mail we do not know to be accepted yet opens it too: it exists
 * nowhere but in that mail, so whoever shows it has received it.
 */
export function isReadable(delivery: LinkLife & { status: DeliveryStatus }, now: Moment): boolean {
  if (delivery.status === 'pending') return true;
  return delivery.status === 'accepted' && now.atMs < expiryAt(delivery, now);
}

/** Whether a new mail may bring the link back to life: it was delivered, it expired, and the letter is still kept. */
export function isRenewable(delivery: LinkLife & { status: DeliveryStatus }, now: Moment): boolean {
  return delivery.status === 'unopened' || (delivery.status === 'accepted' && now.atMs >= expiryAt(delivery, now));
}

/** Whether its days are over and nobody has opened it: then contacts are asked whether they know another address. */
export function isOverUnopened(delivery: Unopened, now: Moment): boolean {
  const { status, isOpened, beganHealthyMs } = delivery;
  return status === 'accepted' && !isOpened && beganHealthyMs !== null && now.atMs >= expiryAt(delivery, now);
}

/** The status a delivery takes when its mail has ended, or `null` where nothing changes any more. */
export function settle(status: DeliveryStatus, outcome: MailOutcome): DeliveryStatus | null {
  if (status === 'pending') return outcome === 'accepted' ? 'accepted' : 'bounced';
  // The mail was in the middle of being handed over when the owner came back: it is out, and its link is dead.
  if (status === 'cancelled' && outcome === 'accepted') return 'withdrawn';
  return null;
}

type Unopened = LinkLife & { status: DeliveryStatus; isOpened: boolean };

/**
 * Which reminder of an unopened letter is due, counted from 1, or `null`. Its days are healthy ones; where the worker came
 * late all the same, the earlier one is left out instead of being piled on the later one.
 */
export function reminderDue(delivery: Unopened & { remindersSent: number }, now: Moment): 1 | 2 | null {
  const { beganHealthyMs } = delivery;
  if (delivery.status !== 'accepted' || delivery.isOpened || beganHealthyMs === null) return null;
  if (now.atMs >= expiryAt(delivery, now)) return null;
  const days = livedMs(beganHealthyMs, now) / dayMs;
  if (days >= lastReminderDay) return delivery.remindersSent < 2 ? 2 : null;
  if (days >= firstReminderDay) return delivery.remindersSent < 1 ? 1 : null;
  return null;
}

/** What the owner's return does to a delivery: stop it, make its link dead, or nothing since it was read or refused. */
export function halt(delivery: { status: DeliveryStatus; isOpened: boolean }): 'cancelled' | 'withdrawn' | null {
  if (delivery.status === 'pending' || delivery.status === 'waiting') return 'cancelled';
  const isUnopened = delivery.status === 'unopened' || (delivery.status === 'accepted' && !delivery.isOpened);
  if (isUnopened) return 'withdrawn';
  return null;
}
