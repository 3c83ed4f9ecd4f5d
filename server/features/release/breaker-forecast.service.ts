import { expectSilences, type Foreseen, listForeseen } from '#server/features/release-health/brake.repository.ts';
import { countOwners } from '#server/features/release-health/health.repository.ts';
import { breakerLimit } from '#server/features/release-health/health.rules.ts';
import { foreseenEmail } from '#server/features/release-health/operator.emails.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';

/**
 * The breaker, ten days ahead: more owners have had their last reminder on one day than may be moved on by silence together.
 * The operator is told who they are, once a day of theirs, and can answer before anything stands still.
 */
export function createBreakerForecast({
  db,
  clock,
  accounts,
  notifications,
  audit,
  adminEmail,
  baseUrl,
}: ReleaseDependencies) {
  async function foreseen(): Promise<Foreseen[]> {
    const days = await listForeseen(db, breakerLimit(0));
    if (days.length === 0) return days;
    const limit = breakerLimit(await countOwners(db));
    return days.filter((day) => day.accounts.length > limit);
  }

  return {
    foreseen,

    /** To be called after every sweep that moved somebody on: an accepted reminder is what is counted. */
    async tellForeseen(): Promise<void> {
      if (!adminEmail) return;
      for (const { day, accounts } of await foreseen()) {
        await notifications.enqueue(db, {
          channel: 'email',
          kind: 'operator.foreseen',
          userId: null,
          subjectId: null,
          dedupeKey: `operator-foreseen:${day}`,
          at: await clock.now(),
          to: { address: adminEmail },
          mail: foreseenEmail({ day, accounts, baseUrl }),
        });
      }
    },

    /** Lets all of them go on when it is time, or this one; false where nobody is meant. */
    async expectForeseen(email?: string): Promise<boolean> {
      const meant = (await foreseen()).flatMap(({ accounts: addresses, userIds }) =>
        email === undefined || addresses.includes(email) ? userIds : [],
      );
      const one = email === undefined ? undefined : await accounts.ownerByEmail(db, email);
      const userIds = one ? meant.filter((id) => id === one.id) : meant;
      if (userIds.length === 0) return false;
      await db.transaction(async (tx) => {
        await accounts.lockOwners(tx, userIds);
        await expectSilences(tx, userIds);
        const at = await clock.now(tx);
        const details = { by: 'operator' };
        const entry = { action: 'release.silence_expected', resource: 'user', details, at };
        await audit.recordAll(
          tx,
          userIds.map((userId) => ({ ...entry, userId, resourceId: userId })),
        );
      });
      return true;
    },
  };
}
