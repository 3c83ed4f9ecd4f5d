import type { App } from '#server/app.ts';
import type { MailKind } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { lockNotification, lockUser, type TriedRow } from './attempts.repository.ts';
import { findAcceptedMail, findBounced, writeBounce } from './bounces.repository.ts';
import { bounceCountsMs, seriesOf, stepAfterBounce } from './bounces.rules.ts';
import { mailReactionsOf, reactToEnd } from './mail-reactions.ts';
import { tellOfMailTrouble } from './refusals/mail-trouble.ts';
import { restoreRefusal, weighRefusal } from './refusals/mailbox-refusals.ts';

export { isMailboxClosed } from './bounces.rules.ts';

/** Difference between our clock and another server's that a report may show. */
const clocksDifferMs = 60 * 60_000;

/** Contents of a report about an accepted mail. */
export type Bounce = {
  /** Key of the mail in its return path, and the series of tries that came back. Null if the report names the mail alone. */
  key: string;
  series: number | null;
  /** Time at which the report was written, in milliseconds. Null if unknown. */
  writtenAtMs: number | null;
  /** The report says that the mailbox is closed. */
  isOfMailbox: boolean;
  /**
   * True if the report is not about the mailbox, neither closed nor full: our side, the message or the transport is in
   * trouble.
   */
  isTrouble: boolean;
  replyCode: number | null;
  at: Date;
};

/** A bounce after it was weighed against other mail. */
type Weighed = Bounce & { refusals: number; isRefusal: boolean };

/** The Message-ID, of these, of an accepted mail of ours. Null if there is none. */
export function findMail({ db }: App, messageIds: readonly string[]): Promise<string | null> {
  return findAcceptedMail(db, messageIds);
}

/**
 * Handles a bounced mail. If it counts as accepted by that series of tries, within 14 days, it now counts as refused:
 * tried again after a day, or ended. Kinds without a reaction are only recorded. Returns true if a row changed. A
 * repeated report changes nothing.
 */
export async function takeBack(app: App, bounce: Bounce): Promise<boolean> {
  return app.db.transaction(async (tx) => {
    const about = await findBounced(tx, bounce);
    if (!about) return false;
    if (about.userId) await lockUser(tx, about.userId);
    const row = await lockNotification(tx, about.id);
    if (!row || !isCounted(row, bounce)) return false;
    const weighed = await weigh(tx, row, bounce);
    const { id, kind, userId, subjectId, notice } = row;
    const { at, replyCode, refusals, isOfMailbox, isTrouble, isRefusal } = weighed;
    const mail = { id, kind: kind as MailKind, userId, subjectId, notice, isOfMailbox, isTrouble, isRefusal, at };
    const reaction = mailReactionsOf(app).bounced.find(({ kindPrefix }) => kind.startsWith(kindPrefix));
    const after = reaction ? await reaction.react(tx, mail) : 'give_up';
    if (after === 'keep') {
      await restoreRefusal(tx, row);
      return false;
    }
    if (after === 'try_again') await tryAgain(app, tx, row, weighed);
    else {
      const troubledAt = isTrouble ? at : undefined;
      await writeBounce(tx, id, { at, status: 'bounced', nextAttemptAt: null, replyCode, refusals, troubledAt });
    }
    if (isTrouble) await tellOfMailTrouble(app, tx, at);
    return true;
  });
}

async function weigh(tx: Executor, row: TriedRow, bounce: Bounce): Promise<Weighed> {
  const weight = bounce.isOfMailbox ? await weighRefusal(tx, row, { at: bounce.at, isReport: true }) : null;
  const isOfMailbox = weight === 'counts';
  return {
    ...bounce,
    isOfMailbox,
    isRefusal: weight === 'counts' || weight === 'open',
    isTrouble: weight === 'mass' || (weight === null && bounce.isTrouble),
    refusals: row.refusals + (isOfMailbox ? 1 : 0),
  };
}

async function tryAgain(app: App, tx: Executor, row: TriedRow, bounce: Weighed): Promise<void> {
  const { at, replyCode, isOfMailbox, isTrouble, refusals } = bounce;
  const firstDueMs = row.notBefore.getTime();
  const step = stepAfterBounce({ policy: row.policy, isOfMailbox, refusals, firstDueMs, nowMs: at.getTime() });
  const nextAttemptAt = step.status === 'pending' ? new Date(step.nextAttemptMs) : null;
  const troubledAt = isTrouble ? at : undefined;
  await writeBounce(tx, row.id, { at, status: step.status, nextAttemptAt, replyCode, refusals, troubledAt });
  if (step.status === 'pending') return;
  await reactToEnd(app, tx, { row: { ...row, acceptedAt: null }, outcome: step.status, at, isTrouble });
}

function isCounted({ status, channel, acceptedAt, bouncedAt }: TriedRow, bounce: Bounce): boolean {
  const { series, writtenAtMs, at } = bounce;
  if (status !== 'accepted' || channel !== 'email' || !acceptedAt) return false;
  // A report that names the mail alone may be of an earlier try, so it must be younger than this acceptance.
  const isOfThisSeries =
    series === null
      ? bouncedAt === null || (writtenAtMs !== null && writtenAtMs >= acceptedAt.getTime() - clocksDifferMs)
      : series === seriesOf(bouncedAt?.getTime() ?? null);
  return isOfThisSeries && at.getTime() - acceptedAt.getTime() <= bounceCountsMs;
}
