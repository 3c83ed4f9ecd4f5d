import type { Database, Executor } from '#server/platform/db/database.ts';
import { lockNotifications, lockUser, type TriedRow } from './attempts.repository.ts';
import { countDayOfMail, findBounced, wasAccepted, writeBounce } from './bounces.repository.ts';
import { bounceCountsMs, isMassBounce, stepAfterBounce } from './bounces.rules.ts';
import type { Ended } from './notifications.record.ts';
import { refusalLimit } from './notifications.retry.rules.ts';

/** What a report says of a mail that had been accepted. */
export type Bounce = {
  /** Key of the mail in its return path, and the try that came back. */
  key: string;
  attempt: number;
  /** It says that the mailbox is closed, and not that we, the message or the way are in trouble. */
  isOfMailbox: boolean;
  replyCode: number | null;
  at: Date;
};

export type BouncedMail = Omit<Bounce, 'key' | 'attempt' | 'replyCode'> & {
  id: string;
  kind: string;
  userId: string | null;
  subjectId: string | null;
  notice: number | null;
};

/**
 * What becomes of the mail: it is tried again, as after a refusal, and ends as after one; nobody waits for it any more; or it
 * stays accepted, since somebody has read it all the same.
 */
export type AfterBounce = 'try_again' | 'give_up' | 'keep';

/** Undoes what rested on the acceptance. */
export type BounceHandler = (tx: Executor, mail: BouncedMail) => Promise<AfterBounce>;

export type Bounces = {
  /** `handler` is asked of mails of this kind, with the owner's row locked, in the transaction that takes the acceptance back. */
  onBounce(kindPrefix: string, handler: BounceHandler): void;
  /**
   * A mail has come back. Where it counts as accepted by that very try, within 14 days, it is from now on as if it had been
   * refused: tried again after a day, or over. Of kinds that nobody has named nothing follows but that it is written down.
   * Says whether anything was; a report that comes again changes nothing.
   */
  takeBack(bounce: Bounce): Promise<boolean>;
  /** Whether one of these very messages counts as accepted. */
  wasAccepted(executor: Executor, dedupeKeys: readonly string[]): Promise<boolean>;
};

const dayMs = 86_400_000;

/** A mailbox of an owner that has given mails back on so many days is closed, as one that refuses as often. */
export const closedMailboxDays = refusalLimit['owner-reminder'];

export function createBounces({
  db,
  settle,
}: {
  db: Database;
  settle: (tx: Executor, ended: readonly Ended[]) => Promise<void>;
}): Bounces {
  const handlers: { kindPrefix: string; handler: BounceHandler }[] = [];

  /** Whether the report speaks of this mailbox: not where so much comes back that it must be about us. */
  async function speaksOfMailbox(tx: Executor, { isOfMailbox, at }: Bounce): Promise<boolean> {
    return isOfMailbox && !isMassBounce(await countDayOfMail(tx, new Date(at.getTime() - dayMs)));
  }

  async function tryAgain(tx: Executor, row: TriedRow, bounce: Bounce): Promise<void> {
    const { at, replyCode, isOfMailbox } = bounce;
    const refusals = refusalsWith(row, bounce);
    const firstDueMs = row.notBefore.getTime();
    const step = stepAfterBounce({ policy: row.policy, isOfMailbox, refusals, firstDueMs, nowMs: at.getTime() });
    const nextAttemptAt = step.status === 'pending' ? new Date(step.nextAttemptMs) : null;
    await writeBounce(tx, row.id, { at, status: step.status, nextAttemptAt, replyCode, refusals });
    if (step.status === 'pending') return;
    await settle(tx, [{ row: { ...row, acceptedAt: null }, outcome: step.status, at, isTrouble: !isOfMailbox }]);
  }

  return {
    onBounce: (kindPrefix, handler) => void handlers.push({ kindPrefix, handler }),
    wasAccepted,

    async takeBack(bounce) {
      return db.transaction(async (tx) => {
        const about = await findBounced(tx, bounce);
        if (!about) return false;
        const handler = handlers.find(({ kindPrefix }) => about.kind.startsWith(kindPrefix))?.handler;
        if (about.userId && handler) await lockUser(tx, about.userId);
        const [row] = await lockNotifications(tx, [about.id]);
        if (!row || !isCounted(row, bounce)) return false;
        const isOfMailbox = await speaksOfMailbox(tx, bounce);
        const { kind, userId, subjectId, notice } = row;
        const refusals = refusalsWith(row, { isOfMailbox });
        const { id } = about;
        const { at, replyCode } = bounce;
        const mail = { id, kind, userId, subjectId, notice, isOfMailbox, at };
        const after = handler ? await handler(tx, mail) : 'give_up';
        if (after === 'keep') return false;
        if (after === 'try_again') await tryAgain(tx, row, { ...bounce, isOfMailbox });
        else await writeBounce(tx, id, { at, status: 'bounced', nextAttemptAt: null, replyCode, refusals });
        return true;
      });
    },
  };
}

/** A report that speaks of the mailbox is a refusal for good. */
function refusalsWith({ refusals }: TriedRow, { isOfMailbox }: Pick<Bounce, 'isOfMailbox'>): number {
  return refusals + (isOfMailbox ? 1 : 0);
}

function isCounted({ status, channel, attempts, acceptedAt }: TriedRow, { attempt, at }: Bounce): boolean {
  if (status !== 'accepted' || channel !== 'email' || attempts !== attempt || !acceptedAt) return false;
  return at.getTime() - acceptedAt.getTime() <= bounceCountsMs;
}
