import { dayMs } from '#shared/rules/inactivity.ts';

/** Retention periods. The privacy policy states these numbers, and the deletion jobs use them. */

/** A delivered message can be opened through its link for so many days from its acceptance. */
export const deliveryLinkDays = 30;
/** A letter that its reader has kept stays readable for so long, in healthy days. */
export const letterKeptForReaderDays = 365;
/** Calendar months that delivered content is kept, by the owner's plan. */
export const deliveredContentFreeMonths = 6;
export const deliveredContentPaidMonths = 12;
/** No delivered message is kept for longer than so many years, whatever the plan. */
export const deliveredMessageYearsMax = 1;
/** Calendar months that undelivered content is kept after the last payment lapsed. */
export const undeliveredAfterPaymentMonths = 6;

/** Days of notice to the owner before content is deleted. */
export const contentNoticeDays = 30;

/** Days in which a contact may download documents after a release. */
export const releasedDocumentDays = 30;

/** Years for which it is known that a mail or a text left; what it said goes long before. */
export const mailRecordYears = 2;

/** Days in which what an owner deleted can be taken back. */
export const recentlyDeletedDays = 30;
export const recentlyDeletedMs = recentlyDeletedDays * dayMs;
/** Files staged with a sealed letter are deleted after this time, unless its text includes them. */
export const stagedMs = dayMs;

export const deletedKinds = ['message', 'document', 'contact'] as const;
export type DeletedKind = (typeof deletedKinds)[number];

/** Days in which signing in takes the deletion of an account back. Then the key of its vault is destroyed. */
export const accountAfterDeletionDays = 30;

/** The earliest moment at which an account goes whose deletion was requested then. */
export function deletionDayOf(requestedAt: Date): Date {
  return new Date(requestedAt.getTime() + accountAfterDeletionDays * dayMs);
}

export const auditLogYears = 2;
export const securityLogYears = 1;
export const paymentRecordYears = 7;
/** Days after a withdrawal until the consent to news is deleted. */
export const marketingAfterWithdrawalDays = 30;

/** An account without any activity for so many years may be archived, after a notice of so many days. */
export const idleAccountYears = 3;
export const archiveNoticeDays = 90;

/** Days until an unverified account is deleted, and days of notice before that. */
export const unverifiedAccountDays = 30;
export const unverifiedNoticeDays = 10;

/** If the service ever closes: days of notice, and days in which data can be exported. */
export const shutdownNoticeDays = 90;
export const shutdownExportDays = 60;

/** Days within which a request about personal data is answered. */
export const privacyAnswerDays = 30;
/** Days within which a complaint about the use of data is acknowledged (Data Protection Act 2018, section 164A). */
export const complaintAcknowledgedDays = 30;
/** Characters of a complaint. */
export const complaintWordsLengthMax = 5_000;
/** Years that a complaint and its outcome are kept after the answer, as evidence. */
export const complaintRecordYears = 2;
/** Share of the time, in percent, for which the service aims to be there. */
export const uptimePercent = 99.9;

export const privacyPolicyVersion = '2.1';
/** The day of this version, as the policy writes it. */
export const privacyPolicyUpdated = 'January 31, 2025';

/**
 * Content with a notice before deletion: idle or unverified accounts, content over the free plan, and delivered
 * letters.
 */
export const noticeKinds = ['idle', 'unverified', 'undelivered', 'delivered'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** `refused`: the mailbox refused it permanently, three times on three days, while mail as a whole was well. */
export const noticeOutcomes = ['accepted', 'refused'] as const;
