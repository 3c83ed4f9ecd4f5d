import { personOf } from '#shared/rules/addresses/mailboxes.ts';
import type { DeliveryStatus } from '#shared/rules/deliveries.ts';
import { deliveryLinkDays, letterKeptForReaderDays } from '#shared/rules/retention.ts';

/** Outcome of the mail with a link. `dead`: the tries ran out. */
type MailOutcome = 'accepted' | 'bounced' | 'dead';

/** A letter stays this long from the moment the mail with its link was accepted. */
export const letterKeptDays = deliveryLinkDays;
/** Days after acceptance on which the link of an unopened letter is sent again. */
export const letterFirstReminderDay = 7;
export const letterLastReminderDay = 23;
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

export type Reader = { name: string | null; address: string };

/** A moment by the clock and in healthy time, which is wall time less outages. Both in milliseconds. */
export type Moment = { atMs: number; healthyMs: number };

/**
 * Lifetime of a link. `beganHealthyMs` is null until the acceptance of its mail is known. `kept`: the year for which its
 * reader has the letter kept.
 */
export type LinkLife = {
  expiresAtMs: number;
  beganHealthyMs: number | null;
  kept?: { untilMs: number; fromHealthyMs: number } | null;
};

/** End of the link, in milliseconds, if its mail was accepted at `acceptedAtMs` and no outage extends it. */
export function expiryOf(acceptedAtMs: number): number {
  return acceptedAtMs + letterKeptDays * dayMs;
}

/** End of the year for which a reader has a letter kept from now on, in milliseconds, if no outage extends it. */
export function keptUntilOf(atMs: number): number {
  return atMs + letterKeptForReaderDays * dayMs;
}

/**
 * Present end of the link, in milliseconds by the clock: 30 healthy days after its mail was accepted, or the healthy
 * year of its reader. It never has fewer days by the clock.
 */
export function expiryAt({ expiresAtMs, beganHealthyMs, kept }: LinkLife, now: Moment): number {
  const ordinaryMs =
    beganHealthyMs === null ? expiresAtMs : Math.max(expiresAtMs, endAt(beganHealthyMs, letterKeptDays, now));
  return Math.max(ordinaryMs, keptEndAt(kept ?? null, now) ?? ordinaryMs);
}

/** Present end of the year for which a reader has a letter kept. Null if there is none. */
export function keptEndAt(kept: NonNullable<LinkLife['kept']> | null, now: Moment): number | null {
  return kept && Math.max(kept.untilMs, endAt(kept.fromHealthyMs, letterKeptForReaderDays, now));
}

function endAt(fromHealthyMs: number, days: number, now: Moment): number {
  return now.atMs + days * dayMs - livedMs(fromHealthyMs, now);
}

function livedMs(beganHealthyMs: number, { healthyMs }: Moment): number {
  return Math.max(0, healthyMs - beganHealthyMs);
}

/**
 * True if the link opens its letter. It does so even before the acceptance is known: the link exists only in that mail,
 * so its holder has received it.
 */
export function isReadable(delivery: LinkLife & { status: DeliveryStatus }, now: Moment): boolean {
  if (delivery.status === 'pending') return true;
  return delivery.status === 'accepted' && now.atMs < expiryAt(delivery, now);
}

/** True if a new mail may renew the link: it was delivered, it expired, and the letter is still kept. */
export function isRenewable(delivery: LinkLife & { status: DeliveryStatus }, now: Moment): boolean {
  return delivery.status === 'unopened' || (delivery.status === 'accepted' && now.atMs >= expiryAt(delivery, now));
}

/** True if its days have ended unopened. Contacts are then asked for another address. */
export function isOverUnopened(delivery: Unopened, now: Moment): boolean {
  const { status, isOpened, beganHealthyMs } = delivery;
  return status === 'accepted' && !isOpened && beganHealthyMs !== null && now.atMs >= expiryAt(delivery, now);
}

/** Status of a delivery after the end of its mail. Null if nothing changes any more. */
export function settle(status: DeliveryStatus, outcome: MailOutcome): DeliveryStatus | null {
  if (status === 'pending') return outcome === 'accepted' ? 'accepted' : 'bounced';
  // The mail was being sent when the owner came back: it has left, and its link is revoked.
  if (status === 'cancelled' && outcome === 'accepted') return 'withdrawn';
  return null;
}

type Unopened = LinkLife & { status: DeliveryStatus; isOpened: boolean };

/**
 * Number of the reminder that is due for an unopened letter, counted from 1, or null. Its days are healthy days. If the
 * worker is late for the first, it is skipped and not piled on the second. A reader who answered gets none.
 */
export function reminderDue(
  delivery: Unopened & { isAnswered?: boolean; remindersSent: number },
  now: Moment,
): 1 | 2 | null {
  const { beganHealthyMs } = delivery;
  if (delivery.status !== 'accepted' || beganHealthyMs === null) return null;
  if (delivery.isOpened || delivery.isAnswered) return null;
  if (now.atMs >= expiryAt(delivery, now)) return null;
  const days = livedMs(beganHealthyMs, now) / dayMs;
  if (days >= letterLastReminderDay) return delivery.remindersSent < 2 ? 2 : null;
  if (days >= letterFirstReminderDay) return delivery.remindersSent < 1 ? 1 : null;
  return null;
}

/** Effect of the owner's return on a delivery: stop it, revoke its link, or null if it was opened or refused. */
export function halt(delivery: { status: DeliveryStatus; isOpened: boolean }): 'cancelled' | 'withdrawn' | null {
  if (delivery.status === 'pending' || delivery.status === 'waiting') return 'cancelled';
  const isUnopened = delivery.status === 'unopened' || (delivery.status === 'accepted' && !delivery.isOpened);
  if (isUnopened) return 'withdrawn';
  return null;
}

/**
 * Status of a delivery as its owner sees it. A waiting letter whose day has passed is one that has not left, as any
 * other: the owner learns nothing of a reader who wants no more letters.
 */
export function statusForOwner<Status extends string>(
  { status, dueAtMs }: { status: Status; dueAtMs: number | null },
  nowMs: number,
): Status | 'pending' {
  return status === 'waiting' && dueAtMs !== null && dueAtMs <= nowMs ? 'pending' : status;
}
