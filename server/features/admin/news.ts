import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { chooseQuestionsByLink, findQuestionsByLink } from '#server/features/writing-questions/writing-questions.ts';
import type { Call, HttpCall } from '#server/http/bind.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/news.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { veiledAddress } from '#shared/rules/veiled-address.ts';
import { findByNewsLink, storeNewsChoice } from './bulk-emails.repository.ts';

type Choice = RouteAnswer<typeof contract.getNewsChoice>;

/** Returns the choice of the link's holder, about news or a question a month. @throws AppError `NOT_FOUND`. */
export async function getNewsChoice(app: App, { params }: Call<typeof contract.getNewsChoice>): Promise<Choice> {
  const { about, email, isWanted } = await find(app, app.db, params.token);
  return { about, email: veiledAddress(email), wantsNews: isWanted };
}

/** Stops the mails or starts them again. @throws AppError `NOT_FOUND`. */
export function setNewsChoice(
  app: App,
  { params, body, origin }: Call<typeof contract.setNewsChoice>,
): Promise<Choice> {
  return choose(app, params.token, { wantsNews: body.wantsNews, origin });
}

/** Leads a browser that opened the address of the one-click button to the page. @throws AppError `NOT_FOUND`. */
export async function openNewsPage(app: App, call: HttpCall<typeof contract.openNewsPage>) {
  await find(app, app.db, call.params.token);
  return call.reply.redirect(`/news/${encodeURIComponent(call.params.token)}`);
}

/** Stops the mails for a mail program (RFC 8058). @throws AppError `NOT_FOUND`. */
export async function stopNewsAtOnce(app: App, { params, origin }: Call<typeof contract.stopNewsAtOnce>) {
  await choose(app, params.token, { wantsNews: false, origin });
  return { ok: true as const };
}

/** Stores a choice. Repeating it changes nothing. It is no sign of life, since a mail program may have pressed. */
async function choose(
  app: App,
  token: string,
  { wantsNews, origin }: { wantsNews: boolean; origin: RequestOrigin },
): Promise<Choice> {
  return app.db.transaction(async (tx) => {
    const { userId } = await find(app, tx, token);
    const owner = await lockOwnerRow(tx, userId);
    if (!owner) throw unknownLink();
    // Another call may have changed the choice before the lock.
    const { about, isWanted } = await find(app, tx, token);
    if (about === 'questions') await chooseQuestionsByLink(app, tx, { userId, isWanted: wantsNews, origin });
    else if (wantsNews !== isWanted) await chooseNews(app, tx, { userId, wantsNews, origin });
    return { about, email: veiledAddress(owner.email), wantsNews };
  });
}

async function chooseNews(
  app: App,
  tx: Executor,
  { userId, wantsNews, origin }: { userId: string; wantsNews: boolean; origin: RequestOrigin },
): Promise<void> {
  const at = await app.clock.now(tx);
  await storeNewsChoice(tx, { userId, wantsNews, at });
  const action = wantsNews ? 'account.news_begin' : 'account.news_stop';
  await recordAudit(app, tx, { userId, action, resource: 'account', resourceId: userId, origin, at });
}

/** Finds the owner of a link, the kind of mails it stops, and if the owner gets them. */
async function find({ serviceKeys }: App, executor: Executor, token: string) {
  const linkHash = serviceKeys.hashToken(token);
  const news = await findByNewsLink(executor, linkHash);
  if (news) return { about: 'news' as const, ...news, isWanted: news.newsStoppedAt === null };
  const questions = await findQuestionsByLink(executor, linkHash);
  if (!questions) throw unknownLink();
  return { about: 'questions' as const, ...questions };
}

function unknownLink() {
  return notFound('We do not know this link. Take the one at the foot of our latest email.');
}
