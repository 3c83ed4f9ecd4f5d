import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type NamedReader, readyChangesEmail } from './ready-changes.emails.ts';
import {
  type DueEnd,
  findDueSince,
  listBrowsers,
  listDueReadyChanges,
  listNewReaders,
  storeTold,
  tallyReadyChanges,
} from './ready-changes.repository.ts';

/** `readRecipients` of messages, which stand above this feature. */
type ReadersOf = (app: App, tx: Executor, userId: string, ids: readonly string[]) => Promise<NamedReader[]>;

const ownersAtOnce = 100;
/** The daily task starts once in 24 hours, but may reach an owner earlier than the day before. */
const hoursBetweenEmails = 20;
const hourMs = 3_600_000;
const namedReadersMax = 20;
const namedBrowsersMax = 5;

/**
 * Queues one email for each owner whose ready messages changed, so that a stranger at an open session is noticed. It reads a
 * page of owners at a time. Returns their number. @throws AggregateError of the owners that failed.
 */
export async function sendDueReadyChanges(app: App, readersOf: ReadersOf): Promise<number> {
  const { db, clock } = app;
  const toldBefore = new Date((await clock.now()).getTime() - hoursBetweenEmails * hourMs);
  const failed: unknown[] = [];
  let sent = 0;
  for (let after: DueEnd | null = null; ; ) {
    const page: DueEnd[] = await listDueReadyChanges(db, { toldBefore, after, limit: ownersAtOnce });
    for (const { userId } of page) {
      // The failure of one owner does not affect the others.
      const isSent = await db
        .transaction((tx) => send(app, tx, { userId, toldBefore, readersOf }))
        .catch((error: unknown) => void failed.push(error));
      if (isSent) sent += 1;
    }
    after = page.at(-1) ?? null;
    if (page.length < ownersAtOnce) break;
  }
  if (failed.length > 0) throw new AggregateError(failed, `${failed.length} owners could not be emailed.`);
  return sent;
}

async function send(
  app: App,
  tx: Executor,
  { userId, toldBefore, readersOf }: { userId: string; toldBefore: Date; readersOf: ReadersOf },
): Promise<boolean> {
  const owner = await lockOwnerRow(tx, userId);
  const since = await findDueSince(tx, userId, { toldBefore });
  if (!owner?.emailVerified || owner.deletionRequestedAt || !since) return false;
  const at = await app.clock.now(tx);
  await storeTold(tx, userId, at);
  const window = { userId, since };
  const tallies = await tallyReadyChanges(tx, window);
  // The audit log of an imported or restored account may lack the rows.
  if (tallies.length === 0) return false;
  const added = await listNewReaders(tx, window, namedReadersMax);
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'messages.ready-changes',
    userId,
    subjectId: userId,
    dedupeKey: `messages.ready-changes:${userId}:${at.toISOString()}`,
    at,
    to: { address: owner.email },
    mail: readyChangesEmail({
      firstName: owner.firstName,
      tallies,
      readers: added.ids.length > 0 ? await readersOf(app, tx, userId, added.ids) : [],
      readersCount: added.count,
      browsers: await listBrowsers(tx, window, namedBrowsersMax),
      baseUrl: app.baseUrl,
    }),
  });
  return true;
}
