import { count, eq, type SQL, sql } from 'drizzle-orm';
import type { Holdings } from '#server/features/registration/holdings.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { documents } from '#server/schema/documents.tables.ts';
import { userChecklists } from '#server/schema/guidance.tables.ts';
import { messages } from '#server/schema/messages.tables.ts';
import { inactivityDaysDefault } from '#shared/rules/inactivity.ts';

type Owned = typeof messages | typeof trustedContacts | typeof documents | typeof userChecklists;

/** What an account holds, in one statement. Null where it is gone. */
export async function findHoldings(executor: Executor, userId: string): Promise<Holdings | null> {
  const countOf = (table: Owned): SQL<number> => {
    const counted = executor.select({ count: count() }).from(table).where(eq(table.userId, users.id));
    return sql`(${counted})`.mapWith(Number);
  };
  const [row] = await executor
    .select({
      letters: countOf(messages),
      contacts: countOf(trustedContacts),
      documents: countOf(documents),
      checklists: countOf(userChecklists),
      phone: users.phone,
      releaseMethod: users.releaseMethod,
      inactivityDays: users.inactivityDays,
      plan: users.plan,
      intendedPlan: users.intendedPlan,
    })
    .from(users)
    .where(eq(users.id, userId));
  if (!row) return null;
  const { phone, releaseMethod, inactivityDays, plan, intendedPlan, ...counts } = row;
  return {
    ...counts,
    hasPhone: phone !== null,
    hasOwnSettings: releaseMethod !== 'inactivity' || inactivityDays !== inactivityDaysDefault,
    plan: plan === 'free' ? intendedPlan : plan,
  };
}
