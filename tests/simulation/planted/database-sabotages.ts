import type { Scenario } from '#tests/simulation/scenario.ts';
import type { Sabotage } from './sabotages.ts';

/** Owners who fall silent on the first day, and are all released. */
const gone: Scenario = {
  seed: 1,
  owners: 5,
  days: 105,
  isMassSilence: true,
  calm: ['clock', 'faults'],
  also: ['letters together'],
};

const quiet = ['clock', 'faults', 'crashes', 'company', 'duplicates'] as const;
/** One who has died, whose mailbox is full, and no one else is written to. */
const fullMailbox: Scenario = {
  seed: 19,
  owners: 1,
  days: 40,
  isMassSilence: true,
  mailboxes: 'full',
  calm: quiet,
  also: [],
};
/** One whose mailbox wants nothing from us by policy, from before the first reminder until behind the last. */
const refused: Scenario = {
  seed: 1960,
  owners: 1,
  days: 150,
  isMassSilence: true,
  calm: quiet,
  also: ['policy refusals'],
};
/** A backup from after the last reminders is restored before any contact is asked. */
const restored: Scenario = { seed: 867, owners: 3, days: 104, isMassSilence: true, calm: quiet, also: ['restores'] };

/** Mistakes in the content, time or author of writes: only a database and a second process show them. */
export const databaseSabotages: readonly Sabotage[] = [
  {
    name: 'an owner is read without a lock',
    file: 'server/features/accounts/accounts.repository.ts',
    find: "    .for('update')\n    .prepare('account_locked'),",
    put: "    .prepare('account_locked'),",
    caughtBy: 'server/features/release/release-return.test.ts',
  },
  {
    name: 'a mail under way is not kept from others',
    file: 'server/features/notifications/notifications.claims.ts',
    find: 'export const leaseMs = 5 * 60_000;',
    put: 'export const leaseMs = 0;',
    caughtBy: gone,
  },
  {
    name: 'the outcome written before the mail is out',
    file: 'server/features/notifications/notifications.dispatch.ts',
    find: 'const answer = acceptedAt\n',
    put: `await recordOutcome(app, claimed, { outcome: 'accepted', at: await app.clock.now(), providerId: null });
      const answer = acceptedAt\n`,
    caughtBy: { ...gone, seed: 247, days: 93, calm: ['clock'] },
  },
  {
    name: 'a full mailbox is an outage',
    file: 'server/features/notifications/notifications.record.ts',
    find: "if (isQuiet) await checkMail(app, tx, { at: tried.at, doubt: 'waiting' });",
    put: '',
    caughtBy: fullMailbox,
  },
  {
    name: 'mail enqueued outside the transaction',
    file: 'server/features/notifications/enqueue.ts',
    find: 'const ids = await insertNotifications(\n    tx,',
    put: 'const ids = await insertNotifications(\n    app.db,',
    caughtBy: gone,
  },
  {
    name: 'the line of the log outside the transaction',
    file: 'server/features/release-state/release.writes.ts',
    find: 'await recordAudits(app, tx, entries.splice(0));',
    put: 'await recordAudits(app, app.db, entries.splice(0));',
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
    caughtBy: 'server/features/release/release.service.test.ts',
  },
  {
    name: 'a delivered message stays ready',
    file: 'server/features/delivery/outcomes.ts',
    find: 'await settleMessages(\n    tx,\n    delivered.map(',
    put: `await settleMessages(
    tx,
    delivered.slice(1).map(`,
    caughtBy: gone,
  },
  {
    name: 'a check-in link acts as often as it is pressed',
    file: 'server/features/release-settings/checkin-links.ts',
    find: 'if (link.usedAt) {',
    put: 'if (link.usedAt && link.usedAt > now) {',
    caughtBy: 'server/features/release/release-return.test.ts',
  },
  {
    name: 'the operator stops everything, and nothing stops',
    file: 'server/features/release-health/health.ts',
    find: 'await writeFreeze(tx, { frozenAt: reason ? at : null, frozenReason: reason });',
    put: 'await writeFreeze(tx, { frozenAt: null, frozenReason: reason });',
    caughtBy: 'server/features/release/release-freeze.test.ts',
  },
  {
    name: 'a freeze does not stop queued mail',
    file: 'server/features/notifications/frozen-mail.repository.ts',
    find: 'isFrozen(notifications.userId)',
    put: 'sql`false`',
    caughtBy: 'server/features/notifications/frozen-mail.test.ts',
  },
  {
    name: 'the sweep comes back too late',
    file: 'server/features/release/release.ts',
    find: 'new Date(Math.min(lookAgainAtMs, await nudge(app, writing, loaded)))',
    put: 'new Date(Math.min(lookAgainAtMs, await nudge(app, writing, loaded)) + 24 * recheckMs)',
    caughtBy: gone,
  },
  {
    name: 'what a policy refuses counts as tried',
    file: 'server/features/release/release-outcomes.ts',
    find: 'if (ended.isTrouble || !loaded.reading.isMailHealthy) {',
    put: 'if (!loaded.reading.isMailHealthy) {',
    caughtBy: 'server/features/release/release-policy-refusals.proof.test.ts',
  },
  {
    name: 'what was given up for our sake is never written again',
    file: 'server/features/release/release-outcomes.ts',
    find: 'await withWrites(app, { tx, at }, async (writing) => rewriteNotice(app, writing, loaded, timedOut));',
    put: 'void timedOut;',
    caughtBy: refused,
  },
  {
    name: 'what became of an earlier mail counts for the newest',
    file: 'server/features/release/release-outcomes.ts',
    find: "command: { kind: 'notice_ended', notice, channel, outcome: 'accepted' }",
    put: "command: { kind: 'notice_ended', notice: loaded.world.nextNotice - 1, channel, outcome: 'accepted' }",
    caughtBy: 'server/features/release/release-notices.test.ts',
  },
  {
    name: 'other terms are written than people are told',
    file: 'server/features/release-state/release.rows.ts',
    find: 'return { ...terms, firstNotice, lastNotice } satisfies',
    put: 'return { ...terms, answerDays: 1, firstNotice, lastNotice } satisfies',
    caughtBy: gone,
  },
  {
    name: 'the first reminder names a day ninety days too late',
    file: 'server/features/release-mail/owner-mail.ts',
    find: 'const answerDays = Math.max(world.owner.answerDays, world.silence?.terms.answerDays ?? 0);',
    put: 'const answerDays = 90 + Math.max(world.owner.answerDays, world.silence?.terms.answerDays ?? 0);',
    caughtBy: 'server/features/release/release-days.test.ts',
  },
  {
    name: 'a restore stops nothing',
    file: 'server/features/release-health/health.ts',
    find: 'await stopRestored(tx, (before) => restoredReason({ backupAt, before }));',
    put: 'void restoredReason({ backupAt, before: null });',
    caughtBy: restored,
  },
  {
    name: 'a restore begins nothing anew',
    file: 'server/features/release/release.ts',
    find: 'const { events } = decide(world, context.command, nowOf(loaded, writing.at));\n  const after',
    put: 'const events: Event[] = [];\n  const after',
    caughtBy: restored,
  },
  {
    name: 'a text that comes again counts again',
    file: 'server/features/release-mail/text-replies.ts',
    find: 'if (isNew) await checkIn(',
    put: 'await checkIn(',
    caughtBy: 'server/features/release-mail/text-replies.test.ts',
  },
  {
    name: 'a letter leaves while a sign-in is not explained',
    file: 'server/schema/release.tables.ts',
    find: `and \${releaseRequests.questionAt} is not null\n      union`,
    put: 'and false\n      union',
    caughtBy: 'tests/surface/sign-in-after-delivery.proof.test.ts',
  },
  {
    name: 'each letter of a person in a mail of its own',
    file: 'server/features/delivery/delivery.links.ts',
    find: 'JSON.stringify([userId, ...foldedPerson(reader)])',
    put: 'JSON.stringify([userId, ...foldedPerson(reader), performance.now()])',
    caughtBy: 'tests/surface/several-readers.test.ts',
  },
  {
    name: 'a notice that came back was told all the same',
    file: 'server/features/release/release-bounces.ts',
    find: 'await runCommand(app, tx, loaded, { at, command });',
    put: 'void command;',
    caughtBy: 'tests/surface/bounces.proof.test.ts',
  },
  {
    name: 'a letter that came back has arrived',
    file: 'server/features/delivery/mail-outcomes.ts',
    find: 'await revokeAcceptance(app, tx, delivery, at);\n    if (isRefusal)',
    put: 'if (isRefusal)',
    caughtBy: 'tests/surface/bounces.proof.test.ts',
  },
  {
    name: 'frozen mail that had left before leaves twice',
    file: 'server/features/notifications/notifications.dispatch.ts',
    find: "const answer = acceptedAt\n      ? ({ outcome: 'accepted', providerId } as const)\n      : await",
    put: 'void [acceptedAt, providerId];\n    const answer = await',
    caughtBy: 'server/features/notifications/frozen-mail.test.ts',
  },
  {
    name: 'mail of a release that is being stopped is not frozen',
    file: 'server/schema/release.tables.ts',
    find: 'union all select user_id from release_halts',
    put: '',
    caughtBy: 'tests/surface/release-halt.test.ts',
  },
  {
    name: 'a worker may take a letter while it is being stopped',
    file: 'server/features/notifications/attempts.repository.ts',
    find: `and \${notifications.acceptedAt} is null
      order by \${notifications.id} for update`,
    put: `and \${notifications.acceptedAt} is null and \${notifications.status} = 'sending'
      order by \${notifications.id} for update`,
    caughtBy: 'tests/surface/release-halt.test.ts',
  },
  {
    name: 'the question at DATA is left out on a second try',
    file: 'server/features/notifications/channels/email.ts',
    find: 'await app.mailer.send(await mailOf(app, row, payload), mayLeave);',
    put: 'await app.mailer.send(await mailOf(app, row, payload), async () => row.attempts > 1 || mayLeave());',
    caughtBy: 'server/features/notifications/earlier-try.test.ts',
  },
  {
    name: 'the outcome of an earlier try counts for the present one',
    file: 'server/features/notifications/notifications.record.ts',
    find: 'if (!row || row.attempts !== claimed.attempts) return null;',
    put: 'if (!row) return null;',
    caughtBy: 'server/features/notifications/earlier-try.test.ts',
  },
  {
    name: 'the breaker counts an owner twice on a day',
    file: 'server/features/release-health/health.ts',
    find: 'if (step.countedOnDay === day) return { isAllowed: true, day };',
    put: '',
    caughtBy: 'server/features/release/breaker-count.test.ts',
  },
  {
    name: 'readers are not told after a halt',
    file: 'server/features/delivery/halts.ts',
    find: 'if (isBack) await enqueueReturned(app, tx, { owner, at }, left);',
    put: '',
    caughtBy: 'server/features/delivery/delivery.halts.test.ts',
  },
  {
    name: 'the return path of a mail names its row',
    file: 'server/features/notifications/channels/email.ts',
    find: 'key: returnKeyOf(row.messageId)',
    put: 'key: returnKeyOf(row.id)',
    caughtBy: 'tests/surface/same-letter.test.ts',
  },
  {
    name: 'a letter that was stopped counts as delivered',
    file: 'server/features/delivery/delivery.repository.ts',
    find: 'and not exists (select 1 from',
    put: 'and true or not exists (select 1 from',
    caughtBy: 'server/features/delivery/delivery.halts.test.ts',
  },
];
