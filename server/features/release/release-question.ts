import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordActivity } from '#server/features/accounts/activity.ts';
import { type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { hasLettersOut } from '#server/features/release-state/checkin-links.repository.ts';
import { lockWorld } from '#server/features/release-state/release.store.ts';
import { endBrowserSession } from '#server/features/sessions/sign-out.ts';
import type { HttpCall } from '#server/http/bind.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/release/release.ts';
import { runCommand } from './release.ts';

/** @throws AppError `CONFLICT` if no question is open. */
export async function answerRelease(app: App, call: HttpCall<typeof contract.answerRelease>) {
  const { take } = call.body;
  await answerQuestion(app, call, take);
  if (take === 'not-me') await endBrowserSession(app, call);
  return { ok: true as const };
}

/**
 * Records who signed in after letters had left. `back` and `leave` are activity. After `not-me` everything continues,
 * and the caller ends the session.
 * @throws AppError `CONFLICT` if no question is open.
 */
export function answerQuestion(
  app: App,
  { principal: { userId }, origin }: { principal: { userId: string }; origin: RequestOrigin },
  take: contract.ReturnAnswer,
): Promise<void> {
  return app.db.transaction(async (tx) => {
    if (!(await lockOwnerRow(tx, userId))) throw notFound();
    if (!(await hasLettersOut(tx, userId))) throw nothingAsked();
    const at = await app.clock.now(tx);
    const loaded = await lockWorld(app, tx, { userId, at });
    if (!loaded) throw notFound();
    const command =
      take === 'not-me'
        ? ({ kind: 'is_not_owner' } as const)
        : { kind: 'is_owner' as const, takesBack: take === 'back' };
    const refused = await runCommand(app, tx, loaded, { at, command, origin });
    if (refused) throw nothingAsked();
    if (take === 'not-me') return;
    const entry = { userId, action: 'release.owner_answered', resource: 'user', resourceId: userId };
    await recordAudit(app, tx, { ...entry, details: { take }, origin, at });
    await recordActivity(app, tx, { userId, type: 'manual', at, origin });
  });
}

function nothingAsked(): AppError {
  return new AppError('CONFLICT', 'This has been answered already. The dashboard shows the answer.');
}
