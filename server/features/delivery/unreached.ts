import type { App } from '#server/app.ts';
import { findOwner } from '#server/features/accounts/accounts.repository.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { settleMessages } from '#server/features/messages/ready-messages.ts';
import { cancelNotificationsFor } from '#server/features/notifications/cancel.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { mapInSlices } from '#server/platform/slices.ts';
import { tokenOf } from './delivery.links.ts';
import {
  changeDelivery,
  type DeliveryRow,
  findNewAddressLink,
  listTriesOf,
  listTriesOfUnreached,
  lockDelivery,
} from './delivery.repository.ts';
import { openAddress, openPerson } from './delivery.sealing.ts';
import type { LinkOfContact } from './mails/contact-mails.ts';
import { enqueueOnceMore } from './mails/letter-mails.ts';
import { recordDelivery } from './outcomes.ts';
import { lockMail } from './person-letters.repository.ts';
import { queueLetters } from './queueing.ts';
import { changeWaitingAddress } from './waiting-letters.ts';

/** Letter that was refused or left unopened at every address so far, or is being sent to another one. */
export type Unreached = {
  deliveryId: string;
  messageId: string;
  /** Name that the writer gave the recipient. Null if there is none. */
  name: string | null;
  status: 'bounced' | 'unopened' | 'pending';
  /** Address of the last mail. */
  address: string;
  /** Every address that refused it or left it unopened. */
  refusedBy: readonly string[];
  /** Time of the last refusal or unopened end. The first refusal, if the letter is still tried. */
  refusedAt: Date;
};

/** Returns the contact and release of a link, even after the release has ended. Null for an unknown token. */
export function findNewAddressOf(app: App, executor: Executor, token: string): Promise<LinkOfContact | null> {
  return findNewAddressLink(executor, app.serviceKeys.hashToken(token));
}

/** Returns letters of a release that an address refused or left unopened, oldest first. */
export async function listUnreached(
  app: App,
  executor: Executor,
  { userId, requestId }: { userId: string; requestId: string },
): Promise<Unreached[]> {
  const rows = await listTriesOfUnreached(executor, requestId);
  const replaced = new Set(rows.map(({ replacesDeliveryId }) => replacesDeliveryId));
  const byLetter = Map.groupBy(rows, letterOf);
  const isConcerned = (row: DeliveryRow) =>
    !replaced.has(row.id) && (isUnreached(row) || (row.status === 'pending' && row.replacesDeliveryId !== null));
  const last = rows.filter(isConcerned);
  if (last.length === 0) return [];

  const vault = await openVault(app, executor, userId);
  return mapInSlices(last, (row) => {
    const refused = (byLetter.get(letterOf(row)) ?? []).filter(isUnreached);
    const { address, name } = openPerson(vault, row);
    return {
      deliveryId: row.id,
      messageId: row.messageId,
      name,
      status: statusOf(row),
      address,
      refusedBy: refused.map((each) => openAddress(vault, each)),
      refusedAt: refused.at(-1)?.endedAt ?? row.refusedAt ?? row.createdAt,
    };
  });
}

/**
 * Sends a refused letter to another address, or again to one that refused it, with a link and a mail of its own. False
 * if another one replaced it before. The caller's transaction holds the owner's lock.
 */
export async function sendToNewAddress(
  app: App,
  tx: Executor,
  { deliveryId, address, at }: { deliveryId: string; address: string; at: Date },
): Promise<boolean> {
  const refused = await lockDelivery(tx, deliveryId);
  if (!refused || !isUnreached(refused)) return false;
  const { userId, requestId, releaseNumber, messageId, recipientId } = refused;
  const owner = await findOwner(tx, userId);
  if (!owner) return false;

  const vault = await openVault(app, tx, userId);
  const tried = (await listTriesOf(tx, refused)).filter(
    (each) => unlessBroken(() => openAddress(vault, each)) === address,
  );
  const letter = {
    messageId,
    recipientId,
    reader: { address, name: openPerson(vault, refused).name },
    addressFrom: tried[0]?.addressFrom ?? 'contact',
    replacesDeliveryId: refused.id,
    sayKey: refused.sayKey,
    earlierTries: tried.length,
  };
  await stopTrying(app, tx, refused, at);
  const [id] = await queueLetters(app, tx, { owner, vault, requestId, releaseNumber, at }, [letter]);
  if (!id) return false;
  await changeWaitingAddress(app, tx, { refused, address });
  const details = { replaces: refused.id };
  await recordDelivery(app, tx, { ...refused, id }, { action: 'delivery.redirected', at, details });
  return true;
}

/**
 * Tries the address that refused the letter or left it unopened once more, with a notice, while another address waits
 * for its day. `key` names the occasion. The caller's transaction holds the owner's lock.
 */
export async function tryOnceMore(
  app: App,
  tx: Executor,
  { deliveryId, key, sendsAt, at }: { deliveryId: string; key: string; sendsAt: Date; at: Date },
): Promise<void> {
  const refused = await lockDelivery(tx, deliveryId);
  if (!refused || !isUnreached(refused)) return;
  const owner = await findOwner(tx, refused.userId);
  if (!owner) return;
  const reader = openPerson(await openVault(app, tx, refused.userId), refused);
  const { mailId, personKey, releaseNumber, addressFrom } = refused;
  const token = tokenOf(app, { ...refused, address: reader.address });
  const to = { mailId, personKey, releaseNumber, reader, addressFrom, token, letters: 1, owner, at };
  await enqueueOnceMore(app, tx, to, { key, sendsAt, wasUnopened: refused.status === 'unopened' });
}

/** Stops further tries at the address that refused a letter. */
async function stopTrying(app: App, tx: Executor, refused: DeliveryRow, at: Date): Promise<void> {
  if (refused.status !== 'pending') return;
  await changeDelivery(tx, refused.id, { status: 'bounced', endedAt: at });
  await settleMessages(tx, [refused.messageId]);
  // The mail also brings this person other letters, which are not sent yet.
  const others = (await lockMail(tx, refused.mailId)).filter(({ status }) => status === 'pending');
  if (others.length === 0) await cancelNotificationsFor(app, tx, refused.mailId, 'another address used');
  await recordDelivery(app, tx, refused, { action: 'delivery.bounced', at });
}

/**
 * True if another address may take its place: it has ended without a word of its reader, or its mailbox refused it and
 * it is still tried.
 */
function isUnreached({ status, refusedAt, answeredAt }: DeliveryRow): boolean {
  if (status === 'unopened') return answeredAt === null;
  return status === 'bounced' || (status === 'pending' && refusedAt !== null);
}

function statusOf(row: DeliveryRow): Unreached['status'] {
  if (row.status === 'unopened') return 'unopened';
  return isUnreached(row) ? 'bounced' : 'pending';
}

/** Identifies a message and its recipient, the same at every address. */
function letterOf({ messageId, recipientId }: DeliveryRow): string {
  return `${messageId} ${recipientId}`;
}
