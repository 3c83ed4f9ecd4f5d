import { and, asc, eq, isNull, lte, notExists, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { releaseRequests, releaseSilences } from '#server/schema/release.tables.ts';
import { writingQuestions } from '#server/schema/writing-questions.tables.ts';

export type WritingQuestionsRow = typeof writingQuestions.$inferSelect;

export async function findWritingQuestions(executor: Executor, userId: string): Promise<WritingQuestionsRow | null> {
  const [row] = await executor.select().from(writingQuestions).where(eq(writingQuestions.userId, userId));
  return row ?? null;
}

/** Finds the row of this link, with its owner's address. */
export async function findWritingQuestionsByLink(
  executor: Executor,
  linkHash: string,
): Promise<(WritingQuestionsRow & { email: string }) | null> {
  const [row] = await executor
    .select({ questions: writingQuestions, email: users.email })
    .from(writingQuestions)
    .innerJoin(users, eq(users.id, writingQuestions.userId))
    .where(eq(writingQuestions.linkHash, linkHash));
  return row ? { ...row.questions, email: row.email } : null;
}

/** Stores the time since which the owner wants questions. Null if the owner wants none. */
export async function storeWritingQuestions(
  tx: Executor,
  row: { userId: string; askedAt: Date | null; linkHash: string },
): Promise<void> {
  await tx
    .insert(writingQuestions)
    .values(row)
    .onConflictDoUpdate({ target: writingQuestions.userId, set: { askedAt: row.askedAt } });
}

/**
 * Lists owners whose last question was sent before this moment, the longest wait first. It leaves out owners without a verified
 * address, owners whose account is closing, and owners with an open silence or release request.
 */
export async function listDueWritingQuestions(
  executor: Executor,
  { before, limit }: { before: Date; limit: number },
): Promise<string[]> {
  const isOpenOf = (table: typeof releaseSilences | typeof releaseRequests) =>
    executor
      .select({ one: sql`1` })
      .from(table)
      .where(and(eq(table.userId, users.id), isNull(table.closedAt)));
  const rows = await executor
    .select({ userId: writingQuestions.userId })
    .from(writingQuestions)
    .innerJoin(users, eq(users.id, writingQuestions.userId))
    .where(
      and(
        lte(writingQuestions.askedAt, before),
        users.emailVerified,
        isNull(users.deletionRequestedAt),
        notExists(isOpenOf(releaseSilences)),
        notExists(isOpenOf(releaseRequests)),
      ),
    )
    .orderBy(asc(writingQuestions.askedAt))
    .limit(limit);
  return rows.map(({ userId }) => userId);
}

/** Counts one more question, sent at this moment. */
export async function countWritingQuestion(tx: Executor, userId: string, at: Date): Promise<void> {
  await tx
    .update(writingQuestions)
    .set({ askedAt: at, asked: sql`${writingQuestions.asked} + 1` })
    .where(eq(writingQuestions.userId, userId));
}
