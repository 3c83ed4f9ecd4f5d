import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm';
import { users } from '#server/features/accounts/accounts.tables.ts';
import type { Executor } from '#server/platform/db/database.ts';
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
  createdAt: users.createdAt,
  lastLoginAt: users.lastLoginAt,
  lastCheckinAt: users.lastCheckinAt,
  deletionRequestedAt: users.deletionRequestedAt,
};

export type ListedUser = Pick<typeof users.$inferSelect, Exclude<keyof typeof listed, 'isEmailVerified'>> & {
  isEmailVerified: boolean;
};

/** What a list is sorted by; the id decides between equals. Whoever never signed in comes before all others. */
const sortKeys: Record<UserSort, SQL> = {
  createdAt: sql`${users.createdAt}`,
  email: sql`${users.email}`,
  name: sql`lower(coalesce(${users.lastName}, '') || ' ' || coalesce(${users.firstName}, ''))`,
  lastLoginAt: sql`coalesce(${users.lastLoginAt}, '-infinity'::timestamptz)`,
  lastCheckinAt: sql`${users.lastCheckinAt}`,
};

const searched = sql`lower(${users.email} || ' ' || coalesce(${users.firstName}, '') || ' ' || coalesce(${users.lastName}, ''))`;

export type UserPage = {
  /** In lower case; each must stand in the address or the name. */
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
  const key = sortKeys[sort];
  const conditions = words.map((word) => sql`strpos(${searched}, ${word}) > 0`);
  if (after !== undefined) {
    const [last] = await executor
      .select({ key: sql<string>`${key}::text` })
      .from(users)
      .where(eq(users.id, after));
    if (!last) return null;
    const compared = direction === 'asc' ? sql`>` : sql`<`;
    conditions.push(sql`(${key}, ${users.id}) ${compared} (${last.key}, ${after}::uuid)`);
  }
  const order = direction === 'asc' ? asc : desc;
  return executor
    .select(listed)
    .from(users)
    .where(and(...conditions))
    .orderBy(order(key), order(users.id))
    .limit(limit);
}

export async function findUser(executor: Executor, userId: string): Promise<ListedUser | null> {
  const [row] = await executor.select(listed).from(users).where(eq(users.id, userId));
  return row ?? null;
}
