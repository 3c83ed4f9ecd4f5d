import { and, desc, eq, inArray, isNotNull, isNull, max, notInArray } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { notifications, receivedTexts, smsNotifications, stoppedPhones } from '#server/schema/notifications.tables.ts';

/** Time of the last text to each of these owners, of any kind except these. */
export async function findLastTexts(
  executor: Executor,
  { userIds, exceptKinds }: { userIds: readonly string[]; exceptKinds: readonly string[] },
): Promise<Map<string, Date>> {
  const rows = await executor
    .select({ userId: smsNotifications.userId, at: max(smsNotifications.sentAt) })
    .from(smsNotifications)
    .where(and(inArray(smsNotifications.userId, [...userIds]), notInArray(smsNotifications.type, [...exceptKinds])))
    .groupBy(smsNotifications.userId);
  return new Map(rows.flatMap(({ userId, at }) => (at ? [[userId, at] as const] : [])));
}

export type SentText = { id: string; userId: string; phone: string; at: Date };

/** Newest sent texts of this kind about each of these owners, to any number. The phone is sealed. */
export async function findTextsAbout(
  executor: Executor,
  { userIds, kind, limit }: { userIds: readonly string[]; kind: string; limit: number },
): Promise<SentText[]> {
  const { id, userId, phone, sentAt } = smsNotifications;
  const rows = await executor
    .select({ id, userId, phone, sentAt })
    .from(smsNotifications)
    .where(and(inArray(userId, [...userIds]), eq(smsNotifications.type, kind), isNotNull(sentAt)))
    .orderBy(desc(sentAt), desc(id))
    .limit(limit);
  return rows.flatMap(({ sentAt: at, ...row }) => (at ? [{ ...row, at }] : []));
}

/** Newest text of this kind to an owner, with its outcome. The phone is sealed. */
export async function findLastText(executor: Executor, { userId, kind }: { userId: string; kind: string }) {
  const { id, phone } = smsNotifications;
  const { status, lastReplyCode: replyCode } = notifications;
  const [row] = await executor
    .select({ id, phone, status, replyCode })
    .from(smsNotifications)
    .innerJoin(notifications, eq(notifications.id, smsNotifications.notificationId))
    .where(and(eq(smsNotifications.userId, userId), eq(smsNotifications.type, kind)))
    .orderBy(desc(smsNotifications.createdAt), desc(id))
    .limit(1);
  return row ?? null;
}

/** The newest text to an owner that was sent and has no answer yet. */
export async function findUnansweredText(tx: Executor, userId: string): Promise<string | null> {
  const [row] = await tx
    .select({ id: smsNotifications.id })
    .from(smsNotifications)
    .where(
      and(
        eq(smsNotifications.userId, userId),
        isNotNull(smsNotifications.sentAt),
        isNull(smsNotifications.respondedAt),
      ),
    )
    .orderBy(desc(smsNotifications.createdAt), desc(smsNotifications.id))
    .limit(1);
  return row?.id ?? null;
}

export async function storeTextAnswer(
  tx: Executor,
  id: string,
  answer: { response: string; respondedAt: Date },
): Promise<void> {
  await tx.update(smsNotifications).set(answer).where(eq(smsNotifications.id, id));
}

/** False if a text with this id came in before. */
export async function insertReceivedText(tx: Executor, idHash: string, receivedAt: Date): Promise<boolean> {
  const rows = await tx
    .insert(receivedTexts)
    .values({ idHash, receivedAt })
    .onConflictDoNothing()
    .returning({ idHash: receivedTexts.idHash });
  return rows.length === 1;
}

export async function insertStoppedPhone(tx: Executor, phoneKey: string, stoppedAt: Date): Promise<void> {
  await tx.insert(stoppedPhones).values({ phoneKey, stoppedAt }).onConflictDoNothing();
}

export async function deleteStoppedPhone(tx: Executor, phoneKey: string): Promise<void> {
  await tx.delete(stoppedPhones).where(eq(stoppedPhones.phoneKey, phoneKey));
}

export async function isPhoneStopped(executor: Executor, phoneKey: string): Promise<boolean> {
  const rows = await executor
    .select({ phoneKey: stoppedPhones.phoneKey })
    .from(stoppedPhones)
    .where(eq(stoppedPhones.phoneKey, phoneKey));
  return rows.length > 0;
}
