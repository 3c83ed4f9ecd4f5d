import { and, asc, getTableColumns as columnsOf, eq, isNull, notInArray, or, sql } from 'drizzle-orm';
import { kindsHiddenFromOwner } from '#server/mails.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { checkins, sessions, users } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { checkouts, payments, subscriptions } from '#server/schema/billing.tables.ts';
import { complaints } from '#server/schema/complaints.tables.ts';
import { trustedContacts, trusteeRelationships } from '#server/schema/contacts.tables.ts';
import { messageDeliveries, statusNow } from '#server/schema/delivery.tables.ts';
import { documents } from '#server/schema/documents.tables.ts';
import { messageDrafts } from '#server/schema/drafts.tables.ts';
import { userChecklists } from '#server/schema/guidance.tables.ts';
import { userIdentities } from '#server/schema/identities.tables.ts';
import { messageEnclosures, messages } from '#server/schema/messages.tables.ts';
import { addressProposals, givenAddresses } from '#server/schema/new-address.tables.ts';
import { notifications, smsNotifications } from '#server/schema/notifications.tables.ts';
import { recentlyDeleted } from '#server/schema/recently-deleted.tables.ts';
import {
  releaseAnswers,
  releaseAsks,
  releaseNotices,
  releaseRequests,
  releaseSilences,
} from '#server/schema/release.tables.ts';
import { authenticators, passkeys, recoveryCodes } from '#server/schema/second-factors.tables.ts';
import { voucherCodes, voucherUsage } from '#server/schema/vouchers.tables.ts';

/** Everything in the row of an account but what opens it: password, tokens, and marks of the engine. */
export async function readAccount(executor: Executor, userId: string) {
  const { password, phoneCode, emailVerificationToken, passwordResetToken, ...without } = columnsOf(users);
  const { nextStepAt, releaseBegunAnewAt, releaseRestartNotice, releaseResumedHealthyMs, ...columns } = without;
  const [row] = await executor
    .select({ ...columns, hasPassword: sql<boolean>`${password} is not null` })
    .from(users)
    .where(eq(users.id, userId));
  return row ?? null;
}

/** Bytes of all sealed letters, and of all files. */
export async function measureVault(executor: Executor, userId: string) {
  const [ofMessages] = await executor
    .select({
      textBytes: sql<number>`coalesce(sum(octet_length(${messages.content})), 0)::float8`,
      fileBytes: sql<number>`coalesce(sum(${messages.attachmentSize}), 0)::float8`,
    })
    .from(messages)
    .where(eq(messages.userId, userId));
  const [ofDocuments] = await executor
    .select({ fileBytes: sql<number>`coalesce(sum(${documents.fileSize}), 0)::float8` })
    .from(documents)
    .where(eq(documents.userId, userId));
  const [ofEnclosures] = await executor
    .select({ fileBytes: sql<number>`coalesce(sum(${messageEnclosures.fileSize}), 0)::float8` })
    .from(messageEnclosures)
    .where(and(eq(messageEnclosures.userId, userId), isNull(messageEnclosures.staging)));
  const files = [ofMessages, ofDocuments, ofEnclosures];
  return {
    textBytes: ofMessages?.textBytes ?? 0,
    fileBytes: files.reduce((bytes, row) => bytes + (row?.fileBytes ?? 0), 0),
  };
}

export function readDocuments(executor: Executor, userId: string) {
  const { filePath, encryptedPath, ...columns } = columnsOf(documents);
  return executor
    .select({ ...columns, filePath })
    .from(documents)
    .where(eq(documents.userId, userId))
    .orderBy(asc(documents.createdAt), asc(documents.id));
}

export function readContacts(executor: Executor, userId: string) {
  const { confirmationToken, ...columns } = columnsOf(trustedContacts);
  return executor
    .select(columns)
    .from(trustedContacts)
    .where(eq(trustedContacts.userId, userId))
    .orderBy(asc(trustedContacts.createdAt), asc(trustedContacts.id));
}

export function readChecklists(executor: Executor, userId: string) {
  return executor
    .select()
    .from(userChecklists)
    .where(eq(userChecklists.userId, userId))
    .orderBy(asc(userChecklists.checklistId));
}

export function readCheckIns(executor: Executor, userId: string) {
  const { id, type, ipAddress, userAgent, createdAt } = checkins;
  return executor
    .select({ id, type, ipAddress, userAgent, createdAt })
    .from(checkins)
    .where(eq(checkins.userId, userId))
    .orderBy(asc(createdAt));
}

export function readDevices(executor: Executor, userId: string) {
  const { publicId: id, sess: facts, createdAt, lastSeenAt, authenticatedAt, expire: expiresAt } = sessions;
  const { secondFactorAt, ownProofAt, isKept } = sessions;
  return executor
    .select({ id, facts, createdAt, lastSeenAt, authenticatedAt, secondFactorAt, ownProofAt, isKept, expiresAt })
    .from(sessions)
    .where(eq(sessions.userId, userId))
    .orderBy(asc(createdAt));
}

/** That there is an authenticator app; its secret stays. */
export function readAuthenticators(executor: Executor, userId: string) {
  const { createdAt, confirmedAt } = authenticators;
  return executor.select({ createdAt, confirmedAt }).from(authenticators).where(eq(authenticators.userId, userId));
}

/** The name is sealed. */
export function readPasskeys(executor: Executor, userId: string) {
  const { id, name, transports, isBackedUp, createdAt, lastUsedAt } = passkeys;
  return executor
    .select({ id, name, transports, isBackedUp, createdAt, lastUsedAt })
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(asc(createdAt));
}

export function readRecoveryCodes(executor: Executor, userId: string) {
  const { createdAt, usedAt } = recoveryCodes;
  return executor.select({ createdAt, usedAt }).from(recoveryCodes).where(eq(recoveryCodes.userId, userId));
}

export function readIdentities(executor: Executor, userId: string) {
  const { id, issuer, subject, email, createdAt, lastUsedAt } = userIdentities;
  return executor
    .select({ id, issuer, subject, email, createdAt, lastUsedAt })
    .from(userIdentities)
    .where(eq(userIdentities.userId, userId))
    .orderBy(asc(createdAt));
}

export function readSilences(executor: Executor, userId: string) {
  const { userId: owner, isExpected, ...columns } = columnsOf(releaseSilences);
  return executor.select(columns).from(releaseSilences).where(eq(owner, userId)).orderBy(asc(releaseSilences.openedAt));
}

/** Requests, with the releases that they led to. */
export function readRequests(executor: Executor, userId: string) {
  const { userId: owner, bySilence, earlyReview, removalTokenHash, ...columns } = columnsOf(releaseRequests);
  return executor.select(columns).from(releaseRequests).where(eq(owner, userId)).orderBy(asc(releaseRequests.openedAt));
}

/** Whom a request asked. */
export function readAsks(executor: Executor, userId: string) {
  const { userId: owner, tokenHash, ...columns } = columnsOf(releaseAsks);
  return executor.select(columns).from(releaseAsks).where(eq(owner, userId)).orderBy(asc(releaseAsks.notice));
}

/** What was deleted and can still be taken back, with its words sealed as they were. */
export function readDeleted(executor: Executor, userId: string) {
  return executor
    .select()
    .from(recentlyDeleted)
    .where(eq(recentlyDeleted.userId, userId))
    .orderBy(asc(recentlyDeleted.deletedAt), asc(recentlyDeleted.id));
}

/** Letters while they are being written; their content is sealed. */
export function readDrafts(executor: Executor, userId: string) {
  const { id, messageId, content, version, createdAt, updatedAt } = messageDrafts;
  return executor
    .select({ id, messageId, content, version, createdAt, updatedAt })
    .from(messageDrafts)
    .where(eq(messageDrafts.userId, userId))
    .orderBy(asc(messageDrafts.createdAt), asc(messageDrafts.id));
}

/** What contacts answered. The reason is sealed. */
export function readAnswers(executor: Executor, userId: string) {
  const { hold, ...columns } = columnsOf(releaseAnswers);
  return executor
    .select(columns)
    .from(releaseAnswers)
    .innerJoin(releaseRequests, eq(releaseRequests.id, releaseAnswers.requestId))
    .where(eq(releaseRequests.userId, userId))
    .orderBy(asc(releaseRequests.openedAt), asc(releaseAnswers.number));
}

/** Of what an owner and their contacts were told in a silence or a request, and how that ended. */
export function readReleaseNotices(executor: Executor, userId: string) {
  const { userId: owner, closedAt, ...columns } = columnsOf(releaseNotices);
  return executor.select(columns).from(releaseNotices).where(eq(owner, userId)).orderBy(asc(releaseNotices.number));
}

export function readDeliveries(executor: Executor, userId: string) {
  const { answeredAt, keptUntil, keptFromHealthyMs, remindersSent, expiresAt, ...known } = columnsOf(messageDeliveries);
  const { deliveryToken, linkBeganHealthyMs, personKey, sayKey, ...columns } = known;
  return executor
    .select({ ...columns, status: statusNow.as('status') })
    .from(messageDeliveries)
    .where(eq(messageDeliveries.userId, userId))
    .orderBy(asc(messageDeliveries.createdAt));
}

/** Which addresses contacts proposed for recipients who could not be reached. Address and reason are sealed. */
export function readProposedAddresses(executor: Executor, userId: string) {
  const { id, requestId, deliveryId, contactId, address, reason, status, createdAt } = addressProposals;
  const { answeredBy, endedAt } = addressProposals;
  return executor
    .select({ id, requestId, deliveryId, contactId, address, reason, status, createdAt, answeredBy, endedAt })
    .from(addressProposals)
    .where(eq(addressProposals.userId, userId))
    .orderBy(asc(createdAt));
}

/** Other addresses of the owner that contacts gave while no reminder arrived. The address is sealed. */
export function readGivenAddresses(executor: Executor, userId: string) {
  const { id, requestId, contactId, address, createdAt } = givenAddresses;
  return executor
    .select({ id, requestId, contactId, address, createdAt })
    .from(givenAddresses)
    .where(eq(givenAddresses.userId, userId))
    .orderBy(asc(createdAt));
}

/** That somebody was written to, and how it ended. The mail itself holds links that act, and is gone soon after. */
export function readNotices(executor: Executor, userId: string) {
  const { id, channel, kind, subjectId, contactId, notice, messageId, status, attempts, refusals } = notifications;
  const { createdAt, notBefore, firstAttemptAt, lastAttemptAt, acceptedAt, bouncedAt, repliedAt, endedAt } =
    notifications;
  const { lastReplyCode, providerId } = notifications;
  const outcome = { status, attempts, refusals, lastReplyCode, providerId };
  const times = { createdAt, notBefore, firstAttemptAt, lastAttemptAt, acceptedAt, bouncedAt, repliedAt, endedAt };
  return executor
    .select({ id, channel, kind, subjectId, contactId, notice, messageId, ...outcome, ...times })
    .from(notifications)
    .where(and(eq(notifications.userId, userId), notInArray(kind, [...kindsHiddenFromOwner])))
    .orderBy(asc(createdAt));
}

export function readTexts(executor: Executor, userId: string) {
  const { userId: owner, ...columns } = columnsOf(smsNotifications);
  return executor.select(columns).from(smsNotifications).where(eq(owner, userId)).orderBy(asc(columns.createdAt));
}

/** Where the person is an owner's trustee, or another is theirs. */
export function readTrusteeships(executor: Executor, userId: string) {
  const { id, trusteeUserId, ownerUserId, trustedContactId, isActive, createdAt } = trusteeRelationships;
  return executor
    .select({ id, trusteeUserId, ownerUserId, trustedContactId, isActive, createdAt })
    .from(trusteeRelationships)
    .where(or(eq(ownerUserId, userId), eq(trusteeUserId, userId)))
    .orderBy(asc(createdAt));
}

export function readComplaints(executor: Executor, userId: string) {
  const { userId: owner, ...columns } = columnsOf(complaints);
  return executor.select(columns).from(complaints).where(eq(owner, userId)).orderBy(asc(complaints.receivedAt));
}

export function readVouchers(executor: Executor, userId: string) {
  const { code, discountType, discountValue } = voucherCodes;
  const { id, checkoutId, heldUntil, usedAt } = voucherUsage;
  return executor
    .select({ id, code, discountType, discountValue, checkoutId, heldUntil, usedAt })
    .from(voucherUsage)
    .innerJoin(voucherCodes, eq(voucherCodes.id, voucherUsage.voucherCodeId))
    .where(eq(voucherUsage.userId, userId))
    .orderBy(asc(id));
}

export function readSubscriptions(executor: Executor, userId: string) {
  const { userId: owner, nextStepAt, ...columns } = columnsOf(subscriptions);
  return executor.select(columns).from(subscriptions).where(eq(owner, userId)).orderBy(asc(subscriptions.createdAt));
}

/** What the person was asked to pay. */
export function readCheckouts(executor: Executor, userId: string) {
  const { userId: owner, tokenHash, ...columns } = columnsOf(checkouts);
  return executor.select(columns).from(checkouts).where(eq(owner, userId)).orderBy(asc(checkouts.createdAt));
}

export function readPayments(executor: Executor, userId: string) {
  const { userId: owner, ...columns } = columnsOf(payments);
  return executor.select(columns).from(payments).where(eq(owner, userId)).orderBy(asc(payments.paidAt));
}

/** With the hashes that chain them. */
export async function readAuditLog(executor: Executor, userId: string) {
  const { userId: _, originSalt, originHash, anchoredOn, ...columns } = columnsOf(auditLogs);
  const rows = await executor
    .select(columns)
    .from(auditLogs)
    .where(eq(auditLogs.chain, userId))
    .orderBy(asc(auditLogs.position));
  return rows.map(({ previousHash, hash, ...row }) => ({
    ...row,
    previousHash: previousHash.toString('hex'),
    hash: hash.toString('hex'),
  }));
}
