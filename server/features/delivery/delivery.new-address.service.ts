import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { DeliveryStatus } from '#shared/rules/deliveries.ts';
import { type DeliveryDependencies, type LinkOfContact, readerOf, recipientOf } from './delivery.dependencies.ts';
import type { Links } from './delivery.links.ts';
import type { DeliveryMail } from './delivery.mail.service.ts';
import type { Mailing } from './delivery.mailing.service.ts';
import type { DeliveryOutcomes } from './delivery.outcome.service.ts';
import { type DeliveryRow, findNewAddressLink, listAllOf, lockDelivery } from './delivery.repository.ts';
import { moveWaitingTo } from './delivery.waiting.service.ts';

/** A letter that was refused, or not opened, at every address it was sent to, or is on its way to another one. */
export type Unreached = {
  deliveryId: string;
  messageId: string;
  /** Whose it is, by the name that the writer gave them; null where they gave none. */
  name: string | null;
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
  {
    links,
    mail,
    mailing,
    outcomes,
  }: { links: Links; mail: DeliveryMail; mailing: Mailing; outcomes: DeliveryOutcomes },
): NewAddressDelivery {
  return {
    newAddressLink: (executor, token) => findNewAddressLink(executor, keys.hashToken(token)),
    newAddressUrl: mail.newAddressUrl,

    async unreached(executor, { userId, requestId }) {
      const rows = await listAllOf(executor, requestId);
      const replaced = new Set(rows.map(({ replacesDeliveryId }) => replacesDeliveryId));
      const byLetter = Map.groupBy(rows, letterOf);
      const isConcerned = ({ id, status, replacesDeliveryId }: (typeof rows)[number]) =>
        !replaced.has(id) && (isUnreached(status) || (status === 'pending' && replacesDeliveryId !== null));
      const last = rows.filter(isConcerned);
      if (last.length === 0) return [];

      const vault = await accounts.openVault(executor, userId);
      return last.map((row) => {
        const refused = (byLetter.get(letterOf(row)) ?? []).filter(({ status }) => isUnreached(status));
        const { address, name } = readerOf(vault, row);
        return {
          deliveryId: row.id,
          messageId: row.messageId,
          name,
          status: row.status === 'bounced' || row.status === 'unopened' ? row.status : 'pending',
          address,
          refusedBy: refused.map((each) => recipientOf(vault, each)),
          refusedAt: refused.at(-1)?.endedAt ?? row.createdAt,
        };
      });
    },

    async sendToNewAddress(tx, { deliveryId, address, at }) {
      const refused = await lockDelivery(tx, deliveryId);
      if (!refused || !isUnreached(refused.status)) return false;
      const { userId, requestId, releaseNumber, messageId, recipientId } = refused;
      const owner = await accounts.ownerOf(tx, userId);
      if (!owner) return false;

      const vault = await accounts.openVault(tx, userId);
      const before = (await listAllOf(tx, requestId)).filter((each) => letterOf(each) === letterOf(refused));
      const tried = before.filter((each) => unlessBroken(() => recipientOf(vault, each)) === address);
      const { name } = readerOf(vault, refused);
      const letter = {
        messageId,
        recipientId,
        reader: { address, name },
        addressFrom: tried[0]?.addressFrom ?? 'contact',
        replacesDeliveryId: refused.id,
        earlierTries: tried.length,
      };
      const [id] = await mailing.bring(tx, { owner, vault, requestId, releaseNumber, at }, [letter]);
      if (!id) return false;
      await moveWaitingTo(tx, { accounts, links }, { refused, address });
      await outcomes.record(tx, { ...refused, id }, 'delivery.redirected', at, { replaces: refused.id });
      return true;
    },

    async tryOnceMore(tx, { deliveryId, key, sendsAt, at }) {
      const refused = await lockDelivery(tx, deliveryId);
      if (!refused || !isUnreached(refused.status)) return;
      const owner = await accounts.ownerOf(tx, refused.userId);
      if (!owner) return;
      const reader = readerOf(await accounts.openVault(tx, refused.userId), refused);
      const { mailId, personKey, addressFrom } = refused;
      const token = links.tokenOf({ ...refused, address: reader.address });
      const to = { mailId, personKey, reader, addressFrom, token, letters: 1, owner, at };
      const wasUnopened = refused.status === 'unopened';
      await mail.enqueueOnceMore(tx, to, { key, sendsAt, wasUnopened });
    },
  };
}

/** Which message it is, and for whom: the same at every address. */
function letterOf({ messageId, recipientId }: DeliveryRow): string {
  return `${messageId} ${recipientId}`;
}
