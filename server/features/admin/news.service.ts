import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { WritingQuestions } from '#server/features/writing-questions/writing-questions.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { HashToken } from '#server/platform/crypto/token.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { notFound } from '#shared/contract/errors.ts';
import type { getNewsChoice } from '#shared/contract/news.ts';
import type { RouteAnswer } from '#shared/contract/route.ts';
import { veiledAddress } from '#shared/rules/veiled-address.ts';
import { findByNewsLink, storeNewsChoice } from './bulk-emails.repository.ts';

type Choice = RouteAnswer<typeof getNewsChoice>;

export type News = {
  /** What the holder of a link has chosen. @throws AppError `NOT_FOUND`. */
  read(token: string): Promise<Choice>;
  /** Stops the news, or begins them again; twice is fine. No sign of life: a mail program may have pressed. @throws AppError `NOT_FOUND`. */
  choose(token: string, wantsNews: boolean, origin: RequestOrigin): Promise<Choice>;
};

type Dependencies = {
  db: Database;
  clock: Clock;
  hashToken: HashToken;
  accounts: Pick<Accounts, 'lockOwner'>;
  audit: Pick<Audit, 'record'>;
  /** The link at the foot of a question a month leads to the same page. */
  writingQuestions: Pick<WritingQuestions, 'byLink' | 'chooseByLink'>;
};

/** What the link at the foot of news, and of a question a month, leads to. */
export function createNews({ db, clock, hashToken, accounts, audit, writingQuestions }: Dependencies): News {
  /** Whose link it is, of which mails, and whether they get them. */
  async function find(executor: Executor, token: string) {
    const linkHash = hashToken(token);
    const news = await findByNewsLink(executor, linkHash);
    if (news) return { about: 'news' as const, ...news, isWanted: news.newsStoppedAt === null };
    const questions = await writingQuestions.byLink(executor, linkHash);
    if (!questions) throw deadLink();
    return { about: 'questions' as const, ...questions };
  }

  async function chooseNews(tx: Executor, userId: string, wantsNews: boolean, origin: RequestOrigin): Promise<void> {
    const at = await clock.now(tx);
    await storeNewsChoice(tx, { userId, wantsNews, at });
    const action = wantsNews ? 'account.news_begin' : 'account.news_stop';
    await audit.record(tx, { userId, action, resource: 'account', resourceId: userId, origin, at });
  }

  return {
    async read(token) {
      const { about, email, isWanted } = await find(db, token);
      return { about, email: veiledAddress(email), wantsNews: isWanted };
    },

    async choose(token, wantsNews, origin) {
      return db.transaction(async (tx) => {
        const { userId } = await find(tx, token);
        const owner = await accounts.lockOwner(tx, userId);
        if (!owner) throw deadLink();
        // Once more under the lock.
        const { about, isWanted } = await find(tx, token);
        if (about === 'questions') await writingQuestions.chooseByLink(tx, { userId, isWanted: wantsNews, origin });
        else if (wantsNews !== isWanted) await chooseNews(tx, userId, wantsNews, origin);
        return { about, email: veiledAddress(owner.email), wantsNews };
      });
    },
  };
}

function deadLink() {
  return notFound('We do not know this link. Take the one at the foot of our latest email.');
}
