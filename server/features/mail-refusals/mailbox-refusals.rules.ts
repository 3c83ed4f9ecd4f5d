const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** An acceptance says for this time that the mail server accepts mail. */
export const acceptanceVouchesMs = hourMs;
/** Refusals of one domain within this time are “at once”: mailboxes that are tried once a day are all among them. */
export const atOnceMs = 36 * hourMs;
/** A mailbox or an account that is known for less time than this says nothing of a domain. */
export const knownForMs = 30 * dayMs;
/** Mailboxes of one domain that can refuse at once before it is trouble, and their share of the domain. */
const closedAtOnceMax = 3;
const closedShareMax = 0.05;
/** A domain that was seen to refuse at large is not counted again within this time. */
export const massCountedMs = hourMs;
/** After this time without mass refusals, the next one begins a new count of days. */
export const massPauseMs = 7 * dayMs;
/** Mass refusals keep a domain's mailboxes from counting as closed for this time, and no longer. */
export const massCountsMs = 30 * dayMs;
/** Servers report a mail that they can't deliver within this time, so a younger acceptance may still come back. */
export const reportsTakeMs = 15 * minuteMs;

/** Number of known mailboxes to count at most, since more change nothing for so many that refuse. */
export function knownMailboxesAsked(refusing: number): number {
  return Math.ceil(refusing / closedShareMax) + 1;
}

/** True if so many mailboxes of a domain refuse at once that it is trouble, and closes no single one. */
export function isMassRefusal({ refusing, known }: { refusing: number; known: number }): boolean {
  return refusing > closedAtOnceMax && refusing > known * closedShareMax;
}

/** When the mass refusals of a domain began, in milliseconds, if another one is seen now. */
export function massRefusedSince(before: { sinceMs: number; lastMs: number } | null, nowMs: number): number {
  return before && nowMs - before.lastMs <= massPauseMs ? before.sinceMs : nowMs;
}

/** When another mailbox of the domain must have accepted mail, so that a refusal counts. */
export function vouchingTime({ atMs, isReport }: { atMs: number; isReport: boolean }): {
  fromMs: number;
  toMs: number;
} {
  const toMs = isReport ? atMs - reportsTakeMs : atMs;
  return { fromMs: toMs - dayMs, toMs };
}
