import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { LetterId } from '#server/features/messages/messages.service.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { type DeliveryDependencies, readerOf, sealReader } from './delivery.dependencies.ts';
import type { Links } from './delivery.links.ts';
import type { Mailing } from './delivery.mailing.service.ts';
import { type DeliveryRow, isReleaseClosed } from './delivery.repository.ts';
import {
  cancelWaiting,
  listWaiting,
  lockWaiting,
  lockWaitingOf,
  moveWaiting,
  releaseNumberOf,
  removeWaiting,
} from './waiting-letters.repository.ts';

type Due = { owner: OwnerRow; recipientIds: readonly string[]; at: Date };
type HoldBack = (
  tx: Executor,
  held: { owner: OwnerRow; requestId: string; at: Date; letters: readonly LetterId[] },
) => Promise<void>;

export type WaitingLetters = {
  /**
   * The day of these letters has come: they are on their way, whatever became of their release. One that is damaged is held
   * back. The caller's transaction holds the owner's lock.
   */
  sendOnDay(tx: Executor, due: Due): Promise<void>;
  /** The owner takes back all that waits. The caller's transaction holds their lock. */
  takeBackWaiting(tx: Executor, owner: { userId: string; at: Date }): Promise<void>;
  /** When letters of an owner leave that wait for their day, the next first: one for each of those a message is for. */
  waitingDays(executor: Executor, userId: string): Promise<{ requestId: string; messageId: string; dueAt: Date }[]>;
};

/** Letters with a day of their own: they wait as rows of their own, and go by themselves. */
export function createWaitingLetters(
  { accounts, messages, audit }: Pick<DeliveryDependencies, 'accounts' | 'messages' | 'audit'>,
  { mailing, holdBack }: { mailing: Mailing; holdBack: HoldBack },
): WaitingLetters {
  return {
    async sendOnDay(tx, { owner, recipientIds, at }) {
      const vault = await accounts.openVault(tx, owner.id);
      const due = await lockWaiting(tx, owner.id, recipientIds);
      const messageIds = [...new Set(due.map(({ messageId }) => messageId))];
      const damagedIds = await messages.damagedAmong(tx, owner.id, messageIds);
      for (const [requestId, letters] of Map.groupBy(due, (letter) => letter.requestId)) {
        const whole: DeliveryRow[] = [];
        const damaged: DeliveryRow[] = [];
        for (const letter of letters) {
          const isWhole = !damagedIds.has(letter.messageId) && unlessBroken(() => readerOf(vault, letter));
          (isWhole ? whole : damaged).push(letter);
        }
        const releaseNumber = await releaseNumberOf(tx, requestId);
        await mailing.bringOnDay(tx, { owner, vault, requestId, releaseNumber, at }, whole);
        const details = { deliveries: whole.length };
        const entry = { userId: owner.id, action: 'delivery.day_came', resource: 'release_request' };
        await audit.record(tx, { ...entry, resourceId: requestId, details, at });
        if (damaged.length === 0) continue;
        await removeWaiting(
          tx,
          damaged.map(({ id }) => id),
        );
        // Of a release that is closed contacts have no page any more: it is ready again.
        if (!(await isReleaseClosed(tx, requestId))) await holdBack(tx, { owner, requestId, at, letters: damaged });
      }
    },

    async takeBackWaiting(tx, { userId, at }) {
      const messageIds = await cancelWaiting(tx, userId, at);
      await messages.settleFates(tx, messageIds);
      const entry = { userId, action: 'delivery.cancelled', resource: 'message', at };
      await audit.recordAll(
        tx,
        messageIds.map((resourceId) => ({ ...entry, resourceId })),
      );
    },

    waitingDays: listWaiting,
  };
}

/** An address that contacts gave for somebody holds for what waits for them too. */
export async function moveWaitingTo(
  tx: Executor,
  { accounts, links }: Pick<DeliveryDependencies, 'accounts'> & { links: Links },
  { refused, address }: { refused: DeliveryRow; address: string },
): Promise<void> {
  const waiting = await lockWaitingOf(tx, refused);
  if (waiting.length === 0) return;
  const { userId, releaseNumber } = refused;
  const vault = await accounts.openVault(tx, userId);
  for (const letter of waiting) {
    const reader = { address, name: readerOf(vault, letter).name };
    await moveWaiting(tx, letter.id, {
      ...sealReader(vault, letter.id, reader),
      personKey: links.personKeyOf({ userId, releaseNumber, reader }),
      deliveryToken: links.tokenHashOf({ ...letter, address }),
      addressFrom: 'contact',
    });
  }
}
