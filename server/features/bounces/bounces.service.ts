import { messageIdDomainOf, returnKeyOf } from '#server/features/notifications/notifications.messages.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ReturnedMail } from '#server/platform/mail/delivery-report.ts';
import { saysMailboxIsClosed, speaksOfMailbox } from '#server/platform/mail/mail-codes.ts';
import { readReportInThread } from '#server/platform/mail/read-report.ts';
import { reportBytesMax } from '#server/platform/mail/report-limits.ts';
import type { ReturnPaths } from '#server/platform/mail/return-paths.ts';
import { JobLimitError } from '#server/platform/threads/pool.ts';
import type { ThreadJob } from '#server/platform/threads/thread-job.ts';

/**
 * `taken_back`: a mail of ours no longer counts as accepted. `no_change`: a mail of ours is meant, and the report has
 * no effect, for example because the mail was opened. `reply`: a person answers a reminder or a question of ours.
 * `not_ours`: any other mail, such as an answer to another mail, or a forged report.
 * `too_costly`: the mail needs more time or memory than a report may have, so a person has to read it.
 */
export type Receipt = 'taken_back' | 'no_change' | 'reply' | 'not_ours' | 'too_costly';

export type BounceReader = {
  /** Reads one mail that came to the return path. A repeat does no harm. */
  receive(raw: Uint8Array): Promise<Receipt>;
};

type BounceReaderDependencies = {
  clock: Pick<Clock, 'now'>;
  notifications: Pick<Notifications, 'takeBack' | 'findMail'>;
  returnPaths: Pick<ReturnPaths, 'find'>;
  /** Handles an email that answers the named mail. False if answers to that mail have no effect. */
  onReply(answered: { key: string; series: number | null; at: Date }): Promise<boolean>;
  /** The sender of all mail; its domain ends every Message-ID. */
  mailFrom: string;
  /** Job that reads a mail, in place of the usual one. */
  job?: ThreadJob;
};

/** A mail of ours that came back. `attempt` is null if the report names the mail alone. */
type NamedMail = { key: string; series: number | null };

/** Number of Message-IDs in one mail that are looked up. */
const messageIdsMax = 5;
const anyMessageId = /<[\w-]{16,64}@[^\s<>@]{1,255}>/g;
const ownMessageId = /^message-id:\s{0,4}(<[\w-]{16,64}@[^\s<>@]{1,255}>)/gim;

export function createBounceReader(deps: BounceReaderDependencies): BounceReader {
  const { clock, notifications, returnPaths, onReply, mailFrom, job } = deps;
  const ending = `@${messageIdDomainOf(mailFrom)}>`.toLowerCase();
  const isOurs = (id: string) => id.toLowerCase().endsWith(ending);

  /** Mails of ours that the bytes name. A mail without any is not parsed, so a stranger's mail costs one search. */
  async function mailsNamedIn(text: string): Promise<NamedMail[]> {
    const tagged = returnPaths.find(text);
    if (tagged.length > 0) return tagged;
    return mailNamed([...text.matchAll(ownMessageId)].flatMap(([, id]) => id ?? []).filter(isOurs));
  }

  async function mailNamed(ids: readonly string[]): Promise<NamedMail[]> {
    if (ids.length === 0) return [];
    const found = await notifications.findMail([...new Set(ids)].slice(0, messageIdsMax));
    return found === null ? [] : [{ key: returnKeyOf(found), series: null }];
  }

  /** An answer names the mail that it answers in its own headers, so the bytes after them are not searched. */
  const mailAnsweredBy = (text: string) =>
    mailNamed((text.slice(0, text.search(/\r?\n\r?\n/)).match(anyMessageId) ?? []).filter(isOurs));

  return {
    async receive(raw) {
      const head = raw.subarray(0, reportBytesMax);
      const text = Buffer.from(head).toString('latin1');
      const named = await mailsNamedIn(text);
      const [answered] = named.length === 0 ? await mailAnsweredBy(text) : [];
      const report = named.length === 0 && !answered ? null : await readWithinLimits(head, job);
      if (report === 'too_costly') return report;
      if (!report) return 'not_ours';
      const [tagged] = returnPaths.find(report.sentTo.join(' '));
      if (report.kind === 'reply') {
        const mail = tagged ?? answered;
        return mail && (await onReply({ ...mail, at: await clock.now() })) ? 'reply' : 'not_ours';
      }
      // The return path that the report was sent to, or one inside the mail that came back.
      const mail = tagged ?? named[0];
      if (!mail) return 'not_ours';
      const { reply, writtenAtMs } = report;
      const isTakenBack = await notifications.takeBack({
        key: mail.key,
        series: mail.series,
        writtenAtMs,
        isOfMailbox: saysMailboxIsClosed(reply, 'report'),
        isTrouble: !speaksOfMailbox(reply, 'report'),
        replyCode: reply.replyCode,
        at: await clock.now(),
      });
      return isTakenBack ? 'taken_back' : 'no_change';
    },
  };
}

async function readWithinLimits(
  head: Uint8Array,
  job: ThreadJob | undefined,
): Promise<ReturnedMail | null | 'too_costly'> {
  try {
    return await readReportInThread(head, job);
  } catch (error) {
    if (error instanceof JobLimitError) return 'too_costly';
    throw error;
  }
}
