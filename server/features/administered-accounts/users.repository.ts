import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { users, usersByLastLogin, usersByName } from '#server/schema/accounts.tables.ts';
import type { UserSort } from '#shared/contract/admin.ts';

const listed = {
  id: users.id,
  email: users.email,
  firstName: users.firstName,
  lastName: users.lastName,
  plan: users.plan,
  planGrantedAt: users.planGrantedAt,
  role: users.role,
  isEmailVerified: users.emailVerified,
  mailboxProvenAt: users.mailboxProvenAt,
  createdAt: users.createdAt,
  lastLoginAt: users.lastLoginAt,
  lastCheckinAt: users.lastCheckinAt,
  deletionRequestedAt: users.deletionRequestedAt,
};

export type ListedUser = Pick<typeof users.$inferSelect, Exclude<keyof typeof listed, 'isEmailVerified'>> & {
  isEmailVerified: boolean;
};

/** Sort columns, as the indexes have them. The id decides between equal values. */
const sortKeys: Record<UserSort, SQL[]> = {
  createdAt: [sql`${users.createdAt}`],
  email: [sql`${users.email}`],
  name: [usersByName],
  lastLoginAt: [usersByLastLogin],
  lastCheckinAt: [sql`${users.lastCheckinHour}`, sql`${users.lastCheckinAt}`],
};

export type UserPage = {
  /** Each must occur in the address or the name, in any case. */
  words: readonly string[];
  sort: UserSort;
  direction: 'asc' | 'desc';
  /** The last user of the page before. */
  after: string | undefined;
  limit: number;
};

/**
 * One page, which begins after a known user and not at a number, so that the last is as quick as the first. Null if
 * that user is gone.
 */
export async function findUsers(executor: Executor, page: UserPage): Promise<ListedUser[] | null> {
  const { words, sort, direction, after, limit } = page;
  const keys = sortKeys[sort];
  const conditions = words.map(holds);
  if (after !== undefined) {
    const [last] = await executor
      .select({
        keys: sql<string[]>`array[${sql.join(
          keys.map((key) => sql`${key}::text`),
          sql`, `,
        )}]`,
      })
      .from(users)
      .where(eq(users.id, after));
    if (!last) return null;
    const compared = direction === 'asc' ? sql`>` : sql`<`;
    conditions.push(sql`${row([...keys, sql`${users.id}`])} ${compared} ${row([...last.keys, after])}`);
  }
  const order = direction === 'asc' ? asc : desc;
  return executor
    .select(listed)
    .from(users)
    .where(and(...conditions))
    .orderBy(...keys.map((key) => order(key)), order(users.id))
    .limit(limit);
}

/** The database lower-cases both sides, because its rules may differ from ours. */
function holds(word: string): SQL {
  return sql`${users.searchText} like lower(${`%${word.replace(/[\\%_]/g, '\\$&')}%`})`;
}

function row(values: readonly unknown[]): SQL {
  return sql`(${sql.join(
    values.map((value) => sql`${value}`),
    sql`, `,
  )})`;
}

export async function findUser(executor: Executor, userId: string): Promise<ListedUser | null> {
  const [row] = await executor.select(listed).from(users).where(eq(users.id, userId));
  return row ?? null;
}
