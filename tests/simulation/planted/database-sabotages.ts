import type { Scenario } from '#tests/simulation/scenario.ts';
import type { Sabotage } from './sabotages.ts';

/** Owners who fall silent on the first day, and are all released. */
const gone: Scenario = { seed: 1, owners: 6, days: 112, isMassSilence: true, calm: ['clock', 'faults'] };
/** Owners who live, come and go. */
const lives: Scenario = { seed: 1, owners: 8, days: 150, calm: ['clock', 'faults'] };

/** One who has died, whose mailbox is full, and nobody else is written to. */
const fullMailbox: Scenario = {
  seed: 19,
  owners: 1,
  days: 40,
  isMassSilence: true,
  mailboxes: 'full',
  calm: ['clock', 'faults', 'crashes', 'company', 'duplicates'],
};

/** Mistakes in what is written, when, and by whom: only a database and a second process show them. */
export const databaseSabotages: readonly Sabotage[] = [
  {
    name: 'an owner is read without a lock',
    file: 'server/features/accounts/accounts.repository.ts',
    find: "    .for('update')\n    .prepare('account_locked'),",
    put: "    .prepare('account_locked'),",
    caughtBy: lives,
  },
  {
    name: 'a mail under way is not kept from others',
    file: 'server/features/notifications/notifications.dispatch.ts',
    find: 'const leaseMs = 5 * 60_000;',
    put: 'const leaseMs = 0;',
    caughtBy: gone,
  },
  {
    name: 'the outcome written before the mail is out',
    file: 'server/features/notifications/notifications.dispatch.ts',
    find: 'const answer = acceptedAt ?',
    put: `await record({ claimed, tried: { outcome: 'accepted', at: await clock.now(), providerId: null } });
      const answer = acceptedAt ?`,
    caughtBy: { ...gone, seed: 342, calm: ['clock'] },
  },
  {
    name: 'a full mailbox is an outage',
    file: 'server/features/notifications/notifications.record.ts',
    find: "if (isQuiet) await checkMail(tx, tried.at, 'waiting');",
    put: '',
    caughtBy: fullMailbox,
  },
  {
    name: 'mail enqueued outside the transaction',
    file: 'server/features/notifications/notifications.service.ts',
    find: 'const ids = await insertNotifications(\n        tx,',
    put: 'const ids = await insertNotifications(\n        db,',
    caughtBy: gone,
  },
  {
    name: 'the line of the log outside the transaction',
    file: 'server/features/release-state/release.writes.ts',
    find: 'await audit.recordAll(tx, entries.splice(0));',
    put: 'await audit.recordAll(deps.db, entries.splice(0));',
    caughtBy: gone,
  },
  {
    name: 'the log is no chain',
    file: 'server/features/audit/audit.repository.ts',
    find: 'const previousHash = head.headHash;',
    put: 'const previousHash = firstPreviousHash;',
    caughtBy: { ...gone, owners: 2, days: 1 },
  },
  {
    name: 'a new link each time',
    file: 'server/features/delivery/delivery.links.ts',
    find: "keys.derive('delivery-link', JSON.stringify([userId, messageId, address, releaseNumber, earlierTries]));",
    put: "keys.derive('delivery-link', JSON.stringify([userId, messageId, address, performance.now()]));",
    caughtBy: gone,
  },
  {
    name: 'drafts are released',
    file: 'server/features/messages/messages.repository.ts',
    find: `return listBriefly(executor, and(eq(messages.userId, userId), eq(messages.status, 'ready')));`,
    put: `return listBriefly(executor, and(eq(messages.userId, userId), ne(messages.status, 'delivered')));`,
    caughtBy: { ...lives, seed: 1 },
  },
  {
    name: 'a delivered message stays ready',
    file: 'server/features/delivery/delivery.outcome.service.ts',
    find: 'await messages.settleFates(\n      tx,\n      delivered.map(',
    put: `await messages.settleFates(
      tx,
      delivered.slice(1).map(`,
    caughtBy: gone,
  },
  {
    name: 'a check-in link acts as often as it is pressed',
    file: 'server/features/release-settings/checkin-links.service.ts',
    find: 'if (link.usedAt) {',
    put: 'if (link.usedAt && link.usedAt > now) {',
    caughtBy: lives,
  },
  {
    name: 'the operator stops everything, and nothing stops',
    file: 'server/features/release-health/health.service.ts',
    find: 'await writeFreeze(tx, { frozenAt: reason ? at : null, frozenReason: reason });',
    put: 'await writeFreeze(tx, { frozenAt: null, frozenReason: reason });',
    caughtBy: { ...gone, seed: 247, days: 93, calm: ['clock'] },
  },
  {
    name: 'a freeze does not hold what is queued',
    file: 'server/features/notifications/held-notifications.repository.ts',
    find: 'isFrozen(notifications.userId)',
    put: 'sql`false`',
    caughtBy: { ...gone, days: 105, hasBrakes: true },
  },
  {
    name: 'the sweep comes back too late',
    file: 'server/features/release/release.process.ts',
    find: 'new Date(Math.min(lookAgainAtMs, nudge(place, situation)))',
    put: 'new Date(Math.min(lookAgainAtMs, nudge(place, situation)) + 24 * recheckMs)',
    caughtBy: { ...gone, days: 105 },
  },
];
