import { and, eq, gt, isNotNull, isNull, not, notInArray, or, sql } from 'drizzle-orm';
import { messagesToAskBy } from '#server/features/delivery/say/say.repository.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { checkouts, subscriptions } from '#server/schema/billing.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { isDeclined, messageDeliveries } from '#server/schema/delivery.tables.ts';
import { documents } from '#server/schema/documents.tables.ts';
import { messageDrafts } from '#server/schema/drafts.tables.ts';
import { firstWeeks, userChecklists } from '#server/schema/guidance.tables.ts';
import { messages } from '#server/schema/messages.tables.ts';
import { recentlyDeleted } from '#server/schema/recently-deleted.tables.ts';
import { voucherUsage } from '#server/schema/vouchers.tables.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { letterKeptForReaderDays } from '#shared/rules/retention.ts';

/** Removes rows that name a person by address and not by account. The use of a voucher stays, without its person. */
export async function forgetAddress(
  tx: Executor,
  { userId, email, voucherPerson }: { userId: string; email: string; voucherPerson: string },
): Promise<void> {
  await tx
    .update(voucherUsage)
    .set({ personHash: sql`'nobody-' || gen_random_uuid()` })
    .where(or(eq(voucherUsage.userId, userId), eq(voucherUsage.personHash, voucherPerson)));
  await tx.delete(checkouts).where(and(eq(checkouts.email, email), isNull(checkouts.userId)));
  await tx.delete(subscriptions).where(and(eq(subscriptions.email, email), isNull(subscriptions.userId)));
}

/** A letter of an account that was closed waits no longer for its reader's word if its day was before this time. */
const declinedSince = (at: Date) => new Date(at.getTime() - letterKeptForReaderDays * dayMs);

/**
 * Letters that were left to wait for a day of their own when their account was closed, until each has been kept for its
 * days. If its reader wants no more letters, it waits for a year past its day, for a word that takes this back.
 */
const lettersLeft = (executor: Executor, userId: string, at: Date) => {
  const { status, dueAt, keptUntil, expiresAt } = messageDeliveries;
  return executor
    .select({ messageId: messageDeliveries.messageId })
    .from(messageDeliveries)
    .where(
      and(
        eq(messageDeliveries.userId, userId),
        isNotNull(dueAt),
        or(
          eq(status, 'pending'),
          and(eq(status, 'waiting'), or(not(isDeclined), gt(dueAt, declinedSince(at)))),
          and(eq(status, 'accepted'), or(gt(expiresAt, at), gt(keptUntil, at))),
        ),
      ),
    );
};

export async function hasLettersLeft(executor: Executor, userId: string, at: Date): Promise<boolean> {
  return (await lettersLeft(executor, userId, at).limit(1)).length > 0;
}

/**
 * Deletes everything that the scheduled letters and their readers do not need, on the day on which the account would have been deleted.
 */
export async function forgetAllButLetters(tx: Executor, userId: string, at: Date): Promise<void> {
  await tx.delete(documents).where(eq(documents.userId, userId));
  await tx.delete(recentlyDeleted).where(eq(recentlyDeleted.userId, userId));
  await tx.delete(messageDrafts).where(eq(messageDrafts.userId, userId));
  await tx.delete(firstWeeks).where(eq(firstWeeks.userId, userId));
  await tx.delete(userChecklists).where(eq(userChecklists.userId, userId));
  await tx.delete(trustedContacts).where(eq(trustedContacts.userId, userId));
  await tx
    .delete(messages)
    .where(
      and(
        eq(messages.userId, userId),
        notInArray(messages.id, lettersLeft(tx, userId, at)),
        notInArray(messages.id, messagesToAskBy(tx, userId, declinedSince(at))),
      ),
    );
  await tx
    .update(users)
    .set({ phone: null, phoneNumber: null, phoneProvenAt: null, formerPhone: null, formerPhoneUntil: null })
    .where(eq(users.id, userId));
}
