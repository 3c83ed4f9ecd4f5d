import { kindsHeldWhileFrozen } from '#server/features/release-health/address-proposal-kinds.ts';
import { createHealthKeeper, type HealthKeeper } from '#server/features/release-health/health.service.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { createBreakerForecast } from './breaker-forecast.service.ts';
import { createDamagedLetters } from './damaged-letters.service.ts';
import { createProcess, type Process } from './release.process.ts';
import {
  type Closing,
  createClosing,
  requireAnswer,
  requireNoRelease,
  subscribeToActivity,
} from './release-activity.service.ts';
import { subscribeToBounces } from './release-bounces.service.ts';
import { subscribeToContacts } from './release-contacts.service.ts';
import { createDecisions, type Decisions } from './release-decisions.service.ts';
import { createFreezes, type FreezeUseCases } from './release-freeze.service.ts';
import { subscribeToOutcomes } from './release-outcomes.service.ts';
import { type Answers, createAnswers } from './release-question.service.ts';
import { createSweep } from './release-sweep.service.ts';

export type { ReleaseDependencies, ReleaseLog } from '#server/features/release-state/release-dependencies.ts';

export type Releases = Decisions &
  Pick<Process, 'look' | 'lookAt'> &
  FreezeUseCases &
  Answers & {
    /** Visits owners whose next step is due, at most `limit`; gives how many. One owner's failure stops nobody else. */
    sweep(limit?: number): Promise<number>;
    /** The heartbeat from which healthy time is counted; to be called every minute. */
    beat(): Promise<void>;
    /** Puts letters on their way that were held back because they were damaged, and open now. Gives how many. */
    sendMendedLetters(): Promise<number>;
    /** Ends whatever is under way, since the account is to be deleted. The caller holds the owner's lock. */
    close(tx: Executor, closing: Closing): Promise<void>;
    /** @throws AppError `CONFLICT` where letters have left and nobody has said since whether the owner is back. */
    requireAnswer(executor: Executor, userId: string): Promise<void>;
    /** For what an administrator does. @throws AppError `CONFLICT` while a release of this owner is open. */
    requireNoRelease(tx: Executor, userId: string): Promise<void>;
    /** How much healthy time there has been: what windows are counted in, for whoever waits for somebody's answer. */
    health: HealthKeeper['read'];
  };

/**
 * From silence to delivery. Listens to signs of life, to contacts who accept or leave, to what becomes of mails and to
 * the end of deliveries; all else it does when swept.
 */
export function createReleases(deps: ReleaseDependencies): Releases {
  const health = createHealthKeeper(deps);
  const process = createProcess(deps, health);
  subscribeToActivity(deps, process);
  subscribeToContacts(deps, process, health);
  subscribeToOutcomes(deps, process);
  subscribeToBounces(deps, process);
  deps.notifications.holdWhileFrozen(kindsHeldWhileFrozen);

  const breakerForecast = createBreakerForecast(deps);

  return {
    ...createDecisions(deps, process),
    look: process.look,
    lookAt: process.lookAt,
    ...createFreezes(deps, { health, breakerForecast }),
    ...createAnswers(deps, process),
    sweep: createSweep(deps, process, health, breakerForecast.tellForeseen),
    beat: health.beat,
    sendMendedLetters: createDamagedLetters(deps, health),
    close: createClosing(deps, process),
    requireAnswer,
    requireNoRelease,
    health: health.read,
  };
}
