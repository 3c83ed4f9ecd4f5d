import type { App } from '#server/app.ts';
import { messageIdDomainOf, returnKeyOf } from '#server/features/notifications/notifications.messages.ts';
import { type Bounce, findMail, takeBack } from '#server/features/notifications/take-back.ts';
import { receiveMailReply } from '#server/features/release-mail/mail-replies.ts';
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

/** Parts that reading needs. */
export type ReadingParts = {
  returnPaths: ReturnPaths;
  /** Sender of all mail. Its domain ends every Message-ID. */
  mailFrom: string;
  /** The Message-ID, of these, of an accepted mail of ours. */
  findMail: (messageIds: readonly string[]) => Promise<string | null>;
  /** Job that reads a mail, in place of the usual one. */
  job?: ThreadJob;
};

/** Contents of a mail that names one of ours. */
export type ReadMail = { kind: 'reply'; mail: NamedMail } | { kind: 'report'; bounce: Omit<Bounce, 'at'> };

/** A mail of ours that came back. `series` is null if the report names the mail alone. */
type NamedMail = { key: string; series: number | null };

/** Number of Message-IDs in one mail that are looked up. */
const messageIdsMax = 5;
const anyMessageId = /<[\w-]{16,64}@[^\s<>@]{1,255}>/g;
const ownMessageId = /^message-id:\s{0,4}(<[\w-]{16,64}@[^\s<>@]{1,255}>)/gim;

/** Reads one mail that came to the return path, and applies the consequences. A repeat does no harm. */
export async function receiveReturnedMail(app: App, raw: Uint8Array): Promise<Receipt> {
  const { returnPaths, settings } = app;
  const parts = { returnPaths, mailFrom: settings.mail.from, findMail: (ids: readonly string[]) => findMail(app, ids) };
  const read = await readReturnedMail(parts, raw);
  if (typeof read === 'string') return read;
  const at = await app.clock.now();
  if (read.kind === 'reply') return (await receiveMailReply(app, { ...read.mail, at })) ? 'reply' : 'not_ours';
  return (await takeBack(app, { ...read.bounce, at })) ? 'taken_back' : 'no_change';
}

/** Reads one mail. A stranger's mail names none of ours, so it is not parsed and costs one search. */
export async function readReturnedMail(
  parts: ReadingParts,
  raw: Uint8Array,
): Promise<ReadMail | 'not_ours' | 'too_costly'> {
  const head = raw.subarray(0, reportBytesMax);
  const text = Buffer.from(head).toString('latin1');
  const named = await mailsNamedIn(parts, text);
  const [answered] = named.length === 0 ? await mailAnsweredBy(parts, text) : [];
  const report = named.length === 0 && !answered ? null : await readWithinLimits(head, parts.job);
  if (report === 'too_costly') return report;
  if (!report) return 'not_ours';
  const [tagged] = parts.returnPaths.find(report.sentTo.join(' '));
  if (report.kind === 'reply') {
    const mail = tagged ?? answered;
    return mail ? { kind: 'reply', mail } : 'not_ours';
  }
  // The return path that the report was sent to, or one inside the mail that came back.
  const mail = tagged ?? named[0];
  if (!mail) return 'not_ours';
  const { reply, writtenAtMs } = report;
  const isOfMailbox = saysMailboxIsClosed(reply, 'report');
  const isTrouble = !speaksOfMailbox(reply, 'report');
  const { key, series } = mail;
  return { kind: 'report', bounce: { key, series, writtenAtMs, isOfMailbox, isTrouble, replyCode: reply.replyCode } };
}

/** Mails of ours that the bytes name. */
async function mailsNamedIn(parts: ReadingParts, text: string): Promise<NamedMail[]> {
  const tagged = parts.returnPaths.find(text);
  if (tagged.length > 0) return tagged;
  return mailNamed(
    parts,
    [...text.matchAll(ownMessageId)].flatMap(([, id]) => id ?? []),
  );
}

/** An answer names the mail that it answers in its own headers, so the bytes after them are not searched. */
function mailAnsweredBy(parts: ReadingParts, text: string): Promise<NamedMail[]> {
  return mailNamed(parts, text.slice(0, text.search(/\r?\n\r?\n/)).match(anyMessageId) ?? []);
}

/** The accepted mail of ours that one of these Message-IDs names. */
async function mailNamed({ mailFrom, findMail }: ReadingParts, messageIds: readonly string[]): Promise<NamedMail[]> {
  const ending = `@${messageIdDomainOf(mailFrom)}>`.toLowerCase();
  const ours = messageIds.filter((id) => id.toLowerCase().endsWith(ending));
  if (ours.length === 0) return [];
  const found = await findMail([...new Set(ours)].slice(0, messageIdsMax));
  return found === null ? [] : [{ key: returnKeyOf(found), series: null }];
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
