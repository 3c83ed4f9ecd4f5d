import type { Accounts, Principal } from '#server/features/accounts/accounts.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Notifications } from '#server/features/notifications/notifications.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { unsubscribeHeaders } from '#server/platform/mail/unsubscribe.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { getWritingQuestions } from '#shared/contract/letters/writing-questions.ts';
import { openNewsPage } from '#shared/contract/news.ts';
import type { RouteResult } from '#shared/contract/route.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { writingQuestionDays, writingQuestionOf, writingQuestions } from '#shared/rules/letters/writing-questions.ts';
import { writingQuestionEmail } from './writing-questions.emails.ts';
import {
  countWritingQuestion,
  findWritingQuestions,
  findWritingQuestionsByLink,
  listDueWritingQuestions,
  storeWritingQuestions,
  type WritingQuestionsRow,
} from './writing-questions.repository.ts';

type Choice = { isWanted: boolean; nextAt: Date | null };
export type ShownChoice = RouteResult<typeof getWritingQuestions>;

export type WritingQuestions = {
  read(principal: Pick<Principal, 'userId'>): Promise<Choice>;
  /** A sign of life, as whatever an owner does. */
  choose(call: { principal: Principal; origin: RequestOrigin }, isWanted: boolean): Promise<Choice>;
  /** What the link at the foot of a question says of its owner; null where it is none of these. */
  byLink(executor: Executor, linkHash: string): Promise<{ userId: string; email: string; isWanted: boolean } | null>;
  /** Chosen by that link: no sign of life, since a mail program may have pressed. Belongs to a transaction that has locked the owner. */
  chooseByLink(tx: Executor, choice: { userId: string; isWanted: boolean; origin: RequestOrigin }): Promise<void>;
  /** Sends what is due, some at a time. Gives how many. */
  sendDue(): Promise<number>;
};

export type WritingQuestionsDependencies = {
  db: Database;
  clock: Clock;
  serviceKeys: Pick<ServiceKeys, 'derive' | 'hashToken'>;
  accounts: Pick<Accounts, 'lockOwner' | 'recordActivity'>;
  notifications: Pick<Notifications, 'enqueue' | 'cancelFor'>;
  audit: Pick<Audit, 'record'>;
  baseUrl: string;
};

const mailKind = 'writing.question';
const sentAtOnce = 100;

/** A question a month by mail for whoever wants it, answered by writing a letter. */
export function createWritingQuestions(dependencies: WritingQuestionsDependencies): WritingQuestions {
  const { db, clock, serviceKeys, accounts, notifications, audit, baseUrl } = dependencies;
  /** The same in every mail: whoever presses in an old one is heard. */
  const tokenOf = (userId: string) => serviceKeys.derive('writing-questions-link', userId);

  async function store(
    tx: Executor,
    { userId, isWanted, at, origin }: { userId: string; isWanted: boolean; at: Date; origin: RequestOrigin },
  ): Promise<Choice> {
    const before = choiceOf(await findWritingQuestions(tx, userId));
    if (before.isWanted === isWanted) return before;
    const askedAt = isWanted ? at : null;
    await storeWritingQuestions(tx, { userId, askedAt, linkHash: serviceKeys.hashToken(tokenOf(userId)) });
    // One that waits to leave is not wanted any more.
    if (!isWanted) await notifications.cancelFor(tx, userId, [mailKind]);
    const action = isWanted ? 'account.questions_begin' : 'account.questions_stop';
    await audit.record(tx, { userId, action, resource: 'account', resourceId: userId, origin, at });
    return choiceOf({ askedAt });
  }

  async function send(tx: Executor, userId: string, before: Date): Promise<boolean> {
    const owner = await accounts.lockOwner(tx, userId);
    const row = await findWritingQuestions(tx, userId);
    // Stopped, or sent by another worker, since it was found.
    if (!owner || !row?.askedAt || row.askedAt > before) return false;
    const at = await clock.now(tx);
    const token = tokenOf(userId);
    const { question } = writingQuestionOf(row.asked);
    const mail = writingQuestionEmail({
      firstName: owner.firstName,
      question,
      // By way of the sign-in, which whoever is signed in does not see.
      writeUrl: `${baseUrl}/login?question=${row.asked % writingQuestions.length}`,
      stopUrl: `${baseUrl}/news/${token}`,
      baseUrl,
    });
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: mailKind,
      userId,
      subjectId: userId,
      dedupeKey: `${mailKind}:${userId}:${row.asked}`,
      at,
      to: { address: owner.email },
      mail: { ...mail, headers: unsubscribeHeaders(`${baseUrl}${openNewsPage.path.replace(':token', token)}`) },
    });
    await countWritingQuestion(tx, userId, at);
    return true;
  }

  return {
    read: async ({ userId }) => choiceOf(await findWritingQuestions(db, userId)),

    choose: ({ principal: { userId }, origin }, isWanted) =>
      db.transaction(async (tx) => {
        if (!(await accounts.lockOwner(tx, userId))) throw notFound();
        const at = await clock.now(tx);
        await accounts.recordActivity(tx, { userId, type: 'change', at, origin });
        return store(tx, { userId, isWanted, at, origin });
      }),

    async byLink(executor, linkHash) {
      const row = await findWritingQuestionsByLink(executor, linkHash);
      return row && { userId: row.userId, email: row.email, isWanted: row.askedAt !== null };
    },

    async chooseByLink(tx, choice) {
      await store(tx, { ...choice, at: await clock.now(tx) });
    },

    async sendDue() {
      const at = await clock.now();
      const before = new Date(at.getTime() - writingQuestionDays * dayMs);
      const due = await listDueWritingQuestions(db, { before, limit: sentAtOnce });
      let sent = 0;
      for (const userId of due) if (await db.transaction((tx) => send(tx, userId, before))) sent += 1;
      return sent;
    },
  };
}

function choiceOf(row: Pick<WritingQuestionsRow, 'askedAt'> | null): Choice {
  const askedAt = row?.askedAt ?? null;
  return { isWanted: askedAt !== null, nextAt: askedAt && new Date(askedAt.getTime() + writingQuestionDays * dayMs) };
}
