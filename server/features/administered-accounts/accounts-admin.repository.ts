import { asc, getTableColumns, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';

const columns = getTableColumns(users);

const listedColumns = {
  id: columns.id,
  email: columns.email,
  plan: columns.plan,
  role: columns.role,
  emailVerified: columns.emailVerified,
  mailboxProvenAt: columns.mailboxProvenAt,
  createdAt: columns.createdAt,
  lastCheckinAt: columns.lastCheckinAt,
};

export type AccountRow = Pick<typeof users.$inferSelect, keyof typeof listedColumns>;

/** Accounts in the order in which they were made, after one of them. */
export function listAccounts(
  executor: Executor,
  { after, limit }: { after: AccountRow | undefined; limit: number },
): Promise<AccountRow[]> {
  const rest =
    after &&
    sql`(${users.createdAt}, ${users.id}) > (${after.createdAt.toISOString()}::timestamptz, ${after.id}::uuid)`;
  return executor
    .select(listedColumns)
    .from(users)
    .where(rest)
    .orderBy(asc(users.createdAt), asc(users.id))
    .limit(limit);
}
