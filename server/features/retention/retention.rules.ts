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
  /** Null while the mail is on its way. */
  ended: { atMs: number; healthyMs: number } | null;
};

export type RetentionFacts = {
  kind: NoticeKind;
  /** When its time is over; null where there is nothing that could go. */
  goesAtMs: number | null;
  /** Something forbids that it goes, whatever the time: nobody is told either. */
  isHeld: boolean;
  notice: NoticeFacts | null;
};

export type RetentionStep = 'none' | 'notify' | 'withdraw' | 'remove';

/**
 * What happens next to something that is kept for a time. Nothing goes before its owner was told, the mail accepted,
 * and the days of the notice are over by the clock and in healthy time: an outage shortens them for nobody, and a
 * broken mail server removes nothing.
 */
export function retentionStep(facts: RetentionFacts, now: { atMs: number; healthyMs: number }): RetentionStep {
  const { kind, goesAtMs, isHeld, notice } = facts;
  const noticeMs = noticeDaysOf[kind] * dayMs;
  if (goesAtMs === null || isHeld || now.atMs < goesAtMs - noticeMs) return notice ? 'withdraw' : 'none';
  if (!notice) return 'notify';
  if (!notice.ended) return 'none';
  const isHeard = now.atMs - notice.ended.atMs >= noticeMs && now.healthyMs - notice.ended.healthyMs >= noticeMs;
  return isHeard && now.atMs >= goesAtMs ? 'remove' : 'none';
}

export type Standing = {
  /** Whether their time without a sign of life has been told of. */
  isSilent: boolean;
  /** How far the open request to contacts has come, and the release that it leads to; null where there is none. */
  request: 'asking' | 'releasing' | 'done' | null;
  readyMessages: number;
  confirmedContacts: number;
};

/**
 * Whether a release is open that can still do something. One that cannot go on, because there is nothing to send or
 * nobody to ask, and one that is done, hold nothing back.
 */
export function isReleaseOpen(
  { isSilent, request, readyMessages, confirmedContacts }: Standing,
  owner: { emailVerified: boolean; releaseMethod: string },
): boolean {
  if (request !== null) return request !== 'done';
  return isSilent && couldBeReleased({ readyMessages, confirmedContacts }, owner);
}

/** Whether silence alone could lead to letters of this owner being delivered. */
export function couldBeReleased(
  { readyMessages, confirmedContacts }: Pick<Standing, 'readyMessages' | 'confirmedContacts'>,
  { emailVerified, releaseMethod }: { emailVerified: boolean; releaseMethod: string },
): boolean {
  return emailVerified && readyMessages > 0 && (releaseMethod === 'inactivity' || confirmedContacts > 0);
}

export type KeptMessage = { id: string; isReady: boolean; changedAtMs: number };
/** A document, the attachment of a message, which has the message's id, or something in its envelope. */
export type KeptFile = {
  id: string;
  of: 'document' | 'message' | 'enclosure';
  sizeBytes: number;
  changedAtMs: number;
} & {
  /** The message with which it goes; null for a document. */
  messageId: string | null;
};

/**
 * What is more than the free plan holds: of messages those that are not ready first and the ones changed longest ago,
 * of files whatever does not fit, keeping those changed last.
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
