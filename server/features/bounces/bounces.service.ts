import { messageIdDomainOf, returnKeyOf } from '#server/features/notifications/notifications.message-id.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import { saysMailboxIsClosed, speaksOfMailbox } from '#server/platform/mail/mail-codes.ts';
import { readReportInThread } from '#server/platform/mail/read-report.ts';
import { reportBytesMax } from '#server/platform/mail/report-limits.ts';
import type { ReturnPaths } from '#server/platform/mail/return-paths.ts';

/**
 * `taken_back`: a mail of ours counts as accepted no more. `no_change`: it is about a mail of ours of which nothing follows any
 * more, such as one that was opened. `reply`: a person answers a reminder or a question of ours. `not_ours`: any other mail, such as an
 * answer to another mail, or a report that was made up.
 */
export type Receipt = 'taken_back' | 'no_change' | 'reply' | 'not_ours';

export type BounceReader = {
  /** Reads one mail that came to where mails come back. The same one may come again. */
  receive(raw: Uint8Array): Promise<Receipt>;
};

type BounceReaderDependencies = {
  clock: Pick<Clock, 'now'>;
  notifications: Pick<Notifications, 'takeBack' | 'findMail'>;
  returnPaths: Pick<ReturnPaths, 'find'>;
  /** Takes an email that answers the mail which is named. False if nothing follows from answers to that mail. */
  onReply(answered: { key: string; attempt: number | null; at: Date }): Promise<boolean>;
  /** The sender of all mail; its domain ends every Message-ID. */
  mailFrom: string;
};

/** A mail of ours that came back. `attempt` is null if the report names the mail alone. */
type NamedMail = { key: string; attempt: number | null };

/** Number of Message-IDs in one mail that are looked up. */
const messageIdsMax = 5;

export function createBounceReader(deps: BounceReaderDependencies): BounceReader {
  const { clock, notifications, returnPaths, onReply, mailFrom } = deps;
  const domain = messageIdDomainOf(mailFrom).replaceAll('.', String.raw`\.`);
  const messageId = `<[\\w-]{16,64}@${domain}>`;
  const ownMessageId = new RegExp(`^message-id:\\s{0,4}(${messageId})`, 'gim');
  const anyMessageId = new RegExp(messageId, 'gi');

  /** Mails of ours that the bytes name. A mail without any is not parsed, so a stranger's mail costs one search. */
  async function mailsNamedIn(text: string): Promise<NamedMail[]> {
    const tagged = returnPaths.find(text);
    if (tagged.length > 0) return tagged;
    return mailNamed([...text.matchAll(ownMessageId)].flatMap(([, id]) => id ?? []));
  }

  async function mailNamed(ids: readonly string[]): Promise<NamedMail[]> {
    if (ids.length === 0) return [];
    const found = await notifications.findMail([...new Set(ids)].slice(0, messageIdsMax));
    return found === null ? [] : [{ key: returnKeyOf(found), attempt: null }];
  }

  /** An answer names the mail that it answers in its own headers, so the bytes after them are not searched. */
  const mailAnsweredBy = (text: string) =>
    mailNamed(text.slice(0, text.search(/\r?\n\r?\n/)).match(anyMessageId) ?? []);

  return {
    async receive(raw) {
      const head = raw.subarray(0, reportBytesMax);
      const text = Buffer.from(head).toString('latin1');
      const named = await mailsNamedIn(text);
      const [answered] = named.length === 0 ? await mailAnsweredBy(text) : [];
      const report = named.length === 0 && !answered ? null : await readReportInThread(head);
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
        attempt: mail.attempt,
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
