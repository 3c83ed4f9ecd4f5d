import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { listReadyMessages } from '#server/features/messages/letters.ts';
import { type FirstMailboxes, needsEarlyReview } from '#server/features/release-core/emergency.rules.ts';
import { isConfirmed, knowing } from '#server/features/release-core/facts.rules.ts';
import { listReached, noteReached } from '#server/features/release-health/early-reviews.repository.ts';
import { earlyReviewEmail } from '#server/features/release-health/operator.emails.ts';
import { contactEarlyReviewEmail, ownerEarlyReviewEmail } from '#server/features/release-mail/early-review.emails.ts';
import type { RequestRow } from '#server/features/release-state/release.rows.ts';
import type { LoadedWorld } from '#server/features/release-state/release.store.ts';
import type { Writing } from '#server/features/release-state/release.writes.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { mailboxOf } from '#shared/rules/addresses/mailboxes.ts';

/** Hashes of the mailboxes behind these addresses, each once, however many spellings it has. */
export function mailboxHashes({ serviceKeys }: App, userId: string, addresses: readonly string[]): string[] {
  return [...new Set(addresses.map(mailboxOf))].map((mailbox) => serviceKeys.hashToken(`mailbox ${userId} ${mailbox}`));
}

/** Records the mailboxes that a release writes to. Only an early release that no one reviewed counts towards the next review. */
export function noteMailboxes(
  app: App,
  tx: Executor,
  { request, addresses, at }: { request: RequestRow; addresses: readonly string[]; at: Date },
): Promise<void> {
  const { userId } = request;
  return noteReached(tx, {
    userId,
    hashes: mailboxHashes(app, userId, addresses),
    isReviewed: isReviewed(request),
    at,
  });
}

/**
 * Checks an early request once, as soon as enough contacts have confirmed it, so that the operator can use the owner's
 * waiting time. Its letters cannot change later: a change is activity, and ends the request. The owner's row is locked.
 */
export async function reviewEarly(app: App, writing: Writing, loaded: LoadedWorld): Promise<LoadedWorld> {
  const { world, rows, owner, reading } = loaded;
  const { request } = world;
  if (!request || !rows.request || request.cause === 'silence' || rows.request.earlyReview !== null) return loaded;
  const now = { atMs: writing.at.getTime(), healthyMs: reading.healthyMs };
  if (!isConfirmed(world, request, now)) return loaded;

  const counts = await countMailboxes(app, writing.tx, owner.id);
  const earlyReview = needsEarlyReview(accountOf(owner), counts, now.atMs) ? 'waiting' : 'not_needed';
  const row = writing.writes.request({ ...rows.request, earlyReview });
  const reviewed = { ...loaded, rows: { ...rows, request: row } };
  if (earlyReview === 'not_needed') return reviewed;
  notifyOfReview(app, writing, { loaded, requestId: row.id, mailboxes: counts.fresh });
  return { ...reviewed, world: { ...world, stops: { ...world.stops, isEarlyStopped: true } } };
}

async function countMailboxes(app: App, tx: Executor, userId: string): Promise<FirstMailboxes> {
  const ready = await listReadyMessages(app, tx, userId);
  const addresses = ready.flatMap(({ recipients }) => recipients.map(({ email }) => email));
  const hashes = mailboxHashes(app, userId, addresses);
  const { reached, unreviewed } = await listReached(tx, userId, hashes);
  return { known: unreviewed, fresh: hashes.filter((hash) => !reached.has(hash)).length };
}

/** Returns the addresses whose mailboxes would be one more than this early release may write to without a review. */
export async function addressesToReview(
  app: App,
  executor: Executor,
  { owner, request, addresses, at }: { owner: OwnerRow; request: RequestRow; addresses: readonly string[]; at: Date },
): Promise<string[]> {
  if (addresses.length === 0 || isReviewed(request)) return [];
  const { reached, unreviewed } = await listReached(executor, owner.id, mailboxHashes(app, owner.id, addresses));
  return addresses.filter((address) => {
    const fresh = mailboxHashes(app, owner.id, [address]).some((hash) => !reached.has(hash)) ? 1 : 0;
    return needsEarlyReview(accountOf(owner), { known: unreviewed, fresh }, at.getTime());
  });
}

function accountOf({ plan, createdAt }: OwnerRow): Parameters<typeof needsEarlyReview>[0] {
  return { isFree: plan === 'free', createdMs: createdAt.getTime() };
}

/** True if the mailboxes of this release do not count towards a review. */
function isReviewed({ cause, earlyReview }: RequestRow): boolean {
  return cause === 'silence' || earlyReview === 'let_go';
}

type Review = { loaded: LoadedWorld; requestId: string; mailboxes: number };

function notifyOfReview(
  { settings: { adminEmail }, baseUrl, log }: App,
  { writes, at }: Writing,
  { loaded, requestId, mailboxes }: Review,
): void {
  const { owner, contacts, world } = loaded;
  const ownerName = [owner.firstName, owner.lastName].filter(Boolean).join(' ') || owner.email;
  const cause = { channel: 'email', userId: owner.id, subjectId: requestId, at } as const;
  writes.entry({
    userId: owner.id,
    action: 'release.early_review',
    resource: 'release_request',
    resourceId: requestId,
    at,
  });
  const hasOperator = adminEmail !== undefined;
  const firstName = owner.firstName ?? '';
  writes.mail({
    ...cause,
    kind: 'release.early-review',
    dedupeKey: `release.early-review:${requestId}:owner`,
    to: { address: owner.email },
    mail: ownerEarlyReviewEmail({ firstName, baseUrl, hasOperator }),
  });
  const known = world.request ? knowing(world, world.request) : [];
  for (const contact of contacts.filter(({ id }) => known.includes(id))) {
    const words = { contactName: contact.name, ownerName, ownerFirstName: owner.firstName || ownerName, baseUrl };
    writes.mail({
      ...cause,
      kind: 'release.contact_early_review',
      contactId: contact.id,
      dedupeKey: `release.early-review:${requestId}:${contact.id}`,
      to: { address: contact.email, name: contact.name },
      mail: contactEarlyReviewEmail({ ...words, hasOperator }),
    });
  }
  if (!adminEmail) {
    log.warn(
      { owner: owner.id },
      'An early release waits for a review, and ADMIN_EMAIL names no operator: see everkept release show.',
    );
    return;
  }
  const operatorKind = 'operator.early-review';
  writes.mail({
    channel: 'email',
    kind: operatorKind,
    userId: null,
    subjectId: null,
    dedupeKey: `${operatorKind}:${requestId}`,
    at,
    to: { address: adminEmail },
    mail: earlyReviewEmail({ account: owner.email, mailboxes, baseUrl }),
  });
}
