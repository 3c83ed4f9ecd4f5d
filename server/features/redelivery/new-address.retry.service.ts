import { findOpenRequest } from '#server/features/release-state/release.repository.ts';
import type { ReleaseDependencies } from '#server/features/release-state/release-dependencies.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { isForOperator, isStopped } from './new-address.rules.ts';
import type { Acting } from './new-address.send.service.ts';
import { type ReleasesSeen, readAddressScene } from './new-address-scene.service.ts';

/** How many letters are on their way again, or why none can be. */
export type Retried = number | 'unknown' | 'nothing_open' | 'stopped';

export type RetriedOwner = {
  email: string;
  agrees: boolean;
  /** Called in the same transaction if a letter is tried again. The owner's row is locked. */
  onRetried?: (tx: Executor, of: { userId: string; letters: number; at: Date }) => Promise<void>;
};

type Parts = {
  releases: ReleasesSeen;
  tryAgain(acting: Acting, address: string): Promise<void>;
  send(acting: Acting, how: 'operator_agreed'): Promise<void>;
};

/** Nobody's link is used: the operator sees no letter and no address, and only says that it is tried again. */
const nobody = '';

/** What the operator can do for letters that were refused: once a provider lets our mail in again, say. */
export function createRetries(deps: ReleaseDependencies, { releases, tryAgain, send }: Parts) {
  const { db, clock, accounts } = deps;

  return async function retry({ email, agrees, onRetried }: RetriedOwner): Promise<Retried> {
    return db.transaction(async (tx) => {
      const found = await accounts.ownerByEmail(tx, email);
      const owner = found && (await accounts.lockOwner(tx, found.id));
      if (!owner) return 'unknown';
      const request = await findOpenRequest(tx, owner.id);
      if (!request?.releasedAt) return 'nothing_open';
      const at = await clock.now(tx);
      const link = { requestId: request.id, contactId: nobody, at };
      const scene = await readAddressScene(tx, link, { deps, releases });
      if (!scene) return 'unknown';
      if (isStopped(scene.facts)) return 'stopped';

      const refused = scene.letters.filter(({ unreached }) => unreached.status === 'bounced');
      const damaged = await deps.messages.damagedAmong(
        tx,
        owner.id,
        refused.map(({ unreached }) => unreached.messageId),
      );
      let retried = 0;
      for (const letter of refused) {
        const { address, messageId } = letter.unreached;
        if (damaged.has(messageId)) continue;
        const acting = { tx, scene, letter };
        if (agrees && !isForOperator(scene.facts, letter.facts, at.getTime())) continue;
        await (agrees ? send(acting, 'operator_agreed') : tryAgain(acting, address));
        retried += 1;
      }
      if (retried > 0) await onRetried?.(tx, { userId: owner.id, letters: retried, at });
      return retried;
    });
  };
}
