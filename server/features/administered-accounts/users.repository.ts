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

/** What a list is sorted by, as the indexes hold it; the id decides between equals. */
const sortKeys: Record<UserSort, SQL[]> = {
  createdAt: [sql`${users.createdAt}`],
  email: [sql`${users.email}`],
  name: [usersByName],
  lastLoginAt: [usersByLastLogin],
  lastCheckinAt: [sql`${users.lastCheckinHour}`, sql`${users.lastCheckinAt}`],
};

export type UserPage = {
  /** Each must stand in the address or the name, in whatever case. */
  words: readonly string[];
  sort: UserSort;
  direction: 'asc' | 'desc';
  /** The last user of the page before. */
  after: string | undefined;
  limit: number;
};

/** One page, which begins behind a known user and not at a number, so that the last is as quick as the first. Null where that user is gone. */
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

/** Both sides are put in lower case by the database, which may do it otherwise than we would. */
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
