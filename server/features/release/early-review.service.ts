import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import { type FirstMailboxes, needsEarlyReview } from '#server/features/release-core/emergency.rules.ts';
import { isConfirmed, knowing } from '#server/features/release-core/facts.rules.ts';
import { listReached, noteReached } from '#server/features/release-health/early-reviews.repository.ts';
import { earlyReviewEmail } from '#server/features/release-health/operator.emails.ts';
import { contactEarlyReviewEmail, ownerEarlyReviewEmail } from '#server/features/release-mail/early-review.emails.ts';
import type { RequestRow } from '#server/features/release-state/release.rows.ts';
import type { Situation } from '#server/features/release-state/release.store.ts';
import type { Writes } from '#server/features/release-state/release.writes.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { mailboxOf } from '#shared/rules/addresses/mailboxes.ts';

type Place = { tx: Executor; writes: Writes; at: Date };
type Dependencies = Pick<ReleaseDependencies, 'messages' | 'hashToken' | 'audit' | 'adminEmail' | 'baseUrl' | 'log'>;

/** Hashes of the mailboxes behind these addresses, each once, however many spellings it has. */
export function mailboxHashes(
  { hashToken }: Pick<Dependencies, 'hashToken'>,
  userId: string,
  addresses: readonly string[],
): string[] {
  return [...new Set(addresses.map(mailboxOf))].map((mailbox) => hashToken(`mailbox ${userId} ${mailbox}`));
}

/** Records the mailboxes that a release writes to. Only an early release that no one reviewed counts towards the next review. */
export function noteMailboxes(
  deps: Pick<Dependencies, 'hashToken'>,
  { tx, at }: Pick<Place, 'tx' | 'at'>,
  { request, addresses }: { request: RequestRow; addresses: readonly string[] },
): Promise<void> {
  const { userId } = request;
  const hashes = mailboxHashes(deps, userId, addresses);
  return noteReached(tx, { userId, hashes, isReviewed: isReviewed(request), at });
}

/**
 * Checks an early request once, as soon as enough contacts have confirmed it, so that the operator can use the owner's
 * waiting time. Its letters cannot change later: a change is activity, and ends the request. The owner's row is locked.
 */
export async function reviewEarly(deps: Dependencies, place: Place, situation: Situation): Promise<Situation> {
  const { world, rows, owner, reading } = situation;
  const { request } = world;
  if (!request || !rows.request || request.cause === 'silence' || rows.request.earlyReview !== null) return situation;
  const now = { atMs: place.at.getTime(), healthyMs: reading.healthyMs };
  if (!isConfirmed(world, request, now)) return situation;

  const counts = await countMailboxes(deps, place.tx, owner.id);
  const earlyReview = needsEarlyReview(accountOf(owner), counts, now.atMs) ? 'waiting' : 'not_needed';
  const row = place.writes.request({ ...rows.request, earlyReview });
  const reviewed = { ...situation, rows: { ...rows, request: row } };
  if (earlyReview === 'not_needed') return reviewed;
  tell(deps, place, { situation, requestId: row.id, mailboxes: counts.fresh });
  return { ...reviewed, world: { ...world, stops: { ...world.stops, isEarlyStopped: true } } };
}

async function countMailboxes(deps: Dependencies, tx: Executor, userId: string): Promise<FirstMailboxes> {
  const ready = await deps.messages.readyMessages(tx, userId);
  const addresses = ready.flatMap(({ recipients }) => recipients.map(({ email }) => email));
  const hashes = mailboxHashes(deps, userId, addresses);
  const { reached, unreviewed } = await listReached(tx, userId, hashes);
  return { known: unreviewed, fresh: hashes.filter((hash) => !reached.has(hash)).length };
}

/** Returns the addresses whose mailboxes would be one more than this early release may write to without a review. */
export async function addressesToReview(
  deps: Pick<Dependencies, 'hashToken'>,
  executor: Executor,
  { owner, request, addresses, at }: { owner: OwnerRow; request: RequestRow; addresses: readonly string[]; at: Date },
): Promise<string[]> {
  if (addresses.length === 0 || isReviewed(request)) return [];
  const { reached, unreviewed } = await listReached(executor, owner.id, mailboxHashes(deps, owner.id, addresses));
  return addresses.filter((address) => {
    const fresh = mailboxHashes(deps, owner.id, [address]).some((hash) => !reached.has(hash)) ? 1 : 0;
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

type Told = { situation: Situation; requestId: string; mailboxes: number };

function tell(
  { adminEmail, baseUrl, log }: Dependencies,
  { writes, at }: Place,
  { situation, requestId, mailboxes }: Told,
): void {
  const { owner, contacts, world } = situation;
  const ownerName = [owner.firstName, owner.lastName].filter(Boolean).join(' ') || owner.email;
  const kind = 'release.early-review';
  const cause = { channel: 'email', kind, userId: owner.id, subjectId: requestId, at } as const;
  writes.entry({
    userId: owner.id,
    action: 'release.early_review',
    resource: 'release_request',
    resourceId: requestId,
    at,
  });
  const hasOperator = adminEmail !== null;
  const firstName = owner.firstName ?? '';
  writes.mail({
    ...cause,
    dedupeKey: `${kind}:${requestId}:owner`,
    to: { address: owner.email },
    mail: ownerEarlyReviewEmail({ firstName, baseUrl, hasOperator }),
  });
  const known = world.request ? knowing(world, world.request) : [];
  for (const contact of contacts.filter(({ id }) => known.includes(id))) {
    const words = { contactName: contact.name, ownerName, ownerFirstName: owner.firstName || ownerName, baseUrl };
    writes.mail({
      ...cause,
      contactId: contact.id,
      dedupeKey: `${kind}:${requestId}:${contact.id}`,
      to: { address: contact.email, name: contact.name },
      mail: contactEarlyReviewEmail({ ...words, hasOperator }),
    });
  }
  if (adminEmail === null) {
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
