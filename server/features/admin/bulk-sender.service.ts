import { newToken } from '#server/platform/crypto/token.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { unsubscribeHeaders } from '#server/platform/mail/unsubscribe.ts';
import { openNewsPage } from '#shared/contract/news.ts';
import { newsEmail } from './admin.emails.ts';
import {
  type BulkEmailRow,
  countTaken,
  endServed,
  leaveWaiting,
  lockOldestWaiting,
  storeOutcome,
  takeWaiting,
} from './bulk-emails.repository.ts';
import { type BulkEmailsDependencies, openWords } from './bulk-emails.service.ts';
import { minuteMs, peopleNow, watchedMs } from './bulk-pace.rules.ts';

export type BulkSender = {
  /**
   * Writes to a few people who wait for news, never more in a minute than the pace allows. Gives how many.
   *
   * @throws AggregateError once all were tried, where some could not be written to.
   */
  sendSome(): Promise<number>;
};

/** Whoever took somebody on and did not write to them within this time has ended in between. */
const lostAfterMs = 5 * minuteMs;

type Work = { bulk: BulkEmailRow; people: string[]; at: Date };

/** Sends news: a mail a person, in a transaction a person, slowly, and not at all while mail does not get through. */
export function createBulkSender(deps: Omit<BulkEmailsDependencies, 'administration' | 'queue'>): BulkSender {
  const { db, clock, serviceKeys, accounts, notifications, baseUrl } = deps;

  notifications.onOutcome('admin.bulk-email', async (tx, { subjectId, userId, outcome }) => {
    if (!subjectId || !userId) return;
    await storeOutcome(tx, { bulkEmailId: subjectId, userId, state: outcome === 'accepted' ? 'sent' : 'failed' });
  });

  /** The pace is reserved under the lock of the bulk email, so that no number of workers exceeds it together. */
  function takeOn(): Promise<Work | null> {
    return db.transaction(async (tx) => {
      const bulk = await lockOldestWaiting(tx);
      if (!bulk) return null;
      const at = await clock.now(tx);
      const before = (ms: number) => new Date(at.getTime() - ms);
      const taken = await countTaken(tx, { since: before(watchedMs), lately: before(minuteMs) });
      const limit = peopleNow(taken);
      if (limit === 0) return null;
      const lostBefore = before(lostAfterMs);
      return { bulk, at, people: await takeWaiting(tx, { bulkEmailId: bulk.id, at, lostBefore, limit }) };
    });
  }

  async function writeTo(tx: Executor, { bulk, at }: Work, userId: string): Promise<void> {
    const owner = await accounts.lockOwner(tx, userId);
    if (!owner) return;
    const token = newToken();
    const wantsNews = owner.emailVerified && owner.newsStoppedAt === null && owner.deletionRequestedAt === null;
    const person = { bulkEmailId: bulk.id, userId, linkHash: wantsNews ? serviceKeys.hashToken(token) : null };
    const isWaiting = await leaveWaiting(tx, { ...person, state: wantsNews ? 'queued' : 'left_out' });
    if (!isWaiting || !wantsNews) return;
    const mail = newsEmail({
      ...openWords(serviceKeys, bulk.id, bulk.payload),
      firstName: owner.firstName,
      pageUrl: `${baseUrl}/news/${token}`,
      baseUrl,
    });
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: 'admin.bulk-email',
      userId,
      subjectId: bulk.id,
      dedupeKey: `admin.bulk-email:${bulk.id}:${userId}`,
      at,
      to: { address: owner.email },
      mail: { ...mail, headers: unsubscribeHeaders(`${baseUrl}${openNewsPage.path.replace(':token', token)}`) },
    });
  }

  /** Whoever could not be written to waits, and is taken on again; the others need not wait with them. Gives what went wrong. */
  async function writeToEach(work: Work): Promise<unknown[]> {
    const failures: unknown[] = [];
    for (const userId of work.people) {
      await db.transaction((tx) => writeTo(tx, work, userId)).catch((error: unknown) => failures.push(error));
    }
    return failures;
  }

  return {
    async sendSome() {
      const work = await takeOn();
      const failures = work ? await writeToEach(work) : [];
      await endServed(db, await clock.now());
      if (failures.length > 0)
        throw new AggregateError(
          failures,
          `${failures.length} of ${work?.people.length} people could not be written to.`,
        );
      return work?.people.length ?? 0;
    },
  };
}
