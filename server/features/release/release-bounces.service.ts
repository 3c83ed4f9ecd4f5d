import type { AfterBounce, BouncedMail } from '#server/features/notifications/bounces.service.ts';
import { isMailboxClosed } from '#server/features/notifications/bounces.service.ts';
import type { Notice } from '#server/features/release-core/model.rules.ts';
import { dayOf } from '#server/features/release-health/health.service.ts';
import { lateBounceEmail } from '#server/features/release-health/operator.emails.ts';
import type { Deed } from '#server/features/release-state/deed.ts';
import { bouncedDaysOf, reportsOfMailbox } from '#server/features/release-state/release.repository.ts';
import type { Situation } from '#server/features/release-state/release.store.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { Process } from './release.process.ts';

/** What is told by these mails is what a release rests on. */
const awaited: ReadonlySet<string> = new Set(['first_reminder', 'last_reminder', 'asked', 'wait', 'question']);

/** What had been told by a mail that came back was not told: no step rests on it any more, in the transaction that records it. */
export function subscribeToBounces(deps: ReleaseDependencies, process: Process): void {
  const { notifications, baseUrl, adminEmail } = deps;

  /** Nothing is undone any more; but somebody has to know on what these letters left. */
  async function tellOperator(tx: Executor, { owner, rows }: Situation, at: Date): Promise<void> {
    if (!adminEmail || !rows.request) return;
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: 'operator.late-bounce',
      userId: owner.id,
      subjectId: rows.request.id,
      dedupeKey: `operator-late-bounce:${rows.request.id}`,
      at,
      to: { address: adminEmail },
      mail: lateBounceEmail({ account: owner.email, baseUrl }),
    });
  }

  /** True if the owner's mailbox is closed, so that this notice was tried in vain. */
  async function isClosed(tx: Executor, situation: Situation, told: Notice, mail: BouncedMail): Promise<boolean> {
    if (told.to !== 'owner' || mail.isTrouble) return false;
    const { owner, world, reading } = situation;
    const alike = world.notices.filter(({ to, topic }) => to === told.to && topic === told.topic);
    const ids = alike.map(({ id }) => id);
    const counted = mail.isOfMailbox ? [...(await bouncedDaysOf(tx, owner.id, ids)), dayOf(mail.at)] : [];
    const { tries, sinceHealthyMs } = await reportsOfMailbox(tx, mail.id);
    const sinceMs = Math.min(sinceHealthyMs ?? Number.POSITIVE_INFINITY, told.written.healthyMs);
    const healthyMs = reading.healthyMs - sinceMs;
    return isMailboxClosed({ countedDays: new Set(counted).size, tries: tries + 1, healthyMs });
  }

  async function handle(tx: Executor, mail: BouncedMail): Promise<AfterBounce> {
    const { userId, notice, at } = mail;
    if (userId === null || notice === null) return 'give_up';
    const situation = await process.read(tx, userId, at, { notice });
    const told = situation?.world.notices.find(({ id }) => id === notice);
    if (!situation || !told) return 'give_up';
    // Whoever has answered by its link has read it.
    const request = situation.world.request ?? situation.world.release?.request;
    if (request?.answers.some((answer) => answer.notice === notice)) return 'keep';
    const isWithoutIt = told.outcomes.text?.kind !== 'accepted';
    if (situation.world.release && awaited.has(told.topic) && isWithoutIt) await tellOperator(tx, situation, at);
    const of = { notice, channel: 'email' as const };
    const isInVain = await isClosed(tx, situation, told, mail);
    const command: Deed['command'] = isInVain
      ? { kind: 'notice_ended', ...of, outcome: 'tried' }
      : { kind: 'notice_bounced', ...of };
    // The core writes what has to be told again as a notice of its own.
    await process.act(tx, situation, at, { command });
    return 'give_up';
  }

  notifications.onBounce('release.', handle);
}
