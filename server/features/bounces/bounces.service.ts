import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { saysMailboxIsClosed } from '#server/platform/mail/mail-codes.ts';
import { readReportInThread } from '#server/platform/mail/read-report.ts';
import type { ReturnPaths } from '#server/platform/mail/return-paths.ts';

/**
 * `taken_back`: a mail of ours counts as accepted no more. `no_change`: it is about a mail of ours of which nothing follows any
 * more, such as one that was opened. `not_ours`: anything else, such as somebody's answer, or a report that was made up.
 */
export type Receipt = 'taken_back' | 'no_change' | 'not_ours';

export type BounceReader = {
  /** Reads one mail that came to where mails come back. The same one may come again. */
  receive(raw: Uint8Array): Promise<Receipt>;
};

export function createBounceReader({
  clock,
  notifications,
  returnPaths,
}: {
  clock: Pick<Clock, 'now'>;
  notifications: Pick<Notifications, 'takeBack'>;
  returnPaths: Pick<ReturnPaths, 'read'>;
}): BounceReader {
  return {
    async receive(raw) {
      const report = await readReportInThread(raw);
      const [mail] = report?.sentTo.flatMap((address) => returnPaths.read(address) ?? []) ?? [];
      if (!report || !mail) return 'not_ours';
      const { reply } = report;
      const isTakenBack = await notifications.takeBack({
        key: mail.key,
        attempt: mail.attempt,
        isOfMailbox: saysMailboxIsClosed(reply),
        replyCode: reply.replyCode,
        at: await clock.now(),
      });
      return isTakenBack ? 'taken_back' : 'no_change';
    },
  };
}
