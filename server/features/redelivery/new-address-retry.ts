import type { App } from '#server/app.ts';
import { findOwnerByEmail, lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { findDamagedMessages } from '#server/features/messages/letters.ts';
import { findOpenRequest } from '#server/features/release-state/release.repository.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { isForOperator, isStopped } from './new-address.rules.ts';
import { readAddressScene } from './new-address-scene.ts';
import { sendToProposed, tryAgain } from './new-address-sending.ts';

/** Number of letters that were queued again, which may be 0, or the reason why no letter can be. */
export type Retried = number | 'unknown' | 'nothing_open' | 'stopped';

export type RetriedOwner = {
  email: string;
  /** True: only letters with a proposal that waits for the operator are sent, to the proposed address. False: all, to the old one. */
  agrees: boolean;
  /** Called in the same transaction if a letter was queued. The owner's row is locked. */
  onRetried?: (tx: Executor, of: { userId: string; letters: number; at: Date }) => Promise<void>;
};

/** In place of a contact's id: the operator has no contact's link. */
const noContact = '';

/**
 * Queues the refused letters of one owner again, for the operator. They go to the addresses that refused them, for
 * example after a provider accepts our mail again. If the operator agrees to proposed addresses, they go there.
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
      if (agrees && !isForOperator(scene.facts, letter.facts, at.getTime())) continue;
      const step = { tx, scene, letter };
      await (agrees ? sendToProposed(app, step, 'operator_agreed') : tryAgain(app, step, address));
      retried += 1;
    }
    if (retried > 0) await onRetried?.(tx, { userId: owner.id, letters: retried, at });
    return retried;
  });
}
