import { restoreRefusal, weighRefusal } from '#server/features/mail-refusals/mailbox-refusals.service.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { lockNotification, lockUser, type TriedRow } from './attempts.repository.ts';
import { findAcceptedMail, findBounced, wasAccepted, writeBounce } from './bounces.repository.ts';
import { bounceCountsMs, seriesOf, stepAfterBounce } from './bounces.rules.ts';
import type { Ended } from './notifications.record.ts';
import { createMailReplies, type MailReplies } from './replies/mail-replies.service.ts';

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

export type BouncedMail = Pick<Bounce, 'isTrouble' | 'at'> & {
  id: string;
  /** The report counts as one of the three refusals that close a mailbox. */
  isOfMailbox: boolean;
  /** The report speaks of the mailbox, whether or not it counts yet. */
  isRefusal: boolean;
  kind: string;
  userId: string | null;
  subjectId: string | null;
  notice: number | null;
};

/**
 * Effect of a bounce on the mail.
 * - `try_again`: tried again and ended as after a refusal.
 * - `give_up`: obsolete, so never tried again.
 * - `keep`: still accepted, because it was read.
 */
export type AfterBounce = 'try_again' | 'give_up' | 'keep';

/** Undoes steps that depend on the acceptance. */
export type BounceHandler = (tx: Executor, mail: BouncedMail) => Promise<AfterBounce>;

export type Bounces = MailReplies & {
  /** `handler` is asked of mails of this kind, with the owner's row locked, in the transaction that takes the acceptance back. */
  onBounce(kindPrefix: string, handler: BounceHandler): void;
  /**
   * Handles a bounced mail. If it counts as accepted by that series of tries, within 14 days, it now counts as refused:
   * tried again after a day, or ended. Kinds without a handler are only recorded. Returns true if a row changed. A
   * repeated report changes nothing.
   */
  takeBack(bounce: Bounce): Promise<boolean>;
  /** The Message-ID, of these, of an accepted mail of ours. Null if there is none. */
  findMail(messageIds: readonly string[]): Promise<string | null>;
  /** True if one of these messages counts as accepted. */
  wasAccepted(executor: Executor, dedupeKeys: readonly string[]): Promise<boolean>;
};

type BounceDependencies = {
  db: Database;
  serviceKeys: ServiceKeys;
  settle: (tx: Executor, ended: Ended) => Promise<void>;
  tellOfTrouble: (tx: Executor, at: Date) => Promise<void>;
};

/** A bounce after it was weighed against other mail. */
type Weighed = Bounce & { refusals: number; isRefusal: boolean };

export function createBounces({ db, serviceKeys, settle, tellOfTrouble }: BounceDependencies): Bounces {
  const handlers: { kindPrefix: string; handler: BounceHandler }[] = [];

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

  async function tryAgain(tx: Executor, row: TriedRow, bounce: Weighed): Promise<void> {
    const { at, replyCode, isOfMailbox, isTrouble, refusals } = bounce;
    const firstDueMs = row.notBefore.getTime();
    const step = stepAfterBounce({ policy: row.policy, isOfMailbox, refusals, firstDueMs, nowMs: at.getTime() });
    const nextAttemptAt = step.status === 'pending' ? new Date(step.nextAttemptMs) : null;
    const troubledAt = isTrouble ? at : undefined;
    await writeBounce(tx, row.id, { at, status: step.status, nextAttemptAt, replyCode, refusals, troubledAt });
    if (step.status === 'pending') return;
    await settle(tx, { row: { ...row, acceptedAt: null }, outcome: step.status, at, isTrouble });
  }

  return {
    ...createMailReplies(serviceKeys),
    onBounce: (kindPrefix, handler) => void handlers.push({ kindPrefix, handler }),
    wasAccepted,
    findMail: (messageIds) => findAcceptedMail(db, messageIds),

    async takeBack(bounce) {
      return db.transaction(async (tx) => {
        const about = await findBounced(tx, bounce);
        if (!about) return false;
        const handler = handlers.find(({ kindPrefix }) => about.kind.startsWith(kindPrefix))?.handler;
        if (about.userId) await lockUser(tx, about.userId);
        const row = await lockNotification(tx, about.id);
        if (!row || !isCounted(row, bounce)) return false;
        const weighed = await weigh(tx, row, bounce);
        const { kind, userId, subjectId, notice } = row;
        const { id } = about;
        const { at, replyCode, refusals, isOfMailbox, isTrouble, isRefusal } = weighed;
        const mail = { id, kind, userId, subjectId, notice, isOfMailbox, isTrouble, isRefusal, at };
        const after = handler ? await handler(tx, mail) : 'give_up';
        if (after === 'keep') {
          await restoreRefusal(tx, row);
          return false;
        }
        if (after === 'try_again') await tryAgain(tx, row, weighed);
        else {
          const troubledAt = isTrouble ? at : undefined;
          await writeBounce(tx, id, { at, status: 'bounced', nextAttemptAt: null, replyCode, refusals, troubledAt });
        }
        if (isTrouble) await tellOfTrouble(tx, at);
        return true;
      });
    },
  };
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
