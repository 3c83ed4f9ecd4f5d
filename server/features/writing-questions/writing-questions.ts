import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { type Change, changeInVault } from '#server/features/accounts/change-in-vault.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { cancelNotificationsFor } from '#server/features/notifications/cancel.ts';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import type { Call } from '#server/http/bind.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { unsubscribeHeaders } from '#server/platform/mail/unsubscribe.ts';
import type * as contract from '#shared/contract/letters/writing-questions.ts';
import { openNewsPage } from '#shared/contract/news.ts';
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

/** Questions that one call of `sendDueWritingQuestions` sends at most. */
const sentTogetherMax = 100;

export async function getWritingQuestions(
  app: App,
  { principal }: Call<typeof contract.getWritingQuestions>,
): Promise<Choice> {
  return choiceOf(await findWritingQuestions(app.db, principal.userId));
}

export function chooseWritingQuestions(app: App, call: Call<typeof contract.chooseWritingQuestions>): Promise<Choice> {
  const { userId } = call.principal;
  return changeInVault(app, call, (tx, at) => store(app, tx, { userId, isWanted: call.body.isWanted, at }));
}

/** Finds the owner and the choice of the link at the foot of a question. Null if the link is neither. */
export async function findQuestionsByLink(
  executor: Executor,
  linkHash: string,
): Promise<{ userId: string; email: string; isWanted: boolean } | null> {
  const row = await findWritingQuestionsByLink(executor, linkHash);
  return row && { userId: row.userId, email: row.email, isWanted: row.askedAt !== null };
}

/**
 * Stores a choice that was made by the link. It is no sign of life, since a mail program may have pressed it. The owner's row
 * is locked.
 */
export async function chooseQuestionsByLink(
  app: App,
  tx: Executor,
  { origin, ...choice }: { userId: string; isWanted: boolean; origin: RequestOrigin },
): Promise<void> {
  const at = await app.clock.now(tx);
  const { audit } = await store(app, tx, { ...choice, at });
  if (audit) await recordAudit(app, tx, { ...audit, userId: choice.userId, origin, at });
}

/** Sends the questions that are due, 100 at most. Returns how many it sent. */
export async function sendDueWritingQuestions(app: App): Promise<number> {
  const at = await app.clock.now();
  const before = new Date(at.getTime() - writingQuestionDays * dayMs);
  const due = await listDueWritingQuestions(app.db, { before, limit: sentTogetherMax });
  let sent = 0;
  for (const userId of due) if (await app.db.transaction((tx) => send(app, tx, userId, before))) sent += 1;
  return sent;
}

async function store(
  app: App,
  tx: Executor,
  { userId, isWanted, at }: { userId: string; isWanted: boolean; at: Date },
): Promise<Change<Choice>> {
  const before = choiceOf(await findWritingQuestions(tx, userId));
  if (before.isWanted === isWanted) return { result: before };
  const askedAt = isWanted ? at : null;
  await storeWritingQuestions(tx, { userId, askedAt, linkHash: app.serviceKeys.hashToken(tokenOf(app, userId)) });
  // A queued question is no longer wanted.
  if (!isWanted) await cancelNotificationsFor(app, tx, userId, 'stopped');
  const action = isWanted ? 'account.questions_begin' : 'account.questions_stop';
  return { result: choiceOf({ askedAt }), audit: { action, resource: 'account', resourceId: userId } };
}

async function send(app: App, tx: Executor, userId: string, before: Date): Promise<boolean> {
  const owner = await lockOwnerRow(tx, userId);
  const row = await findWritingQuestions(tx, userId);
  // The owner stopped the questions, or another worker sent this one, since the list was read.
  if (!owner || !row?.askedAt || row.askedAt > before) return false;
  const { baseUrl } = app;
  const at = await app.clock.now(tx);
  const token = tokenOf(app, userId);
  const { question } = writingQuestionOf(row.asked);
  const mail = writingQuestionEmail({
    firstName: owner.firstName,
    question,
    // The sign-in page forwards an owner who is signed in.
    writeUrl: `${baseUrl}/login?question=${row.asked % writingQuestions.length}`,
    stopUrl: `${baseUrl}/news/${token}`,
    baseUrl,
  });
  await enqueueNotification(app, tx, {
    channel: 'email',
    kind: 'writing.question',
    userId,
    subjectId: userId,
    dedupeKey: `writing.question:${userId}:${row.asked}`,
    at,
    to: { address: owner.email },
    mail: { ...mail, headers: unsubscribeHeaders(`${baseUrl}${openNewsPage.path.replace(':token', token)}`) },
  });
  await countWritingQuestion(tx, userId, at);
  return true;
}

/** Token of the owner's link. Every mail has the same one, so that the link of an old mail works too. */
function tokenOf({ serviceKeys }: App, userId: string): string {
  return serviceKeys.derive('writing-questions-link', userId);
}

function choiceOf(row: { askedAt: WritingQuestionsRow['askedAt'] } | null): Choice {
  const askedAt = row?.askedAt ?? null;
  return { isWanted: askedAt !== null, nextAt: askedAt && new Date(askedAt.getTime() + writingQuestionDays * dayMs) };
}
