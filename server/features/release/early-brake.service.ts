import { confirmedOwnersMax, mailboxWindowMs } from '#server/features/release-core/emergency.rules.ts';
import { holdMailbox, isHeld, listConfirmedBy } from '#server/features/release-health/brake.repository.ts';
import { lockHealth } from '#server/features/release-health/health.repository.ts';
import { mailboxHeldEmail } from '#server/features/release-health/operator.emails.ts';
import type { Situation } from '#server/features/release-state/release.store.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import type { Executor } from '#server/platform/db/database.ts';

type Answered = { contactId: string; at: Date };

/** The brake of early releases: it holds the mailbox that confirms for too many owners, and nobody else. */
export function createEarlyBrake({ notifications, audit, adminEmail, baseUrl }: ReleaseDependencies) {
  return {
    /** A contact has just confirmed: where their mailbox did so for too many, its yes waits for the operator. */
    async lookAt(tx: Executor, { contacts, owner, world }: Situation, { contactId, at }: Answered): Promise<void> {
      const mailbox = contacts.find(({ id }) => id === contactId)?.email;
      if (!mailbox || !world.request || world.request.cause === 'silence') return;
      // Two answers of one mailbox at the same time: the second waits here, and sees the first.
      await lockHealth(tx);
      const since = before(at, mailboxWindowMs);
      const accounts = await listConfirmedBy(tx, mailbox, since);
      const wasHeld = await isHeld(tx, contactId);
      if (accounts.length <= confirmedOwnersMax && !wasHeld) return;
      await holdMailbox(tx, mailbox, since);
      if (wasHeld) return;
      const resource = { resource: 'trusted_contact', resourceId: contactId };
      await audit.record(tx, { userId: owner.id, action: 'release.mailbox_held', ...resource, at });
      if (!adminEmail) return;
      const kind = 'operator.mailbox-held';
      await notifications.enqueue(tx, {
        channel: 'email',
        kind,
        userId: null,
        subjectId: null,
        dedupeKey: `${kind}:${contactId}:${at.toISOString()}`,
        at,
        to: { address: adminEmail },
        mail: mailboxHeldEmail({ mailbox, accounts, baseUrl }),
      });
    },
  };
}

function before(at: Date, ms: number): Date {
  return new Date(at.getTime() - ms);
}
