import type { MessageForDelivery } from '#server/features/messages/messages.letters.service.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { OutgoingFile } from '#server/platform/files/incoming.ts';
import { isSettable } from '#server/platform/pdf/coverage.ts';
import { AppError, notFound } from '#shared/contract/errors.ts';
import type { SealedLetter } from '#shared/contract/messages.ts';
import { personOf } from '#shared/rules/addresses/mailboxes.ts';
import { type DeliveryDependencies, mailKinds, readerOf, recipientOf, senderOf } from './delivery.dependencies.ts';
import type { Links } from './delivery.links.ts';
import type { DeliveryMail } from './delivery.mail.service.ts';
import type { DeliveryOutcomes } from './delivery.outcome.service.ts';
import {
  changeDelivery,
  type DeliveryRow,
  findByTokenHash,
  isReplaced,
  lifeOf,
  lockDelivery,
} from './delivery.repository.ts';
import { expiryAt, expiryOf, isReadable, isRenewable, type Moment } from './delivery.rules.ts';
import { lettersOfPerson } from './person-letters.repository.ts';
import { listAnnounced } from './waiting-letters.repository.ts';

/** One of the letters that a person has got with a release, as it stands on the pages of all of them. */
export type ListedLetter = {
  token: string;
  title: string;
  /** Counted from 1, in the writer's order. */
  position: number;
  /** Its words open with a passphrase alone. */
  sealed: boolean;
  /** How many pictures and voices lie in it. */
  enclosures: number;
  openedAt: Date | null;
  keptUntil: Date;
};

/** What the recipient reads. */
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
  /** False if a PDF cannot show every character. Left out otherwise. */
  pdfIsWhole?: false;
  attachment: MessageForDelivery['attachment'];
  /** Pictures and voice, in the writer's order. */
  enclosures: MessageForDelivery['enclosures'];
  /** For whom else it is, where the writer lets its readers see that. */
  alsoFor: string[];
  /** Everything that this person can read of this release, this letter too. */
  letters: ListedLetter[];
  /** When further letters come of which their writer lets this person know before; left out where there are none. */
  waitsUntil?: Date[];
};

type PdfWords = Pick<
  DeliveredLetter,
  'title' | 'content' | 'senderName' | 'recipientName' | 'attachment' | 'enclosures'
>;

type Dependencies = Pick<
  DeliveryDependencies,
  'db' | 'clock' | 'keys' | 'accounts' | 'messages' | 'notifications' | 'healthyTime'
>;

/** What somebody with a link can do. Unknown, withdrawn and expired links are answered alike. */
export function createRecipientService(
  { db, clock, keys, accounts, messages, notifications, healthyTime }: Dependencies,
  { links, mail, outcomes }: { links: Links; mail: DeliveryMail; outcomes: DeliveryOutcomes },
) {
  /** Until when it can be read; until its mail is known to have arrived, as if that were now. */
  const keptUntil = (delivery: DeliveryRow, now: Moment) =>
    new Date(delivery.deliveredAt ? expiryAt(lifeOf(delivery), now) : expiryOf(now.atMs));

  async function listed(executor: Executor, delivery: DeliveryRow, now: Moment): Promise<ListedLetter[]> {
    // What waits to leave with another mail is nobody's yet: it may be held, or taken back.
    const hasArrived = ({ status, mailId }: DeliveryRow) => status === 'accepted' || mailId === delivery.mailId;
    const readable = (await lettersOfPerson(executor, delivery)).filter(
      (each) => hasArrived(each) && isReadable(lifeOf(each), now),
    );
    const ids = readable.map(({ messageId }) => messageId);
    const titles = await messages.titlesForDelivery(executor, delivery.userId, ids);
    const vault = await accounts.openVault(executor, delivery.userId);
    return readable.flatMap((each, index) => {
      const title = titles.get(each.messageId);
      const token = tokenIn(vault, each);
      if (!title || !token) return [];
      const days = { openedAt: each.accessedAt, keptUntil: keptUntil(each, now) };
      return [{ token, ...title, position: index + 1, ...days }];
    });
  }

  /** Null where the address is damaged: nobody can say which link it had. */
  function tokenIn(vault: Vault, delivery: DeliveryRow): string | null {
    return unlessBroken(() => links.tokenOf({ ...delivery, address: recipientOf(vault, delivery) }));
  }

  async function momentOf(executor: Executor, at: Date): Promise<Moment> {
    return { atMs: at.getTime(), healthyMs: (await healthyTime(executor, at)).countedMs };
  }

  /** The delivery behind a link that can be read now. @throws AppError `NOT_FOUND`. */
  async function readableBy(token: string, now?: Moment): Promise<DeliveryRow> {
    const delivery = await findByTokenHash(db, keys.hashToken(token));
    const moment = now ?? (await momentOf(db, await clock.now()));
    if (!delivery || !isReadable(lifeOf(delivery), moment)) throw gone();
    return delivery;
  }

  /**
   * The delivery behind a link, once its envelope was pressed. Only then is anything of its content given out, so that
   * "not opened" is true. @throws AppError `NOT_FOUND`, or `CONFLICT` before the opening.
   */
  async function openedBy(token: string): Promise<DeliveryRow> {
    const delivery = await readableBy(token);
    if (!delivery.accessedAt) throw notOpened();
    return delivery;
  }

  /** Finds a delivery by its link and locks it, the owner first as everywhere. */
  async function lockByToken(tx: Executor, tokenHash: string): Promise<DeliveryRow | null> {
    const known = await findByTokenHash(tx, tokenHash);
    if (!known) return null;
    await accounts.lockOwner(tx, known.userId);
    return lockDelivery(tx, known.id);
  }

  return {
    /**
     * The letter behind a link. Changes nothing, since mail scanners follow links too. Before the opening it holds what the
     * envelope shows, and the fields of the content are empty.
     */
    async read(token: string): Promise<DeliveredLetter> {
      const at = await clock.now();
      const now = await momentOf(db, at);
      const delivery = await readableBy(token, now);
      const owner = await accounts.ownerOf(db, delivery.userId);
      if (!owner) throw gone();
      const letter = await messages.readForDelivery(db, delivery);
      const days = { deliveredAt: delivery.deliveredAt ?? at, expiresAt: keptUntil(delivery, now) };
      const vault = await accounts.openVault(db, delivery.userId);
      const waitsUntil = await listAnnounced(db, delivery);
      const shown = { ...letter, ...(delivery.accessedAt ? {} : unopened), senderName: senderOf(owner).name };
      const recipientName = unlessBroken(() => readerOf(vault, delivery))?.name ?? null;
      return {
        ...{ ...shown, recipientName, ...days },
        ...(pdfShowsAll({ ...shown, recipientName }) ? {} : { pdfIsWhole: false as const }),
        ...(waitsUntil.length > 0 ? { waitsUntil } : {}),
        openedAt: delivery.accessedAt,
        letters: await listed(db, delivery, now),
      };
    },

    /** Owner of a letter, and key of its reader: the same for all letters to them, from every owner. Holds no address. */
    partiesOf: async (token: string) => partiesOf({ db, accounts, keys }, await readableBy(token)),

    /** The file that came with an opened letter, for as long as that can be read. Changes nothing. */
    attachment: async (token: string): Promise<OutgoingFile> =>
      messages.attachmentForDelivery(db, (await openedBy(token)).messageId),

    /** A picture or the voice of it, as long. Changes nothing. */
    enclosure: async (token: string, id: string): Promise<OutgoingFile> =>
      messages.enclosureForDelivery(db, await openedBy(token), id),

    /** Notes the first opening by a person; later ones change nothing. */
    async recordOpening(token: string): Promise<void> {
      await db.transaction(async (tx) => {
        const delivery = await lockByToken(tx, keys.hashToken(token));
        const now = await clock.now(tx);
        if (!delivery || !isReadable(lifeOf(delivery), await momentOf(tx, now))) throw gone();
        if (delivery.accessedAt) return;
        // Whoever pressed has read nothing of a letter that is damaged; its reminders go on.
        if ((await messages.damagedAmong(tx, delivery.userId, [delivery.messageId])).size > 0) return;

        await changeDelivery(tx, delivery.id, { accessedAt: now });
        await outcomes.record(tx, delivery, 'delivery.opened', now);
        await notifications.cancelFor(tx, delivery.mailId, [mailKinds.letter]);
        const letters = await lettersOfPerson(tx, delivery);
        if (letters.every(({ accessedAt }) => accessedAt)) {
          const mailIds = new Set(letters.map(({ mailId }) => mailId));
          for (const mailId of mailIds) await notifications.cancelFor(tx, mailId, [mailKinds.reminder]);
        }
        // Whoever reads it has received its mail, even if the mail server's word has not reached us yet.
        if (delivery.status === 'pending') await outcomes.accept(tx, [{ mailId: delivery.mailId, at: now }]);
      });
    },

    /**
     * Sends the link of an expired letter once more, and with it whatever else of this person's has expired, to the address
     * it was written for and no other. Says nothing
     * about whether there was one, nor whether it is frozen: then its mail waits, one however often somebody asks.
     */
    async renew(token: string): Promise<void> {
      await db.transaction(async (tx) => {
        const delivery = await lockByToken(tx, keys.hashToken(token));
        const at = await clock.now(tx);
        const now = await momentOf(tx, at);
        if (!delivery || !isRenewable(lifeOf(delivery), now)) return;
        if (await isReplaced(tx, delivery.id)) return;
        if (await notifications.isWaiting(tx, delivery.mailId, mailKinds.renewal)) return;

        const owner = await accounts.ownerOf(tx, delivery.userId);
        if (!owner) return;
        const reader = readerOf(await accounts.openVault(tx, delivery.userId), delivery);
        const expired = (await lettersOfPerson(tx, delivery)).filter((each) => isRenewable(lifeOf(each), now));
        const { mailId, personKey, addressFrom } = delivery;
        const first = { ...(expired[0] ?? delivery), address: reader.address };
        const to = { mailId, personKey, reader, addressFrom, letters: expired.length, owner, at };
        await mail.enqueueRenewal(tx, { ...to, token: links.tokenOf(first) });
      });
    },
  };
}

/** True if a PDF can show every character of the letter and of what lies in it. */
function pdfShowsAll({ title, content, senderName, recipientName, attachment, enclosures }: PdfWords): boolean {
  const said = enclosures.flatMap(({ name, caption, transcript }) => [name, caption, transcript]);
  return [
    title,
    content,
    senderName,
    recipientName ?? '',
    attachment?.name ?? '',
    attachment?.transcript ?? '',
    ...said,
  ].every(isSettable);
}

/** Fields of a letter whose envelope nobody has pressed. */
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

function gone() {
  return notFound('This message may have expired or been removed.');
}

async function partiesOf(
  { db, accounts, keys }: Pick<Dependencies, 'db' | 'accounts' | 'keys'>,
  delivery: DeliveryRow,
): Promise<{ reader: string; ownerId: string }> {
  const { userId: ownerId, personKey } = delivery;
  const vault = await accounts.openVault(db, ownerId);
  const address = unlessBroken(() => recipientOf(vault, delivery));
  return { reader: address === null ? personKey : keys.hashToken(`reader ${personOf(address)}`), ownerId };
}
