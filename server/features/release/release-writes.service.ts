import type { AuditEntry } from '#server/features/audit/audit.service.ts';
import type { NewNotification } from '#server/features/notifications/notifications.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type CheckInLinkRow, insertCheckInLinks } from './checkin-links.repository.ts';
import {
  type CycleRow,
  insertInvitations,
  type NewInvitationRow,
  type WrittenCycle,
  writeCycles,
} from './release.repository.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';
import { moveOwners, type OwnerMove } from './release-owners.repository.ts';

/**
 * What steps write, gathered in the order in which it was decided and written at once: the steps of fifty owners take
 * as many statements as those of one. Whoever is about to read or change rows themselves calls `flush` first.
 */
export type Writes = {
  /** A cycle that begins. */
  begin(row: CycleRow): CycleRow;
  /** A cycle as it was read or last written, changed. Gives it as it will stand. */
  change(row: CycleRow, change: Partial<CycleRow>): CycleRow;
  owner(move: OwnerMove): void;
  invitation(row: NewInvitationRow): void;
  checkInLink(row: CheckInLinkRow): void;
  mail(message: NewNotification): void;
  entry(entry: AuditEntry): void;
  /** Writes all that was gathered. @throws Error where another writer has moved one of the cycles on. */
  flush(): Promise<void>;
};

type WritesDependencies = {
  notifications: Pick<ReleaseDependencies['notifications'], 'enqueueAll'>;
  audit: Pick<ReleaseDependencies['audit'], 'recordAll'>;
};

/** For one transaction. What is not flushed by its end was never said. */
export function createWrites(deps: WritesDependencies, tx: Executor): Writes {
  const { notifications, audit } = deps;
  const cycles = new Map<string, WrittenCycle>();
  const owners = new Map<string, OwnerMove>();
  const invitations: NewInvitationRow[] = [];
  const links: CheckInLinkRow[] = [];
  const mails: NewNotification[] = [];
  const entries: AuditEntry[] = [];

  return {
    begin(row) {
      cycles.set(row.id, { row, readVersion: null });
      return row;
    },
    change(row, change) {
      const readVersion = cycles.has(row.id) ? (cycles.get(row.id)?.readVersion ?? null) : row.version;
      const changed = { ...row, ...change, version: readVersion === null ? row.version : readVersion + 1 };
      cycles.set(row.id, { row: changed, readVersion });
      return changed;
    },
    owner(move) {
      const known = owners.get(move.userId);
      owners.set(move.userId, { ...move, epochsEnded: move.epochsEnded + (known?.epochsEnded ?? 0) });
    },
    invitation: (row) => void invitations.push(row),
    checkInLink: (row) => void links.push(row),
    mail: (message) => void mails.push(message),
    entry: (entry) => void entries.push(entry),

    async flush() {
      await writeCycles(tx, emptied(cycles));
      await moveOwners(tx, emptied(owners));
      await insertInvitations(tx, invitations.splice(0));
      await insertCheckInLinks(tx, links.splice(0));
      await notifications.enqueueAll(tx, mails.splice(0));
      await audit.recordAll(tx, entries.splice(0));
    },
  };
}

function emptied<Value>(map: Map<string, Value>): Value[] {
  const values = [...map.values()];
  map.clear();
  return values;
}
