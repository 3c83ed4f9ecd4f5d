import type { Clock } from '#server/platform/clock/clock.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { askSite } from '#server/platform/site/ask-site.ts';
import type { Alerts } from './alerts.service.ts';
import { readSite, writeSite } from './site-watch.repository.ts';
import { afterAsk, askTimeoutMs, siteDownUntil, unansweredSince } from './site-watch.rules.ts';

/** How a worker watches the site. */
export type SiteWatch = {
  /** Asks the site once; to be called about once a minute. */
  look(): Promise<void>;
};

export type SiteWatchDependencies = {
  db: Database;
  clock: Clock;
  alerts: Pick<Alerts, 'noteLook'>;
  /** Where the site is asked. */
  baseUrl: string;
};

export function createSiteWatch({ db, clock, alerts, baseUrl }: SiteWatchDependencies): SiteWatch {
  return {
    async look() {
      const reason = await askSite(baseUrl, { timeoutMs: askTimeoutMs });
      const troubledSinceMs = await db.transaction(async (tx) => {
        const before = await readSite(tx, { forUpdate: true });
        const nowMs = (await clock.now(tx)).getTime();
        const after = afterAsk(before, { address: baseUrl, nowMs, reason });
        await writeSite(tx, after);
        // Without an answer, and not for long enough to be told: neither well nor trouble.
        return reason === null ? null : (unansweredSince(after, nowMs) ?? undefined);
      });
      if (troubledSinceMs === undefined) return;
      await alerts.noteLook('site', { troubledSinceMs, reason });
    },
  };
}

/** Until when the site is known not to have answered; see `siteDownUntil`. Null where nothing is known. */
export async function siteDownUntilMs(executor: Executor, nowMs: number): Promise<number | null> {
  const record = await readSite(executor);
  return record && siteDownUntil(record, nowMs);
}
