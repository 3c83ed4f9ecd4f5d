import type { Executor } from '#server/platform/db/database.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { ReturnAnswer } from '#shared/contract/release.ts';
import { hasLettersOut } from './checkin-links.repository.ts';
import type { Actor } from './release-actors.ts';
import type { ReleaseDependencies } from './release-dependencies.ts';
import type { Engine } from './release-engine.service.ts';
import { ownerLeavesItSo, somebodyElseSignedIn } from './release-question.rules.ts';

export type Answers = {
  /**
   * What somebody who signed in after letters had left says of who they are. `back` and `leave` are signs of life; after
   * `not-me` everything goes on, and ending the session is the caller's.
   *
   * @throws AppError `CONFLICT` where nothing is asked.
   */
  answer(actor: Actor, take: ReturnAnswer): Promise<void>;
};

export function createAnswers({ db, clock, accounts, audit }: ReleaseDependencies, engine: Engine): Answers {
  /** Everything but the taking back, which is what any sign of life does. */
  async function endQuestion(tx: Executor, { userId, origin }: Actor, at: Date, take: 'leave' | 'not-me') {
    const situation = await engine.read(tx, userId, at);
    if (!situation) throw notFound();
    const [event, action] =
      take === 'leave'
        ? [ownerLeavesItSo(situation.facts), 'left_as_it_is']
        : [somebodyElseSignedIn(situation.facts), 'signed_in_by_another'];
    await engine.apply(tx, situation, at, { ...event, action, origin });
  }

  return {
    answer: ({ userId, origin }, take) =>
      db.transaction(async (tx) => {
        if (!(await accounts.lockOwner(tx, userId))) throw notFound();
        if (!(await hasLettersOut(tx, userId))) throw nothingAsked();
        const at = await clock.now(tx);
        if (take !== 'back') await endQuestion(tx, { userId, origin }, at, take);
        if (take === 'not-me') return;
        const entry = { userId, action: 'release.owner_answered', resource: 'user', resourceId: userId };
        await audit.record(tx, { ...entry, details: { take }, origin, at });
        await accounts.recordActivity(tx, { userId, type: 'manual', at, origin });
      }),
  };
}

function nothingAsked(): AppError {
  return new AppError('CONFLICT', 'This has been answered already. The dashboard shows how things stand.');
}
