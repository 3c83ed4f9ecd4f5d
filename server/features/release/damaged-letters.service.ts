import type { HealthKeeper } from '#server/features/release-health/health.service.ts';
import { findOpenRequest } from '#server/features/release-state/release.repository.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import { type DeliverOn, ownDayAt } from '#shared/rules/deliver-on.ts';
import { noteMailboxes } from './early-review.service.ts';

const requestsPerPage = 500;

/**
 * Letters that this very release held back because they were damaged, and that open now: they are put on their way as the
 * others were. What became ready afterwards, by an import say, stays and waits for a later release. A
 * release whose owner came back since, or who is frozen, sends nothing. Letters of an owner that cannot be put on their way
 * keep nobody else's back; they are tried again the next time.
 */
export function createDamagedLetters(
  { db, clock, accounts, messages, deliveries, hashToken, log }: ReleaseDependencies,
  health: Pick<HealthKeeper, 'read'>,
): () => Promise<number> {
  async function sendOf(userId: string): Promise<number> {
    return db.transaction(async (tx) => {
      const owner = await accounts.lockOwner(tx, userId);
      const request = await findOpenRequest(tx, userId);
      const at = await clock.now(tx);
      const { isFrozen, isClockBehind } = await health.read(tx, at);
      if (!owner || !request?.releasedAt || owner.releaseFrozenAt || isFrozen || isClockBehind) return 0;

      const held = new Set((await deliveries.heldBackIn(tx, request.id)).map(({ recipientId }) => recipientId));
      if (held.size === 0) return 0;
      const { whole } = await messages.lettersToSend(tx, userId);
      const { id: requestId, releaseNumber, releasedAt } = request;
      const letters = whole
        .filter(({ recipientId }) => held.has(recipientId))
        .map((letter) => ({ ...letter, dueAt: dayToCome(letter.deliverOn, { releasedAt, at }) }));
      if (letters.length === 0) return 0;
      await noteMailboxes({ hashToken }, { tx, at }, { request, addresses: letters.map(({ email }) => email) });
      return deliveries.createFor(tx, { userId, requestId, releaseNumber, at, letters });
    });
  }

  /** The day of its own for which it waits; null where it has none, or it has passed. */
  function dayToCome(deliverOn: DeliverOn, { releasedAt, at }: { releasedAt: Date; at: Date }): Date | null {
    const dueAtMs = ownDayAt(deliverOn, releasedAt.getTime());
    return dueAtMs !== null && dueAtMs > at.getTime() ? new Date(dueAtMs) : null;
  }

  async function trySendOf(userId: string): Promise<number> {
    try {
      return await sendOf(userId);
    } catch (error) {
      const failure = error instanceof Error ? error.name : 'unknown';
      log.error({ owner: userId, failure }, 'Letters that open again could not be put on their way.');
      return 0;
    }
  }

  return async function sendMendedLetters() {
    let sent = 0;
    let after: string | null = null;
    for (;;) {
      const page = { after, limit: requestsPerPage };
      const requests: { id: string; userId: string }[] = await deliveries.holdingBack(db, page);
      for (const { userId } of requests) sent += await trySendOf(userId);
      after = requests.at(-1)?.id ?? null;
      if (requests.length < requestsPerPage) return sent;
    }
  };
}
