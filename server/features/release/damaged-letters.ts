import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { listDamaged, listReleasesWithDamaged } from '#server/features/delivery/damaged-letters.ts';
import { queueReleasedLetters } from '#server/features/delivery/delivery.ts';
import { readLettersToSend } from '#server/features/messages/letters.ts';
import { takeReading } from '#server/features/release-health/health.ts';
import { findOpenRequest } from '#server/features/release-state/release.repository.ts';
import { type DeliverOn, ownDayAt } from '#shared/rules/deliver-on.ts';
import { noteMailboxes } from './early-review.ts';

const requestsPerPage = 500;

/**
 * Sends damaged letters of open releases that open again. Letters that became ready afterwards, for example by an
 * import, wait for a later release. A release that is frozen, or whose owner came back, sends nothing. Letters of one
 * owner that can't be queued delay no other owner, and are tried again next time. Returns the number of letters.
 */
export async function sendRepairedLetters(app: App): Promise<number> {
  let sent = 0;
  let after: string | null = null;
  for (;;) {
    const page = { after, limit: requestsPerPage };
    const requests: { id: string; userId: string }[] = await listReleasesWithDamaged(app.db, page);
    for (const { userId } of requests) sent += await trySendOf(app, userId);
    after = requests.at(-1)?.id ?? null;
    if (requests.length < requestsPerPage) return sent;
  }
}

async function trySendOf(app: App, userId: string): Promise<number> {
  try {
    return await sendOf(app, userId);
  } catch (error) {
    const failure = error instanceof Error ? error.name : 'unknown';
    app.log.error({ owner: userId, failure }, 'Letters that open again could not be put on their way.');
    return 0;
  }
}

function sendOf(app: App, userId: string): Promise<number> {
  return app.db.transaction(async (tx) => {
    const owner = await lockOwnerRow(tx, userId);
    const request = await findOpenRequest(tx, userId);
    const at = await app.clock.now(tx);
    const { isFrozen, isClockBehind } = await takeReading(app, tx, at);
    if (!owner || !request?.releasedAt || owner.releaseFrozenAt || isFrozen || isClockBehind) return 0;

    const damaged = new Set((await listDamaged(tx, request.id)).map(({ recipientId }) => recipientId));
    if (damaged.size === 0) return 0;
    const { whole } = await readLettersToSend(app, tx, userId);
    const { id: requestId, releaseNumber, releasedAt } = request;
    const letters = whole
      .filter(({ recipientId }) => damaged.has(recipientId))
      .map((letter) => ({ ...letter, dueAt: dayToCome(letter.deliverOn, { releasedAt, at }) }));
    if (letters.length === 0) return 0;
    await noteMailboxes(app, tx, { request, addresses: letters.map(({ email }) => email), at });
    return queueReleasedLetters(app, tx, { userId, requestId, releaseNumber, at, letters });
  });
}

/** Day of its own that a letter waits for. Null if it has none, or if it has passed. */
function dayToCome(deliverOn: DeliverOn, { releasedAt, at }: { releasedAt: Date; at: Date }): Date | null {
  const dueAtMs = ownDayAt(deliverOn, releasedAt.getTime());
  return dueAtMs !== null && dueAtMs > at.getTime() ? new Date(dueAtMs) : null;
}
