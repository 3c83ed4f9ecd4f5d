import { dayMs } from '#shared/rules/inactivity.ts';
import { bytesPerMegabyte, plans } from '#shared/rules/plans.ts';
import {
  archiveNoticeDays,
  contentNoticeDays,
  type NoticeKind,
  unverifiedNoticeDays,
} from '#shared/rules/retention.ts';

export const noticeDaysOf: Record<NoticeKind, number> = {
  idle: archiveNoticeDays,
  unverified: unverifiedNoticeDays,
  undelivered: contentNoticeDays,
  delivered: contentNoticeDays,
};

export type NoticeFacts = {
  sentAtMs: number;
  /** Null until the outcome of the mail is known. */
  ended: { atMs: number; healthyMs: number } | null;
};

export type RetentionFacts = {
  kind: NoticeKind;
  /** Time at which the data goes. Null if nothing is due. */
  goesAtMs: number | null;
  /** True if something forbids the removal now. The owner gets no notice then. */
  isBlocked: boolean;
  notice: NoticeFacts | null;
};

export type RetentionStep = 'none' | 'notify' | 'withdraw' | 'remove';

/**
 * Returns the next step for data with a retention period. It goes only after the days of an accepted notice, by the
 * clock and in healthy time. An outage shortens no notice, and a broken mail server removes nothing.
 */
export function retentionStep(facts: RetentionFacts, now: { atMs: number; healthyMs: number }): RetentionStep {
  const { kind, goesAtMs, isBlocked, notice } = facts;
  const noticeMs = noticeDaysOf[kind] * dayMs;
  if (goesAtMs === null || isBlocked || now.atMs < goesAtMs - noticeMs) return notice ? 'withdraw' : 'none';
  if (!notice) return 'notify';
  if (!notice.ended) return 'none';
  const hasNoticeEnded = now.atMs - notice.ended.atMs >= noticeMs && now.healthyMs - notice.ended.healthyMs >= noticeMs;
  return hasNoticeEnded && now.atMs >= goesAtMs ? 'remove' : 'none';
}

export type Standing = {
  /** True from the first reminder of a silence on. */
  isSilent: boolean;
  /** Progress of the open request to contacts and of its release. Null if none is open. */
  request: 'asking' | 'releasing' | 'done' | null;
  readyMessages: number;
  confirmedContacts: number;
};

/** True if an open release can still act. One that is done, or has nothing to send and no contact to ask, blocks nothing. */
export function isReleaseOpen(
  { isSilent, request, readyMessages, confirmedContacts }: Standing,
  owner: { emailVerified: boolean; releaseMethod: string },
): boolean {
  if (request !== null) return request !== 'done';
  return isSilent && couldBeReleased({ readyMessages, confirmedContacts }, owner);
}

/** True if a silence of this owner could lead to a delivery. */
export function couldBeReleased(
  { readyMessages, confirmedContacts }: Pick<Standing, 'readyMessages' | 'confirmedContacts'>,
  { emailVerified, releaseMethod }: { emailVerified: boolean; releaseMethod: string },
): boolean {
  return emailVerified && readyMessages > 0 && (releaseMethod === 'inactivity' || confirmedContacts > 0);
}

export type KeptMessage = { id: string; isReady: boolean; changedAtMs: number };
/** A document, a message's attachment (`id` is the message's), or an enclosure. */
export type KeptFile = {
  id: string;
  of: 'document' | 'message' | 'enclosure';
  sizeBytes: number;
  changedAtMs: number;
} & {
  /** Message with which the file is deleted. Null for a document. */
  messageId: string | null;
};

/**
 * Returns the messages and files over the limits of the free plan. Drafts go before ready messages, and the oldest
 * changes go first.
 */
export function surplus(messages: readonly KeptMessage[], files: readonly KeptFile[]) {
  const { messageLimit, storageLimitMb } = plans.free;
  const byWorth = messages.toSorted(
    (one, other) => Number(other.isReady) - Number(one.isReady) || other.changedAtMs - one.changedAtMs,
  );
  const goingMessages = byWorth.slice(messageLimit).map(({ id }) => id);
  const goesWithMessage = ({ messageId }: KeptFile) => messageId !== null && goingMessages.includes(messageId);
  let leftBytes = storageLimitMb * bytesPerMegabyte;
  const goingFiles: KeptFile[] = [];
  for (const file of files.toSorted((one, other) => other.changedAtMs - one.changedAtMs)) {
    if (goesWithMessage(file)) continue;
    if (file.sizeBytes <= leftBytes) leftBytes -= file.sizeBytes;
    else goingFiles.push(file);
  }
  return { messages: goingMessages, files: goingFiles };
}
