import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import { lookAtProposals } from '#server/features/release-health/address-proposals.repository.ts';
import { restartWindows } from '#server/features/release-health/address-proposals.service.ts';
import {
  type Foreseen,
  type HeldMailbox,
  letMailboxGo,
  listCounted,
  listHeldMailboxes,
} from '#server/features/release-health/brake.repository.ts';
import { endEarlyReview, listEarlyReviews } from '#server/features/release-health/early-reviews.repository.ts';
import { readFreezes, wakeOpenReleases } from '#server/features/release-health/health.repository.ts';
import { dayOf, type HealthKeeper, type Restored } from '#server/features/release-health/health.service.ts';
import { ownerFreezeEmail } from '#server/features/release-health/operator.emails.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import { setNextStepAt, updateOwnerSettings } from '#server/features/release-state/release-owners.repository.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { addressIn } from '#shared/rules/addresses/written-address.ts';
import type { createBreakerForecast } from './breaker-forecast.service.ts';

/** What the operator has stopped. */
export type Freezes = {
  /** Since when nothing reaches contacts or recipients of anybody; null while things go on. */
  frozenAt: Date | null;
  reason: string | null;
  /** How many owners are stopped by name. */
  frozenOwners: number;
  /** Since when the breaker has stopped what silence alone would do; null while that goes on. */
  silenceStoppedAt: Date | null;
  /** The accounts that it counted on that day, by address. */
  countedAccounts: string[];
  heldMailboxes: HeldMailbox[];
  /** Accounts, by address, whose early release waits for the operator. */
  earlyReviews: string[];
  /** Whom it would count on a day to come. */
  foreseen: Pick<Foreseen, 'day' | 'accounts'>[];
  /** Where a restore is what has stopped them: how far owners have been told, and what waits. */
  restored: Restored | null;
};

/** `unchanged`: it was so already. `unknown`: no account has this address. `hindered`: it is too early after a restore. */
export type FreezeResult = 'done' | 'unchanged' | 'unknown' | 'hindered';

export type FreezeUseCases = {
  freezes(): Promise<Freezes>;
  /**
   * Stops each step of one owner's release towards contacts and recipients, and the mails that wait for them. Reminders to
   * the owner go on. Nothing that was sent is taken back.
   */
  freezeOwner(email: string): Promise<FreezeResult>;
  /**
   * Lets it go on where it stood, and what was held leaves, or lets what this mailbox has confirmed for others count; every window is whole, since an answer is still waited for.
   */
  resumeOwner(email: string): Promise<FreezeResult>;
  /**
   * Stops every step that reaches contacts or recipients, and every message to them that carries a release on, for
   * everybody, until `resume`. Reminders to owners go on. What is being handed over as this is answered may still arrive.
   */
  freeze(reason: string): Promise<FreezeResult>;
  /** Ends what stops everybody. Where nothing does, it lets go on when it is time whom the breaker is foreseen to stop. */
  resume(): Promise<FreezeResult>;
};

/**
 * The operator's brake: it stops, and lets go of what was stopped. Nothing here starts a release, answers for
 * somebody or shortens a wait. The owner is told by mail: nothing is disarmed silently.
 */
export function createFreezes(
  deps: ReleaseDependencies,
  { health, breakerForecast }: { health: HealthKeeper; breakerForecast: ReturnType<typeof createBreakerForecast> },
): FreezeUseCases {
  const { db, clock, accounts, notifications, audit, baseUrl } = deps;

  async function tellOwner(tx: Executor, owner: OwnerRow, isFrozen: boolean, at: Date): Promise<void> {
    await notifications.enqueue(tx, {
      channel: 'email',
      kind: 'release.owner-freeze',
      userId: owner.id,
      subjectId: owner.id,
      dedupeKey: `owner-freeze:${owner.id}:${at.toISOString()}`,
      at,
      to: { address: owner.email },
      mail: ownerFreezeEmail({ firstName: owner.firstName || 'there', isFrozen, baseUrl }),
    });
  }

  async function setOwner(email: string, isFrozen: boolean): Promise<FreezeResult> {
    const found = await accounts.ownerByEmail(db, addressIn(email));
    if (!found) return 'unknown';
    return db.transaction(async (tx) => {
      const owner = await accounts.lockOwner(tx, found.id);
      if (!owner) return 'unknown';
      if ((owner.releaseFrozenAt !== null) === isFrozen) return 'unchanged';
      const at = await clock.now(tx);
      const { mark } = await health.read(tx, at);
      const resumed = { releaseResumedAt: at, releaseResumedHealthyMs: Math.round(mark.healthyMs) };
      await updateOwnerSettings(tx, owner.id, { releaseFrozenAt: isFrozen ? at : null, ...(isFrozen ? {} : resumed) });
      if (!isFrozen) {
        await restartWindows(tx, notifications, { userId: owner.id, at });
        await notifications.letGo(tx, { userId: owner.id, at });
      }
      await audit.record(tx, {
        userId: owner.id,
        action: isFrozen ? 'release.frozen' : 'release.resumed',
        resource: 'user',
        resourceId: owner.id,
        details: { by: 'operator' },
        at,
      });
      await tellOwner(tx, owner, isFrozen, at);
      return 'done';
    });
  }

  /** Lets a mailbox that the brake of early releases holds go on; false where none is held. */
  async function letGo(mailbox: string): Promise<boolean> {
    const at = await db.transaction(async (tx) => {
      if (!(await letMailboxGo(tx, mailbox))) return null;
      const at = await clock.now(tx);
      const resource = 'installation';
      await audit.record(tx, { userId: null, action: 'release.mailbox_let_go', resource, at });
      return at;
    });
    if (at) await wakeOpenReleases(db, at);
    return at !== null;
  }

  /** Ends the review of an early release; false if none of this account is waiting. */
  async function endReview(email: string): Promise<boolean> {
    const found = await accounts.ownerByEmail(db, email);
    if (!found) return false;
    return db.transaction(async (tx) => {
      if (!(await accounts.lockOwner(tx, found.id)) || !(await endEarlyReview(tx, found.id))) return false;
      const at = await clock.now(tx);
      const entry = { userId: found.id, action: 'release.early_review_ended', resource: 'user', resourceId: found.id };
      await audit.record(tx, { ...entry, details: { by: 'operator' }, at });
      await setNextStepAt(tx, found.id, at);
      await lookAtProposals(tx, { userId: found.id, at });
      return true;
    });
  }

  return {
    async freezes() {
      const { frozenAt, frozenReason, frozenOwners, silenceStoppedAt } = await readFreezes(db);
      const countedAccounts = silenceStoppedAt ? await listCounted(db, dayOf(silenceStoppedAt)) : [];
      const heldMailboxes = await listHeldMailboxes(db);
      const foreseen = (await breakerForecast.foreseen()).map(({ day, accounts }) => ({ day, accounts }));
      const earlyReviews = await listEarlyReviews(db);
      const brakes = { silenceStoppedAt, countedAccounts, heldMailboxes, earlyReviews, foreseen };
      return { frozenAt, reason: frozenReason, frozenOwners, ...brakes, restored: await health.restored() };
    },
    freezeOwner: (email) => setOwner(email, true),
    async resumeOwner(email) {
      const address = addressIn(email);
      const isLetGo = await letGo(address);
      const isExpected = await breakerForecast.expectForeseen(address);
      const isReviewed = await endReview(address);
      const result = await setOwner(email, false);
      return isLetGo || isExpected || isReviewed ? 'done' : result;
    },
    freeze: health.freeze,
    async resume() {
      const result = await health.resume();
      // Nothing stands still: it is the answer to what was foreseen.
      return result === 'unchanged' && (await breakerForecast.expectForeseen()) ? 'done' : result;
    },
  };
}
