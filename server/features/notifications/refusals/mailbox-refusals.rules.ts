const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** An acceptance says for this time that the mail server accepts mail. */
export const acceptanceVouchesMs = hourMs;
/** Window of refusals of one domain that count together. Mailboxes that are tried once a day are all in it. */
export const atOnceMs = 36 * hourMs;
/** A mailbox or an account that is known for less time than this says nothing of a domain. */
export const knownForMs = 30 * dayMs;
/** Mailboxes of one domain that may refuse within the window before it is trouble, and their share of the domain. */
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

/** Number of known mailboxes to count at most. For this number of refusals, more would change nothing. */
export function knownMailboxesAsked(refusing: number): number {
  return Math.ceil(refusing / closedShareMax) + 1;
}

/** True if the refusals of a domain are too many to be single closed mailboxes. */
export function isMassRefusal({ refusing, known }: { refusing: number; known: number }): boolean {
  return refusing > closedAtOnceMax && refusing > known * closedShareMax;
}

/** Start of a domain's mass refusals in milliseconds, if another one is seen now. */
export function massRefusedSince(before: { sinceMs: number; lastMs: number } | null, nowMs: number): number {
  return before && nowMs - before.lastMs <= massPauseMs ? before.sinceMs : nowMs;
}

/** Time from which another mailbox of the domain must have accepted mail, so that a refusal counts. */
export function vouchingTime({ atMs, isReport }: { atMs: number; isReport: boolean }): {
  fromMs: number;
  toMs: number;
} {
  const toMs = isReport ? atMs - reportsTakeMs : atMs;
  return { fromMs: toMs - dayMs, toMs };
}
