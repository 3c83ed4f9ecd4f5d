import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import type { NotificationOutcome } from '#server/features/notifications/mail-reactions.ts';
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
import { openWords } from './bulk-emails.ts';
import { minuteMs, peopleNow, watchedMs } from './bulk-pace.rules.ts';

/** A worker that took a person and sent no mail within this time has ended. */
const lostAfterMs = 5 * minuteMs;

type Work = { bulk: BulkEmailRow; people: string[]; at: Date };

/**
 * Emails a few people who wait for news, at most as many in a minute as the pace allows. Returns how many.
 *
 * @throws AggregateError after it tried all of them, if some could not be emailed.
 */
export async function sendSomeNews(app: App): Promise<number> {
  const work = await takeOn(app);
  const failures = work ? await writeToEach(app, work) : [];
  await endServed(app.db, await app.clock.now());
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} of ${work?.people.length} people could not be written to.`);
  return work?.people.length ?? 0;
}

/** Reserves the pace under the lock of the bulk email, so that several workers together do not exceed it. */
function takeOn(app: App): Promise<Work | null> {
  return app.db.transaction(async (tx) => {
    const bulk = await lockOldestWaiting(tx);
    if (!bulk) return null;
    const at = await app.clock.now(tx);
    const before = (ms: number) => new Date(at.getTime() - ms);
    const taken = await countTaken(tx, { since: before(watchedMs), lately: before(minuteMs) });
    const limit = peopleNow(taken);
    if (limit === 0) return null;
    const lostBefore = before(lostAfterMs);
    return { bulk, at, people: await takeWaiting(tx, { bulkEmailId: bulk.id, at, lostBefore, limit }) };
  });
}

async function writeTo(app: App, tx: Executor, { bulk, at }: Work, userId: string): Promise<void> {
  const owner = await lockOwnerRow(tx, userId);
  if (!owner) return;
  const token = newToken();
  const wantsNews = owner.emailVerified && owner.newsStoppedAt === null && owner.deletionRequestedAt === null;
  const person = { bulkEmailId: bulk.id, userId, linkHash: wantsNews ? app.serviceKeys.hashToken(token) : null };
  const isWaiting = await leaveWaiting(tx, { ...person, state: wantsNews ? 'queued' : 'left_out' });
  if (!isWaiting || !wantsNews) return;
  const mail = newsEmail({
    ...openWords(app, bulk.id, bulk.payload),
    firstName: owner.firstName,
    pageUrl: `${app.baseUrl}/news/${token}`,
    baseUrl: app.baseUrl,
  });
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'admin.bulk-email',
    userId,
    subjectId: bulk.id,
    dedupeKey: `admin.bulk-email:${bulk.id}:${userId}`,
    at,
    to: { address: owner.email },
    mail: { ...mail, headers: unsubscribeHeaders(`${app.baseUrl}${openNewsPage.path.replace(':token', token)}`) },
  });
}

/** Emails each person. A person whose mail failed waits and is taken again. Returns the failures. */
async function writeToEach(app: App, work: Work): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (const userId of work.people) {
    await app.db.transaction((tx) => writeTo(app, tx, work, userId)).catch((error: unknown) => failures.push(error));
  }
  return failures;
}

/** Stores the outcome of a mail with news. Runs in the transaction that records the outcome. */
export async function noteNewsOutcome(
  tx: Executor,
  { subjectId, userId, outcome }: NotificationOutcome,
): Promise<void> {
  if (!subjectId || !userId) return;
  await storeOutcome(tx, { bulkEmailId: subjectId, userId, state: outcome === 'accepted' ? 'sent' : 'failed' });
}
