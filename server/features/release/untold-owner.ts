import { untoldFromMs } from '#server/features/release-core/facts.rules.ts';
import { untoldOwnerEmail } from '#server/features/release-health/operator.emails.ts';
import type { Situation } from '#server/features/release-state/release.store.ts';
import type { Writes } from '#server/features/release-state/release.writes.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';

type Place = { writes: Writes; at: Date };

/**
 * Tells the operator once a request that an account's letters stay: mail to the owner is in trouble, and there is no contact to
 * ask. Without a person who acts, nothing of this account is ever delivered.
 */
export function tellOfUntoldOwner(
  { adminEmail, baseUrl }: Pick<ReleaseDependencies, 'adminEmail' | 'baseUrl'>,
  { writes, at }: Place,
  { world, rows, owner, reading }: Situation,
): void {
  if (!adminEmail || !rows.request || world.contacts.length > 0) return;
  const sinceMs = untoldFromMs(world, { atMs: at.getTime(), healthyMs: reading.healthyMs });
  if (sinceMs === null || sinceMs > at.getTime()) return;
  writes.mail({
    channel: 'email',
    kind: 'operator.untold-owner',
    userId: owner.id,
    subjectId: rows.request.id,
    dedupeKey: `operator-untold-owner:${rows.request.id}`,
    at,
    to: { address: adminEmail },
    mail: untoldOwnerEmail({ account: owner.email, baseUrl }),
  });
}
