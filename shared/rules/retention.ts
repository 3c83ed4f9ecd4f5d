import { dayMs } from '#shared/rules/inactivity.ts';

/** How long things are kept. The privacy policy says these numbers, and what deletes goes by them. */

/** A delivered message can be opened through its link for so many days from its acceptance. */
export const deliveryLinkDays = 30;
/** What was delivered is kept for so many calendar months after its delivery, by the plan of its owner. */
export const deliveredContentFreeMonths = 6;
export const deliveredContentPaidMonths = 12;
/** No delivered message is kept for longer than so many years, whatever the plan. */
export const deliveredMessageYearsMax = 1;
/** What was never delivered is kept for so many calendar months after the last payment has lapsed. */
export const undeliveredAfterPaymentMonths = 6;

/** Before content goes because its time is over, its owner is told, so many days ahead. */
export const contentNoticeDays = 30;

/** What a contact may download after a release can be downloaded for so many days. */
export const releasedDocumentDays = 30;

/** Years for which it is known that a mail or a text left; what it said goes long before. */
export const mailRecordYears = 2;

/** Days in which what an owner deleted can be taken back. */
export const recentlyDeletedDays = 30;
export const recentlyDeletedMs = recentlyDeletedDays * dayMs;
/** What is staged beside a sealed letter goes where its words have not taken it in for so long. */
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
/** What somebody agreed to get as news is forgotten so many days after they have withdrawn. */
export const marketingAfterWithdrawalDays = 30;

/** An account without any activity for so many years may be archived, after a notice of so many days. */
export const idleAccountYears = 3;
export const archiveNoticeDays = 90;

/** An account whose address nobody has verified goes after so many days, with a notice of so many days. */
export const unverifiedAccountDays = 30;
export const unverifiedNoticeDays = 10;

/** Should the service ever close: how long before it everybody is told, and how long data can be taken out. */
export const shutdownNoticeDays = 90;
export const shutdownExportDays = 60;

/** Days within which a request about somebody's own data is answered. */
export const privacyAnswerDays = 30;
/** Days within which a complaint about the use of data is acknowledged (Data Protection Act 2018, section 164A). */
export const complaintAcknowledgedDays = 30;
/** A complaint and what came of it are kept for so many years after it was answered, to show that it was. */
export const complaintRecordYears = 2;
/** Share of the time, in percent, for which the service aims to be there. */
export const uptimePercent = 99.9;

export const privacyPolicyVersion = '2.1';
/** The day of this version, as the policy writes it. */
export const privacyPolicyUpdated = 'January 31, 2025';

/** What goes with notice: an account nobody uses, or whose address nobody verified, content that is over the free plan, and letters that were delivered. */
export const noticeKinds = ['idle', 'unverified', 'undelivered', 'delivered'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** `refused`: the mailbox refused it permanently, three times on three days, while mail as a whole was well. */
export const noticeOutcomes = ['accepted', 'refused'] as const;
