import type { App } from '#server/app.ts';
import { findOwnerByEmail, lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { findDamagedMessages } from '#server/features/messages/letters.ts';
import { findOpenRequest } from '#server/features/release-state/release.repository.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { isForOperator, isStopped } from './new-address.rules.ts';
import { readAddressScene } from './new-address-scene.ts';
import { sendToProposed, tryAgain } from './new-address-sending.ts';

/** Number of letters that are queued again, or the reason why none can be. */
export type Retried = number | 'unknown' | 'nothing_open' | 'stopped';

export type RetriedOwner = {
  email: string;
  /** True if letters that wait for the operator go to the proposed addresses. */
  agrees: boolean;
  /** Called in the same transaction if a letter is tried again. The owner's row is locked. */
  onRetried?: (tx: Executor, of: { userId: string; letters: number; at: Date }) => Promise<void>;
};

/** The operator uses no contact's link: they see no letter and no address, and only start another try. */
const noContact = '';

/**
 * Queues the refused letters of one owner again, to the addresses that refused them. The operator does so, for example
 * after a provider accepts our mail again.
 */
export async function retryRefused(app: App, { email, agrees, onRetried }: RetriedOwner): Promise<Retried> {
  return app.db.transaction(async (tx) => {
    const found = await findOwnerByEmail(tx, email);
    const owner = found && (await lockOwnerRow(tx, found.id));
    if (!owner) return 'unknown';
    const request = await findOpenRequest(tx, owner.id);
    if (!request?.releasedAt) return 'nothing_open';
    const at = await app.clock.now(tx);
    const scene = await readAddressScene(app, tx, { requestId: request.id, contactId: noContact, at });
    if (!scene) return 'unknown';
    if (isStopped(scene.facts)) return 'stopped';

    const refused = scene.letters.filter(({ unreached }) => unreached.status === 'bounced');
    const damaged = await findDamagedMessages(
      app,
      tx,
      owner.id,
      refused.map(({ unreached }) => unreached.messageId),
    );
    let retried = 0;
    for (const letter of refused) {
      const { address, messageId } = letter.unreached;
      if (damaged.has(messageId)) continue;
      const press = { tx, scene, letter };
      if (agrees && !isForOperator(scene.facts, letter.facts, at.getTime())) continue;
      await (agrees ? sendToProposed(app, press, 'operator_agreed') : tryAgain(app, press, address));
      retried += 1;
    }
    if (retried > 0) await onRetried?.(tx, { userId: owner.id, letters: retried, at });
    return retried;
  });
}
