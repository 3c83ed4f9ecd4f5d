import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import {
  type DeliveryDependencies,
  type LinkOfContact,
  mailKinds,
  readerOf,
  recipientOf,
} from './delivery.dependencies.ts';
import type { Links } from './delivery.links.ts';
import type { DeliveryMail } from './delivery.mail.service.ts';
import type { Mailing } from './delivery.mailing.service.ts';
import type { DeliveryOutcomes } from './delivery.outcome.service.ts';
import {
  changeDelivery,
  type DeliveryRow,
  findNewAddressLink,
  listAllOf,
  lockDelivery,
} from './delivery.repository.ts';
import { moveWaitingTo } from './delivery.waiting.service.ts';
import { lockMail } from './person-letters.repository.ts';

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
  /** When the last of that was recorded; the first refusal, if the letter is still tried. */
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

/** True if another address may take its place: it has ended unread, or its mailbox refused it and it is still tried. */
function isUnreached({ status, refusedAt }: Pick<DeliveryRow, 'status' | 'refusedAt'>): boolean {
  return status === 'bounced' || status === 'unopened' || (status === 'pending' && refusedAt !== null);
}

/** What follows a refusal: whom it concerns, and one more delivery to another address. */
export function createNewAddressDelivery(
  {
    accounts,
    keys,
    messages,
    notifications,
  }: Pick<DeliveryDependencies, 'accounts' | 'keys' | 'messages' | 'notifications'>,
  {
    links,
    mail,
    mailing,
    outcomes,
  }: { links: Links; mail: DeliveryMail; mailing: Mailing; outcomes: DeliveryOutcomes },
): NewAddressDelivery {
  /** A letter that is still tried at the address that refused it is not tried there any more. */
  async function stopTrying(tx: Executor, refused: DeliveryRow, at: Date): Promise<void> {
    if (refused.status !== 'pending') return;
    await changeDelivery(tx, refused.id, { status: 'bounced', endedAt: at });
    await messages.settleFates(tx, [refused.messageId]);
    // The mail brings this person other letters too, which are still on their way.
    const others = (await lockMail(tx, refused.mailId)).filter(({ status }) => status === 'pending');
    if (others.length === 0) await notifications.cancelFor(tx, refused.mailId, [mailKinds.letter]);
    await outcomes.record(tx, refused, 'delivery.bounced', at);
  }

  return {
    newAddressLink: (executor, token) => findNewAddressLink(executor, keys.hashToken(token)),
    newAddressUrl: mail.newAddressUrl,

    async unreached(executor, { userId, requestId }) {
      const rows = await listAllOf(executor, requestId);
      const replaced = new Set(rows.map(({ replacesDeliveryId }) => replacesDeliveryId));
      const byLetter = Map.groupBy(rows, letterOf);
      const isConcerned = (row: (typeof rows)[number]) =>
        !replaced.has(row.id) && (isUnreached(row) || (row.status === 'pending' && row.replacesDeliveryId !== null));
      const last = rows.filter(isConcerned);
      if (last.length === 0) return [];

      const vault = await accounts.openVault(executor, userId);
      return last.map((row) => {
        const refused = (byLetter.get(letterOf(row)) ?? []).filter(isUnreached);
        const { address, name } = readerOf(vault, row);
        return {
          deliveryId: row.id,
          messageId: row.messageId,
          name,
          status: statusOf(row),
          address,
          refusedBy: refused.map((each) => recipientOf(vault, each)),
          refusedAt: refused.at(-1)?.endedAt ?? row.refusedAt ?? row.createdAt,
        };
      });
    },

    async sendToNewAddress(tx, { deliveryId, address, at }) {
      const refused = await lockDelivery(tx, deliveryId);
      if (!refused || !isUnreached(refused)) return false;
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
      await stopTrying(tx, refused, at);
      const [id] = await mailing.bring(tx, { owner, vault, requestId, releaseNumber, at }, [letter]);
      if (!id) return false;
      await moveWaitingTo(tx, { accounts, links }, { refused, address });
      await outcomes.record(tx, { ...refused, id }, 'delivery.redirected', at, { replaces: refused.id });
      return true;
    },

    async tryOnceMore(tx, { deliveryId, key, sendsAt, at }) {
      const refused = await lockDelivery(tx, deliveryId);
      if (!refused || !isUnreached(refused)) return;
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

function statusOf(row: DeliveryRow): Unreached['status'] {
  if (row.status === 'unopened') return 'unopened';
  return isUnreached(row) ? 'bounced' : 'pending';
}

/** Which message it is, and for whom: the same at every address. */
function letterOf({ messageId, recipientId }: DeliveryRow): string {
  return `${messageId} ${recipientId}`;
}
