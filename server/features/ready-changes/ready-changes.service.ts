import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { type NamedReader, readyChangesEmail } from './ready-changes.emails.ts';
import {
  type DueEnd,
  findDueSince,
  listBrowsers,
  listDueReadyChanges,
  listNewReaders,
  markReadyChange,
  storeTold,
  tallyReadyChanges,
} from './ready-changes.repository.ts';

/** Records that a ready message changed, for the daily email. The audit log holds the change itself. Call it under the owner's lock. */
export const noteReadyChange: (tx: Executor, userId: string, at: Date) => Promise<void> = markReadyChange;

export type ReadyChanges = {
  /** Queues one email for each owner whose ready messages changed, a page of owners at a time. Returns their number. */
  sendDue(): Promise<number>;
};

export type ReadyChangesDependencies = {
  db: Database;
  clock: Clock;
  accounts: Pick<Accounts, 'lockOwner'>;
  notifications: Pick<Notifications, 'enqueue'>;
  /** Opens recipients of the owner's undelivered messages by their ids. Ids that are gone or damaged are left out. */
  readersOf: (tx: Executor, userId: string, ids: readonly string[]) => Promise<NamedReader[]>;
  baseUrl: string;
};

const mailKind = 'messages.ready-changes';
const ownersAtOnce = 100;
/** The daily round starts once in 24 hours, but may reach an owner earlier than the day before. */
const hoursBetweenEmails = 20;
const hourMs = 3_600_000;
const namedReadersMax = 20;
const namedBrowsersMax = 5;

/** Emails owners once a day what changed in their ready messages, so that a stranger at an open session is noticed. */
export function createReadyChanges(dependencies: ReadyChangesDependencies): ReadyChanges {
  const { db, clock, accounts, notifications, readersOf, baseUrl } = dependencies;

  async function send(tx: Executor, userId: string, toldBefore: Date): Promise<boolean> {
    const owner = await accounts.lockOwner(tx, userId);
    const since = await findDueSince(tx, userId, { toldBefore });
    if (!owner?.emailVerified || owner.deletionRequestedAt || !since) return false;
    const at = await clock.now(tx);
    await storeTold(tx, userId, at);
    const window = { userId, since };
    const tallies = await tallyReadyChanges(tx, window);
    // The audit log of an imported or restored account may lack the rows.
    if (tallies.length === 0) return false;
    const added = await listNewReaders(tx, window, namedReadersMax);
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: mailKind,
      userId,
      subjectId: userId,
      dedupeKey: `${mailKind}:${userId}:${at.toISOString()}`,
      at,
      to: { address: owner.email },
      mail: readyChangesEmail({
        firstName: owner.firstName,
        tallies,
        readers: added.ids.length > 0 ? await readersOf(tx, userId, added.ids) : [],
        readersCount: added.count,
        browsers: await listBrowsers(tx, window, namedBrowsersMax),
        baseUrl,
      }),
    });
    return true;
  }

  return {
    async sendDue() {
      const toldBefore = new Date((await clock.now()).getTime() - hoursBetweenEmails * hourMs);
      const failed: unknown[] = [];
      let sent = 0;
      for (let after: DueEnd | null = null; ; ) {
        const page: DueEnd[] = await listDueReadyChanges(db, { toldBefore, after, limit: ownersAtOnce });
        for (const { userId } of page) {
          // The failure of one owner does not affect the others.
          const isSent = await db
            .transaction((tx) => send(tx, userId, toldBefore))
            .catch((error: unknown) => void failed.push(error));
          if (isSent) sent += 1;
        }
        after = page.at(-1) ?? null;
        if (page.length < ownersAtOnce) break;
      }
      if (failed.length > 0) throw new AggregateError(failed, `${failed.length} owners could not be emailed.`);
      return sent;
    },
  };
}
