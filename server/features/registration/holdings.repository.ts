import { count, eq, type SQL, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { documents } from '#server/schema/documents.tables.ts';
import { userChecklists } from '#server/schema/guidance.tables.ts';
import { messages } from '#server/schema/messages.tables.ts';
import { answerDaysDefault, inactivityDaysDefault, waitingDaysDefault } from '#shared/rules/inactivity.ts';
import type { PlanName } from '#shared/rules/plans.ts';

/** Counts of an account's contents, so that the reader of a mail can recognise it. It holds no content. */
export type Holdings = {
  letters: number;
  contacts: number;
  documents: number;
  checklists: number;
  hasPhone: boolean;
  /** True if the release settings differ from the defaults. */
  hasOwnSettings: boolean;
  /** Plan that is paid for or given, or else the plan chosen at registration. Null for the free one. */
  plan: PlanName | null;
};

type Owned = typeof messages | typeof trustedContacts | typeof documents | typeof userChecklists;

/** Counts the contents of an account in one statement. Null if the account is gone. */
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
      quorum: users.releaseQuorum,
      waitingDays: users.releaseWaitingDays,
      answerDays: users.releaseAnswerDays,
      plan: users.plan,
      intendedPlan: users.intendedPlan,
    })
    .from(users)
    .where(eq(users.id, userId));
  if (!row) return null;
  const { letters, contacts, documents: papers, checklists, phone, plan, intendedPlan } = row;
  return {
    letters,
    contacts,
    documents: papers,
    checklists,
    hasPhone: phone !== null,
    hasOwnSettings: isChanged(row),
    plan: plan === 'free' ? intendedPlan : plan,
  };
}

type ReleaseSettings = {
  releaseMethod: string;
  inactivityDays: number;
  quorum: number;
  waitingDays: number;
  answerDays: number | null;
};

/** True if the owner changed the release method, the wait, the quorum or the days to answer. */
function isChanged({ releaseMethod, inactivityDays, quorum, waitingDays, answerDays }: ReleaseSettings): boolean {
  if (releaseMethod !== 'inactivity' || inactivityDays !== inactivityDaysDefault) return true;
  return quorum !== 1 || waitingDays !== waitingDaysDefault || (answerDays ?? answerDaysDefault) !== answerDaysDefault;
}
