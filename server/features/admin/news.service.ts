import type { Accounts } from '#server/features/accounts/accounts.service.ts';
import type { Audit, RequestOrigin } from '#server/features/audit/audit.service.ts';
import type { Clock } from '#server/platform/clock/clock.ts';
import type { HashToken } from '#server/platform/crypto/token.ts';
import type { Database } from '#server/platform/db/database.ts';
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
};

/** What the link at the foot of news leads to. */
export function createNews({ db, clock, hashToken, accounts, audit }: Dependencies): News {
  return {
    async read(token) {
      const found = await findByNewsLink(db, hashToken(token));
      if (!found) throw deadLink();
      return { email: veiledAddress(found.email), wantsNews: found.newsStoppedAt === null };
    },

    async choose(token, wantsNews, origin) {
      return db.transaction(async (tx) => {
        const found = await findByNewsLink(tx, hashToken(token));
        const owner = found && (await accounts.lockOwner(tx, found.userId));
        if (!owner) throw deadLink();
        const userId = owner.id;
        if (wantsNews !== (owner.newsStoppedAt === null)) {
          const at = await clock.now(tx);
          await storeNewsChoice(tx, { userId, wantsNews, at });
          const action = wantsNews ? 'account.news_begin' : 'account.news_stop';
          await audit.record(tx, { userId, action, resource: 'account', resourceId: userId, origin, at });
        }
        return { email: veiledAddress(owner.email), wantsNews };
      });
    },
  };
}

function deadLink() {
  return notFound('We do not know this link. Take the one at the foot of our latest email.');
}
