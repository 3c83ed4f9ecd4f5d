import { hasLettersOut } from '#server/features/release-state/checkin-links.repository.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { ReturnAnswer } from '#shared/contract/release/release.ts';
import type { Process } from './release.process.ts';
import type { Actor } from './release-actors.ts';

export type Answers = {
  /**
   * What somebody who signed in after letters had left says of who they are. `back` and `leave` are signs of life; after
   * `not-me` everything goes on, and ending the session is the caller's.
   *
   * @throws AppError `CONFLICT` where nothing is asked.
   */
  answer(actor: Actor, take: ReturnAnswer): Promise<void>;
};

export function createAnswers({ db, clock, accounts, audit }: ReleaseDependencies, process: Process): Answers {
  return {
    answer: ({ userId, origin }, take) =>
      db.transaction(async (tx) => {
        if (!(await accounts.lockOwner(tx, userId))) throw notFound();
        if (!(await hasLettersOut(tx, userId))) throw nothingAsked();
        const at = await clock.now(tx);
        const situation = await process.read(tx, userId, at);
        if (!situation) throw notFound();
        const command =
          take === 'not-me'
            ? ({ kind: 'is_not_owner' } as const)
            : { kind: 'is_owner' as const, takesBack: take === 'back' };
        const refused = await process.act(tx, situation, at, { command, origin });
        if (refused) throw nothingAsked();
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
