import type { App } from '#server/app.ts';
import { recordAudit } from '#server/features/audit/record.ts';
import { acceptClock, bringBackMarks } from './clock-acceptance.repository.ts';
import { clockAheadUntil } from './clock-watch.ts';

/**
 * Accepts the current time as the right one, after the clock was ahead. Times that were stored for the future become the
 * current time, so nothing waits for them, and no wait becomes shorter. Returns the latest time that the clock had shown. Null
 * if the clock is not behind, and then nothing changes.
 */
export async function acceptCurrentTime(app: App): Promise<Date | null> {
  const before = await clockAheadUntil(app);
  if (!before) return null;
  await app.db.transaction(async (tx) => {
    const at = await app.clock.now(tx);
    await bringBackMarks(tx, at);
    await recordAudit(app, tx, {
      userId: null,
      action: 'release.clock_accepted',
      resource: 'installation',
      details: { aheadUntil: before.toISOString() },
      at,
    });
    // Every transaction takes this row last, because all share it.
    await acceptClock(tx, at);
  });
  return before;
}
