import type { App } from '#server/app.ts';
import { enqueueToOperator } from '#server/features/notifications/enqueue.ts';
import type { AfterBounce, BouncedMail } from '#server/features/notifications/mail-reactions.ts';
import { isMailboxClosed } from '#server/features/notifications/take-back.ts';
import type { Notice } from '#server/features/release-core/model.rules.ts';
import { dayOf } from '#server/features/release-health/health.ts';
import { lateBounceEmail } from '#server/features/release-health/operator.emails.ts';
import type { CommandContext } from '#server/features/release-state/command-context.ts';
import { bouncedDaysOf, reportsOfMailbox } from '#server/features/release-state/release.repository.ts';
import { type LoadedWorld, lockWorld } from '#server/features/release-state/release.store.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { runCommand } from './release.ts';

/** Topics of mails that a release depends on. */
const awaited: ReadonlySet<string> = new Set(['first_reminder', 'last_reminder', 'asked', 'wait', 'question']);

/**
 * Undoes steps that depend on a mail that bounced, in the transaction that records the bounce. Its notice no longer
 * counts as accepted.
 */
export async function undoBouncedNotice(app: App, tx: Executor, mail: BouncedMail): Promise<AfterBounce> {
  const { userId, notice, at } = mail;
  if (userId === null || notice === null) return 'give_up';
  const loaded = await lockWorld(app, tx, { userId, at, notice });
  const told = loaded?.world.notices.find(({ id }) => id === notice);
  if (!loaded || !told) return 'give_up';
  // A contact who has answered by its link has read it.
  const request = loaded.world.request ?? loaded.world.release?.request;
  if (request?.answers.some((answer) => answer.notice === notice)) return 'keep';
  const isWithoutIt = told.outcomes.text?.kind !== 'accepted';
  if (loaded.world.release && awaited.has(told.topic) && isWithoutIt) await notifyOperator(app, tx, loaded, at);
  const of = { notice, channel: 'email' as const };
  const command: CommandContext['command'] = (await isClosed(tx, loaded, told, mail))
    ? { kind: 'notice_ended', ...of, outcome: 'tried' }
    : { kind: 'notice_bounced', ...of };
  // The core writes the new notice itself.
  await runCommand(app, tx, loaded, { at, command });
  return 'give_up';
}

/** Nothing is undone any more, but the operator must know the basis on which these letters left. */
async function notifyOperator(app: App, tx: Executor, { owner, rows }: LoadedWorld, at: Date): Promise<void> {
  if (!rows.request) return;
  await enqueueToOperator(app, tx, {
    kind: 'operator.late-bounce',
    userId: owner.id,
    subjectId: rows.request.id,
    dedupeKey: `operator-late-bounce:${rows.request.id}`,
    at,
    mail: lateBounceEmail({ account: owner.email, baseUrl: app.baseUrl }),
  });
}

/** True if the owner's mailbox is closed, so that this notice counts as tried. */
async function isClosed(tx: Executor, loaded: LoadedWorld, told: Notice, mail: BouncedMail): Promise<boolean> {
  if (told.to !== 'owner' || mail.isTrouble) return false;
  const { owner, world, reading } = loaded;
  const alike = world.notices.filter(({ to, topic }) => to === told.to && topic === told.topic);
  const ids = alike.map(({ id }) => id);
  const counted = mail.isOfMailbox ? [...(await bouncedDaysOf(tx, owner.id, ids)), dayOf(mail.at)] : [];
  const { tries, sinceHealthyMs } = await reportsOfMailbox(tx, mail.id);
  const sinceMs = Math.min(sinceHealthyMs ?? Number.POSITIVE_INFINITY, told.written.healthyMs);
  const healthyMs = reading.healthyMs - sinceMs;
  return isMailboxClosed({ countedDays: new Set(counted).size, tries: tries + 1, healthyMs });
}
