import type { App } from '#server/app.ts';
import { findOwner } from '#server/features/accounts/accounts.repository.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { type MessageForDelivery, readDeliveredMessage, readTitles } from '#server/features/messages/letters.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import { isSettable } from '#server/platform/pdf/coverage.ts';
import { mapInSlices } from '#server/platform/slices.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import { lettersOfReaderShownMax } from '#shared/contract/letters/delivery.ts';
import type { SealedLetter } from '#shared/contract/messages.ts';
import { personOf } from '#shared/rules/addresses/mailboxes.ts';
import { tokenOf } from './delivery.links.ts';
import { type DeliveryRow, findByTokenHash, lifeOf } from './delivery.repository.ts';
import { expiryAt, expiryOf, isReadable, type Moment } from './delivery.rules.ts';
import { openAddress, openPerson } from './delivery.sealing.ts';
import { momentAt } from './healthy-time.ts';
import { senderOf } from './mails/sender.ts';
import { lettersOfPerson } from './person-letters.repository.ts';
import { type Said, saidOf } from './say/said.ts';
import { listAnnounced } from './waiting-letters.repository.ts';

/* Reading by the link of a letter. Unknown, withdrawn and expired links get the same answer. Reading changes nothing. */

/** One of the letters that a person has received from a release, as listed on all of their pages. */
export type ListedLetter = {
  token: string;
  title: string;
  /** Counted from 1, in the writer's order. */
  position: number;
  /** True if its words need a passphrase. */
  sealed: boolean;
  /** Number of its pictures and voice recordings. */
  enclosures: number;
  openedAt: Date | null;
  keptUntil: Date;
};

/** Letter as its recipient reads it. */
export type DeliveredLetter = {
  title: string;
  content: string;
  encryptedContent: SealedLetter | null;
  createdAt: Date;
  deliveredAt: Date;
  expiresAt: Date;
  senderName: string;
  recipientName: string | null;
  openedAt: Date | null;
  isDamaged?: true;
  /** False if a PDF can't show every character. Left out otherwise, and for an unopened letter judged without its words. */
  pdfIsWhole?: false;
  attachment: MessageForDelivery['attachment'];
  /** Pictures and voice, in the writer's order. */
  enclosures: MessageForDelivery['enclosures'];
  /** Other recipients, if the writer allows readers to see them. */
  alsoFor: string[];
  /** Days of further letters to this person that the writer announces. Left out if there are none. */
  waitsUntil?: Date[];
  said?: Said;
};

/** A letter with others for this person: those around it, in the writer's order, and the number of all. */
export type LetterOfPerson = DeliveredLetter & { letters: ListedLetter[]; all: { letters: number; opened: number } };

/** Returns the letter of a link, with others of this release for the same person. @throws AppError `NOT_FOUND`. */
export async function readLetterOfPerson(app: App, token: string): Promise<LetterOfPerson> {
  const found = await findReadable(app, token);
  const letter = await letterOf(app, found);
  const readable = await listReadable(app, found);
  const vault = await openVault(app, app.db, found.delivery.userId);
  const opened = readable.filter(({ accessedAt }) => accessedAt).length;
  const letters = await listAround(app, vault, { ...found, readable });
  return { ...letter, letters, all: { letters: readable.length, opened } };
}

/** Returns the links of all letters that this person has opened, in the writer's order. @throws AppError `NOT_FOUND`. */
export async function openedLinksOf(app: App, token: string): Promise<string[]> {
  const found = await findReadable(app, token);
  const vault = await openVault(app, app.db, found.delivery.userId);
  const links = await mapInSlices(
    (await listReadable(app, found)).filter(({ accessedAt }) => accessedAt),
    (each) => linkOf(app, vault, each) ?? [],
  );
  return links.flat();
}

/**
 * Returns the letter of a link. Before the opening it has only the facts on its envelope, without content.
 * @throws AppError `NOT_FOUND`.
 */
export async function readLetter(app: App, token: string): Promise<DeliveredLetter> {
  return letterOf(app, await findReadable(app, token));
}

/** Readable letter, and the moment for which it is. */
type Readable = { delivery: DeliveryRow; now: Moment };

async function letterOf(app: App, { delivery, now }: Readable): Promise<DeliveredLetter> {
  const { db } = app;
  const owner = await findOwner(db, delivery.userId);
  if (!owner) throw linkNotFound();
  const letter = await readDeliveredMessage(app, db, delivery);
  const vault = await openVault(app, db, delivery.userId);
  const spoken = await saidOf(db, delivery, now);
  // A declined letter has no day: it waits for a word.
  const waitsUntil = spoken.said?.noMore ? [] : await listAnnounced(db, delivery);
  const recipientName = unlessBroken(() => openPerson(vault, delivery))?.name ?? null;
  const content = delivery.accessedAt ? {} : unopened;
  const shown = { ...letter, ...content, senderName: senderOf(owner).name, recipientName };
  return {
    ...shown,
    deliveredAt: delivery.deliveredAt ?? new Date(now.atMs),
    expiresAt: pageEndOf(delivery, now),
    ...(pdfShowsAll(shown) ? {} : { pdfIsWhole: false as const }),
    ...(waitsUntil.length > 0 ? { waitsUntil } : {}),
    ...spoken,
    openedAt: delivery.accessedAt,
  };
}

/**
 * Returns the owner of a letter, and a hash that identifies its reader across owners. If the address is damaged, the
 * hash is valid for this owner alone. @throws AppError `NOT_FOUND`.
 */
export async function partiesOf(app: App, token: string): Promise<{ reader: string; ownerId: string }> {
  const { delivery } = await findReadable(app, token);
  const { userId: ownerId, personKey } = delivery;
  const vault = await openVault(app, app.db, ownerId);
  const address = unlessBroken(() => openAddress(vault, delivery));
  const reader = address === null ? personKey : app.serviceKeys.hashToken(`reader ${personOf(address)}`);
  return { reader, ownerId };
}

/**
 * Returns the delivery of an opened letter. No content is returned before the opening, so that "not opened" is true.
 * @throws AppError `NOT_FOUND`, or `CONFLICT` before the opening.
 */
export async function findOpened(app: App, token: string): Promise<DeliveryRow> {
  const { delivery } = await findReadable(app, token);
  if (!delivery.accessedAt) throw notOpened();
  return delivery;
}

async function findReadable(app: App, token: string): Promise<Readable> {
  const now = await momentAt(app, app.db, await app.clock.now());
  const delivery = await findByTokenHash(app.db, app.serviceKeys.hashToken(token));
  if (!delivery || !isReadable(lifeOf(delivery), now)) throw linkNotFound();
  return { delivery, now };
}

/** Returns all letters of this person that are readable now, in the writer's order. */
async function listReadable(app: App, { delivery, now }: Readable): Promise<DeliveryRow[]> {
  // A letter in another mail that has not been accepted is left out: it may still be frozen or withdrawn.
  const hasArrived = ({ status, mailId }: DeliveryRow) => status === 'accepted' || mailId === delivery.mailId;
  const all = await lettersOfPerson(app.db, delivery);
  return all.filter((each) => hasArrived(each) && isReadable(lifeOf(each), now));
}

/** Opens the titles of this letter and of those around it, and no others. */
async function listAround(
  app: App,
  vault: Vault,
  { delivery, readable, now }: Readable & { readable: readonly DeliveryRow[] },
): Promise<ListedLetter[]> {
  const at = readable.findIndex(({ id }) => id === delivery.id);
  const latestStart = Math.max(0, readable.length - lettersOfReaderShownMax);
  const start = Math.min(Math.max(0, at - lettersOfReaderShownMax / 2), latestStart);
  const shown = readable.slice(start, start + lettersOfReaderShownMax);
  const ids = shown.map(({ messageId }) => messageId);
  const titles = await readTitles(app, app.db, delivery.userId, ids);
  return shown.flatMap((each, index) => {
    const title = titles.get(each.messageId);
    const token = linkOf(app, vault, each);
    if (!title || !token) return [];
    const keptUntil = pageEndOf(each, now);
    return [{ token, ...title, position: start + index + 1, openedAt: each.accessedAt, keptUntil }];
  });
}

/** Token of a letter's link. If the address is damaged, it can't be derived. */
function linkOf(app: App, vault: Vault, letter: DeliveryRow): string | null {
  return unlessBroken(() => tokenOf(app, { ...letter, address: openAddress(vault, letter) }));
}

/** Time at which the letter's page ends. Until its mail is known to be accepted, the days count from now. */
function pageEndOf(delivery: DeliveryRow, now: Moment): Date {
  return new Date(delivery.deliveredAt ? expiryAt(lifeOf(delivery), now) : expiryOf(now.atMs));
}

type PdfWords = Omit<MessageForDelivery, 'createdAt'> & { senderName: string; recipientName: string | null };

/** True if a PDF can show every character of the letter and of its enclosures. */
function pdfShowsAll({ title, content, senderName, recipientName, attachment, enclosures }: PdfWords): boolean {
  const file = attachment ? [attachment.name, attachment.transcript] : [];
  const enclosed = enclosures.flatMap(({ name, caption, transcript }) => [name, caption, transcript]);
  return [title, content, senderName, recipientName ?? '', ...file, ...enclosed].every(isSettable);
}

/** Fields of a letter in an unopened envelope. */
const unopened = {
  content: '',
  encryptedContent: null,
  attachment: null,
  enclosures: [],
  alsoFor: [],
} satisfies Partial<DeliveredLetter>;

export function notOpened(): AppError {
  return new AppError('CONFLICT', 'This letter is not opened yet. Open it on its page first.');
}

export function linkNotFound(): AppError {
  return notFound('This message may have expired or been removed.');
}
