import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { HealthKeeper, Reading } from './health.service.ts';
import { type CycleRow, findOpenCycles, listInvitationsOf, type ReadInvitation } from './release.repository.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';
import type { ReleaseFacts } from './release-facts.rules.ts';
import { type Contact, contactFacts } from './release-scene.ts';
import { cycleFacts, ownerFacts } from './release-state.ts';

/** Everything that one decision about one owner rests on, read under the owner's lock. */
export type Situation = {
  owner: OwnerRow;
  reading: Reading;
  facts: ReleaseFacts;
  row: CycleRow | null;
  invitations: readonly ReadInvitation[];
  contacts: readonly Contact[];
};

/** Locks owners and reads what is to be decided on, in their order and without those whose account is gone. */
export type ReadSituations = (tx: Executor, userIds: readonly string[], at: Date) => Promise<Situation[]>;

/** One statement for each kind of row, however many owners there are. */
export function createReader(
  { accounts, contacts, messages, answerDaysDefault }: ReleaseDependencies,
  health: HealthKeeper,
): ReadSituations {
  return async function readAll(tx, userIds, at) {
    const owners = new Map((await accounts.lockOwners(tx, userIds)).map((owner) => [owner.id, owner]));
    if (owners.size === 0) return [];
    const rows = new Map((await findOpenCycles(tx, userIds)).map((row) => [row.userId, row]));
    const cycleIds = [...rows.values()].map(({ id }) => id);
    const invitations = Map.groupBy(await listInvitationsOf(tx, cycleIds), ({ cycleId }) => cycleId);
    const confirmed = await contacts.confirmedContactsOf(tx, userIds);
    const reading = await health.read(tx, at);
    const ready = await messages.countReadyOf(tx, userIds);

    return userIds.flatMap((userId) => {
      const owner = owners.get(userId);
      if (!owner) return [];
      const row = rows.get(userId) ?? null;
      const asked = row ? (invitations.get(row.id) ?? []) : [];
      // From here on, mails included, a contact is as old in the role as the service has been healthy since.
      const people = (confirmed.get(userId) ?? []).map((contact) => {
        return { ...contact, confirmedAt: new Date(contactFacts(contact, at, reading).confirmedAtMs) };
      });
      const facts: ReleaseFacts = {
        owner: ownerFacts(owner, answerDaysDefault),
        isInstallationFrozen: reading.isFrozen,
        isSilenceStopped: reading.isSilenceStopped && !row?.isExpected,
        readyMessages: ready.get(userId) ?? 0,
        contacts: people.map(({ id, confirmedAt }) => ({ id, confirmedAtMs: confirmedAt.getTime() })),
        cycle: row ? cycleFacts(row, asked) : null,
      };
      return [{ owner, reading, facts, row, invitations: asked, contacts: people }];
    });
  };
}
