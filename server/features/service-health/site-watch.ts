import type { App } from '#server/app.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { askSite } from '#server/platform/site/ask-site.ts';
import { noteLook } from './alerts.ts';
import { readSite, writeSite } from './site-watch.repository.ts';
import { afterAsk, askTimeoutMs, siteDownUntil, unansweredSince } from './site-watch.rules.ts';

/** Asks the site at its public address, and emails the operator if it does not answer. */
export async function watchSite(app: App): Promise<void> {
  const { db, clock, baseUrl } = app;
  const reason = await askSite(baseUrl, { timeoutMs: askTimeoutMs });
  const troubledSinceMs = await db.transaction(async (tx) => {
    const before = await readSite(tx, { forUpdate: true });
    const nowMs = (await clock.now(tx)).getTime();
    const after = afterAsk(before, { address: baseUrl, nowMs, reason });
    await writeSite(tx, after);
    // Undefined if the site has been silent for too short a time: neither well nor in trouble.
    return reason === null ? null : (unansweredSince(after, nowMs) ?? undefined);
  });
  if (troubledSinceMs === undefined) return;
  await noteLook(app, 'site', { troubledSinceMs, reason });
}

/** Returns the time until which the site is known not to have answered, see `siteDownUntil`. Null if nothing is known. */
export async function siteDownUntilMs(executor: Executor, nowMs: number): Promise<number | null> {
  const record = await readSite(executor);
  return record && siteDownUntil(record, nowMs);
}
