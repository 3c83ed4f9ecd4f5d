import type { App } from '#server/app.ts';
import { untoldFromMs } from '#server/features/release-core/facts.rules.ts';
import { unnotifiedOwnerEmail } from '#server/features/release-health/operator.emails.ts';
import type { LoadedWorld } from '#server/features/release-state/release.store.ts';
import type { Writing } from '#server/features/release-state/release.writes.ts';

/**
 * Notifies the operator once a request that an account's letters stay: mail to the owner is in trouble, and there is no
 * contact to ask. Unless a person acts, nothing of this account is ever delivered.
 */
export function reportUnnotifiedOwner(
  { settings: { adminEmail }, baseUrl }: App,
  { writes, at }: Writing,
  { world, rows, owner, reading }: LoadedWorld,
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
    mail: unnotifiedOwnerEmail({ account: owner.email, baseUrl }),
  });
}
