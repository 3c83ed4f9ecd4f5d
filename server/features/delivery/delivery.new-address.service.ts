import { randomUUID } from 'node:crypto';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { DeliveryStatus } from '#shared/rules/deliveries.ts';
import {
  type DeliveryDependencies,
  type LinkOfContact,
  recipientContext,
  recipientOf,
} from './delivery.dependencies.ts';
import type { DeliveryMail } from './delivery.mail.service.ts';
import type { DeliveryOutcomes } from './delivery.outcome.service.ts';
import { findNewAddressLink, insertDeliveries, listAllOf, lockDelivery } from './delivery.repository.ts';
import { expiryOf } from './delivery.rules.ts';

/** A message that was refused, or not opened, at every address it was sent to, or is on its way to another one. */
export type Unreached = {
  deliveryId: string;
  messageId: string;
  status: 'bounced' | 'unopened' | 'pending';
  /** To which the last mail went. */
  address: string;
  /** Every address that has refused it, or at which nobody has opened it. */
  refusedBy: readonly string[];
  /** When the last of that was recorded. */
  refusedAt: Date;
};

export type NewAddressDelivery = {
  /** Whose link it is, whatever has become of it since; null for a token that is none of ours. */
  newAddressLink(executor: Executor, token: string): Promise<LinkOfContact | null>;
  /** The address of the page behind it, which is there from now on. */
  newAddressUrl(tx: Executor, link: LinkOfContact, at: Date): Promise<string>;
  /** The messages of a release that have not reached their recipient, since an address refused them or nobody opened them; oldest first. */
  unreached(executor: Executor, release: { userId: string; requestId: string }): Promise<Unreached[]>;
  /**
   * Sends a refused message to another address, or to one that has refused it once more, with a link and a mail of its own.
   * False where another went out in its place before. The caller's transaction holds the owner's lock.
   */
  sendToNewAddress(tx: Executor, to: { deliveryId: string; address: string; at: Date }): Promise<boolean>;
  /**
   * While another address waits for its day, the one that refused the message, or where nobody opened it, is tried once more,
   * and told of it. `key` says "this very occasion". The caller's transaction holds the owner's lock.
   */
  tryOnceMore(tx: Executor, to: { deliveryId: string; key: string; sendsAt: Date; at: Date }): Promise<void>;
};

/** Whether another address may take its place. */
function isUnreached(status: DeliveryStatus): boolean {
  return status === 'bounced' || status === 'unopened';
}

/** What follows a refusal: whom it concerns, and one more delivery to another address. */
export function createNewAddressDelivery(
  { accounts, keys }: Pick<DeliveryDependencies, 'accounts' | 'keys'>,
  { mail, outcomes }: { mail: DeliveryMail; outcomes: DeliveryOutcomes },
): NewAddressDelivery {
  return {
    newAddressLink: (executor, token) => findNewAddressLink(executor, keys.hashToken(token)),
    newAddressUrl: mail.newAddressUrl,

    async unreached(executor, { userId, requestId }) {
      const rows = await listAllOf(executor, requestId);
      const replaced = new Set(rows.map(({ replacesDeliveryId }) => replacesDeliveryId));
      const byMessage = Map.groupBy(rows, ({ messageId }) => messageId);
      const isConcerned = ({ id, status, replacesDeliveryId }: (typeof rows)[number]) =>
        !replaced.has(id) && (isUnreached(status) || (status === 'pending' && replacesDeliveryId !== null));
      const last = rows.filter(isConcerned);
      if (last.length === 0) return [];

      const vault = await accounts.openVault(executor, userId);
      return last.map((row) => {
        const refused = (byMessage.get(row.messageId) ?? []).filter(({ status }) => isUnreached(status));
        return {
          deliveryId: row.id,
          messageId: row.messageId,
          status: row.status === 'bounced' || row.status === 'unopened' ? row.status : 'pending',
          address: recipientOf(vault, row),
          refusedBy: refused.map((each) => recipientOf(vault, each)),
          refusedAt: refused.at(-1)?.endedAt ?? row.createdAt,
        };
      });
    },

    async sendToNewAddress(tx, { deliveryId, address, at }) {
      const refused = await lockDelivery(tx, deliveryId);
      if (!refused || !isUnreached(refused.status)) return false;
      const { userId, requestId, messageId } = refused;
      const owner = await accounts.ownerOf(tx, userId);
      if (!owner) return false;

      const id = randomUUID();
      const vault = await accounts.openVault(tx, userId);
      const before = (await listAllOf(tx, requestId)).filter((each) => each.messageId === messageId);
      const known = before.find((each) => unlessBroken(() => recipientOf(vault, each)) === address);
      const addressFrom = known?.addressFrom ?? 'contact';
      const delivery = {
        id,
        messageId,
        userId,
        requestId,
        replacesDeliveryId: refused.id,
        recipientEmail: vault.seal(recipientContext(id), address),
        addressFrom,
        deliveryToken: mail.tokenHashOf(id),
        expiresAt: new Date(expiryOf(at.getTime())),
        createdAt: at,
      };
      if ((await insertDeliveries(tx, [delivery])).size === 0) return false;
      await mail.enqueueLetters(tx, [{ deliveryId: id, addressFrom, address, owner, at }]);
      await outcomes.record(tx, { ...refused, id }, 'delivery.redirected', at, { replaces: refused.id });
      return true;
    },

    async tryOnceMore(tx, { deliveryId, key, sendsAt, at }) {
      const refused = await lockDelivery(tx, deliveryId);
      if (!refused || !isUnreached(refused.status)) return;
      const owner = await accounts.ownerOf(tx, refused.userId);
      if (!owner) return;
      const address = recipientOf(await accounts.openVault(tx, refused.userId), refused);
      const { addressFrom } = refused;
      const wasUnopened = refused.status === 'unopened';
      await mail.enqueueOnceMore(tx, { deliveryId, addressFrom, address, owner, at }, { key, sendsAt, wasUnopened });
    },
  };
}
