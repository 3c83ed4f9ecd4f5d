import type { z } from 'zod';
import type { Accounts, Principal } from '#server/features/accounts/accounts.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Contacts } from '#server/features/contacts/contacts.service.ts';
import { titleOfDeleted } from '#server/features/deleted-rows/deleted-rows.sealing.ts';
import {
  deletedSince,
  findDeleted,
  listDeleted,
  removeDeleted,
} from '#server/features/deleted-rows/deleted-rows.service.ts';
import type { Documents } from '#server/features/documents/documents.service.ts';
import type { Files } from '#server/features/files/files.service.ts';
import type { Messages } from '#server/features/messages/messages.service.ts';
import { detailsOf } from '#server/features/ready-changes/ready-changes.rules.ts';
import { noteReadyChange } from '#server/features/ready-changes/ready-changes.service.ts';
import type { FreshSignIns } from '#server/features/sessions/fresh-sign-in.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Vaults } from '#server/platform/crypto/vault.ts';
import type { Database } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { deletedItemSchema } from '#shared/contract/vault/recently-deleted.ts';
import { type DeletedKind, recentlyDeletedMs } from '#shared/rules/retention.ts';

type DeletedItem = z.output<typeof deletedItemSchema>;
type Call = { principal: Principal; origin: RequestOrigin; kind: DeletedKind; id: string };

export type RecentlyDeleted = {
  /** The newest first. */
  list(principal: Principal): Promise<DeletedItem[]>;
  /**
   * Puts it back as it was. A letter or a document counts for the plan again, and a contact as one who has just accepted.
   *
   * @throws AppError `NOT_FOUND`, `RATE_LIMITED`, and whatever making one anew is refused for.
   */
  restore(call: Call): Promise<void>;
  /** Deletes permanently. @throws AppError `NOT_FOUND`, or `REAUTHENTICATION_REQUIRED` because it can't be undone. */
  remove(call: Call): Promise<void>;
};

export type RecentlyDeletedDependencies = {
  db: Database;
  clock: Clock;
  vaults: Pick<Vaults, 'open'>;
  accounts: Pick<Accounts, 'lockOwner' | 'recordActivity'>;
  audit: Pick<Audit, 'record'>;
  files: Pick<Files, 'release'>;
  freshSignIns: Pick<FreshSignIns, 'requireFreshSignIn'>;
  /** @throws AppError `RATE_LIMITED`. */
  spendWritten(account: Principal, bytes: number, act: 'restore'): Promise<void>;
  messages: Pick<Messages, 'restore'>;
  documents: Pick<Documents, 'restore'>;
  contacts: Pick<Contacts, 'restore'>;
};

/** A deletion is never refused, so a restored row counts for both copies: the deleted one and the one put back. */
const restoredCopies = 2;

/** What an owner deleted within the last days, and can take back. Nobody else is shown it, and nothing of it is sent. */
export function createRecentlyDeleted(dependencies: RecentlyDeletedDependencies): RecentlyDeleted {
  const { db, clock, vaults, accounts, audit, files, messages, documents, contacts } = dependencies;
  const { freshSignIns, spendWritten } = dependencies;
  return {
    async list({ userId, vaultKey }) {
      const rows = await listDeleted(db, userId, deletedSince(await clock.now()));
      if (rows.length === 0) return [];
      const vault = vaults.open(userId, vaultKey);
      return rows.map((row) => {
        const { kind, id, deletedAt } = row;
        const title = titleOfDeleted(vault, row);
        const item = { kind, id, deletedAt, goneAt: new Date(deletedAt.getTime() + recentlyDeletedMs) };
        return title === null ? { ...item, title: '', isDamaged: true } : { ...item, title };
      });
    },

    async restore({ kind, ...call }) {
      const kept = await findDeleted(db, { userId: call.principal.userId, kind, id: call.id });
      // Before the transaction, which would hold its connection meanwhile. Files keep their place, and are not written again.
      if (kept) await spendWritten(call.principal, restoredCopies * (kept.sizeBytes - kept.fileBytes), 'restore');
      if (kind === 'message') return messages.restore(call);
      return kind === 'document' ? documents.restore(call) : contacts.restore(call);
    },

    async remove({ principal, origin, kind, id }) {
      const { userId } = principal;
      const freed = await db.transaction(async (tx) => {
        if (!(await accounts.lockOwner(tx, userId))) throw notFound();
        await freshSignIns.requireFreshSignIn(principal, tx);
        const at = await clock.now(tx);
        await accounts.recordActivity(tx, { userId, type: 'change', at, origin });
        const kept = await findDeleted(tx, { userId, kind, id });
        const paths = await removeDeleted(tx, { userId, kind, id });
        if (!kept || !paths) throw notFound();
        const wasReady = kind === 'message' && kept.row.status === 'ready';
        if (wasReady) await noteReadyChange(tx, userId, at);
        const details = wasReady ? detailsOf({ kinds: ['forgotten'], newReaders: [] }) : undefined;
        await audit.record(tx, { userId, ...forgetting[kind], resourceId: id, details, origin, at });
        return paths;
      });
      for (const path of freed) await files.release(path);
    },
  };
}

const forgetting: Record<DeletedKind, { action: string; resource: string }> = {
  message: { action: 'message.forget', resource: 'message' },
  document: { action: 'document.forget', resource: 'document' },
  contact: { action: 'contact.forget', resource: 'trusted_contact' },
};
