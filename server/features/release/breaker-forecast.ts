import type { App } from '#server/app.ts';
import { findOwnerByEmail, lockOwnerRows } from '#server/features/accounts/accounts.repository.ts';
import { recordAudits } from '#server/features/audit/record.ts';
import { enqueueToOperator } from '#server/features/notifications/enqueue.ts';
import { expectSilences, type Foreseen, listForeseen } from '#server/features/release-health/brake.repository.ts';
import { countOwners } from '#server/features/release-health/health.repository.ts';
import { breakerLimit } from '#server/features/release-health/health.rules.ts';
import { foreseenEmail } from '#server/features/release-health/operator.emails.ts';

/**
 * Forecasts the breaker ten days ahead: the days on which more owners had their last reminder than may move by silence
 * together.
 */
export async function forecastBreaker({ db }: App): Promise<Foreseen[]> {
  const days = await listForeseen(db, breakerLimit(0));
  if (days.length === 0) return days;
  const limit = breakerLimit(await countOwners(db));
  return days.filter((day) => day.accounts.length > limit);
}

/**
 * Notifies the operator once of each such day, so that they can answer before a step is stopped. Call it after every
 * sweep that moved an owner, since accepted reminders are counted.
 */
export async function notifyOfForecast(app: App): Promise<void> {
  const { db, clock, settings, baseUrl } = app;
  if (!settings.adminEmail) return;
  for (const { day, accounts } of await forecastBreaker(app)) {
    await enqueueToOperator(app, db, {
      kind: 'operator.foreseen',
      dedupeKey: `operator-foreseen:${day}`,
      at: await clock.now(),
      mail: foreseenEmail({ day, accounts, baseUrl }),
    });
  }
}

/** Allows the steps of all foreseen owners, or of this one. False if there is none. */
export async function allowForeseen(app: App, email?: string): Promise<boolean> {
  const { db, clock } = app;
  const meant = (await forecastBreaker(app)).flatMap(({ accounts, userIds }) =>
    email === undefined || accounts.includes(email) ? userIds : [],
  );
  const one = email === undefined ? undefined : await findOwnerByEmail(db, email);
  const userIds = one ? meant.filter((id) => id === one.id) : meant;
  if (userIds.length === 0) return false;
  await db.transaction(async (tx) => {
    await lockOwnerRows(tx, userIds);
    await expectSilences(tx, userIds);
    const at = await clock.now(tx);
    const details = { by: 'operator' };
    const entry = { action: 'release.silence_expected', resource: 'user', details, at };
    await recordAudits(
      app,
      tx,
      userIds.map((userId) => ({ ...entry, userId, resourceId: userId })),
    );
  });
  return true;
}
