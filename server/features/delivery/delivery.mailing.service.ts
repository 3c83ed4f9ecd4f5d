import { randomUUID } from 'node:crypto';
import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { AddressSource } from '#shared/rules/deliveries.ts';
import { type DeliveryDependencies, mailKinds, type Person, readerOf, sealReader } from './delivery.dependencies.ts';
import type { LetterIdentity, Links } from './delivery.links.ts';
import type { DeliveryMail } from './delivery.mail.service.ts';
import { type DeliveryRow, insertDeliveries, type NewDelivery } from './delivery.repository.ts';
import { expiryOf } from './delivery.rules.ts';
import { lettersOfMail, mailsToPersons, moveToMail, sealedOfMails } from './person-letters.repository.ts';
import { startDeliveries } from './waiting-letters.repository.ts';

/** A letter that is to go: a message to one of its people, or to another address of theirs. */
export type LetterToBring = {
  messageId: string;
  recipientId: string;
  reader: Person;
  addressFrom: AddressSource;
  replacesDeliveryId?: string;
  earlierTries?: number;
  /** When it leaves; left out or null: at once. */
  dueAt?: Date | null;
};

export type Bringing = {
  owner: OwnerRow;
  vault: Vault;
  requestId: string;
  releaseNumber: number;
  at: Date;
};

export type Mailing = ReturnType<typeof createMailing>;

/** Puts letters on their way: one row each, and one mail a person. */
export function createMailing(
  { notifications }: Pick<DeliveryDependencies, 'notifications'>,
  { links, mail }: { links: Links; mail: DeliveryMail },
) {
  /**
   * A mail to the same person that nobody has tried to send yet is taken back, and its letters go with the new one. One that
   * is being sent, or was tried before, goes by itself: it says how many letters it brings.
   */
  async function takenBack(tx: Executor, earlier: readonly { mailId: string }[]): Promise<Set<string>> {
    if (earlier.length === 0) return new Set();
    const mailIds = earlier.map(({ mailId }) => mailId);
    return new Set(await notifications.takeBackUntried(tx, mailIds, mailKinds.letter));
  }

  return {
    /**
     * In the order given, which is the writer's. A letter that is on its way or delivered already is left alone. Gives the ids
     * of those that were new. The caller holds the owner's lock.
     */
    async bring(tx: Executor, bringing: Bringing, letters: readonly LetterToBring[]): Promise<Set<string>> {
      const { owner, vault, requestId, releaseNumber, at } = bringing;
      const mailIdOf = oneMailAPerson();
      const made = letters.map((letter) => {
        const { messageId, reader, earlierTries = 0, dueAt = null } = letter;
        const personKey = links.personKeyOf({ userId: owner.id, releaseNumber, reader });
        const identity = { userId: owner.id, messageId, address: reader.address, releaseNumber, earlierTries };
        // Which mail brings one that waits is decided on its day.
        const mailId = dueAt === null ? mailIdOf(personKey) : randomUUID();
        return { ...letter, id: randomUUID(), personKey, mailId, identity, dueAt };
      });
      const created = await insertDeliveries(
        tx,
        made.map((letter) => rowOf(letter, { vault, requestId, at, tokenHash: links.tokenHashOf(letter.identity) })),
      );

      await writeMails(
        tx,
        bringing,
        made.filter(({ id, dueAt }) => created.has(id) && dueAt === null),
      );
      return created;
    },

    /** The day of these letters of one release has come: they are on their way, those for one person with one mail. */
    async bringOnDay(tx: Executor, bringing: Bringing, waiting: readonly DeliveryRow[]): Promise<void> {
      const mailIdOf = oneMailAPerson();
      const letters = waiting.map((row) => {
        const reader = readerOf(bringing.vault, row);
        const mailId = mailIdOf(row.personKey);
        return { ...row, reader, mailId, identity: { ...row, address: reader.address } };
      });
      await startDeliveries(tx, letters, bringing.at);
      await writeMails(tx, bringing, letters);
    },
  };

  /** Letters to the same person go with one mail. */
  async function writeMails(
    tx: Executor,
    { owner, requestId, at }: Bringing,
    letters: readonly Omit<Made, 'dueAt'>[],
  ): Promise<void> {
    const persons = Map.groupBy(letters, ({ personKey }) => personKey);
    const earlier = await mailsToPersons(tx, {
      requestId,
      personKeys: [...persons.keys()],
      without: letters.map(({ mailId }) => mailId),
    });
    const back = await takenBack(tx, earlier);
    const mails = [];
    for (const [personKey, [first, ...others]] of persons) {
      if (!first) continue;
      const { mailId, reader, addressFrom } = first;
      const before = earlier.filter((each) => each.personKey === personKey);
      const joining = before.filter((each) => back.has(each.mailId)).map((each) => each.mailId);
      let [token, count] = [links.tokenOf(first.identity), 1 + others.length];
      if (joining.length > 0) {
        await moveToMail(tx, joining, mailId);
        const all = await lettersOfMail(tx, mailId);
        if (all[0]) token = links.tokenOf({ ...all[0], address: reader.address });
        count = all.length;
      }
      const to = { mailId, personKey, reader, addressFrom, token, letters: count, owner, at };
      mails.push({ ...to, number: before.length - joining.length });
    }
    const sealed = await sealedOfMails(
      tx,
      mails.map(({ mailId }) => mailId),
    );
    await mail.enqueueLetters(
      tx,
      mails.map((each) => ({ ...each, sealed: sealed.get(each.mailId) ?? 0 })),
    );
  }
}

/** Gives the id of the mail for each person: a new one, and the same the next time. */
function oneMailAPerson(): (personKey: string) => string {
  const mailIds = new Map<string, string>();
  return (personKey) => {
    const mailId = mailIds.get(personKey) ?? randomUUID();
    mailIds.set(personKey, mailId);
    return mailId;
  };
}

type Made = Pick<LetterToBring, 'reader' | 'addressFrom' | 'messageId' | 'recipientId'> & {
  replacesDeliveryId?: string | null;
  id: string;
  personKey: string;
  mailId: string;
  identity: LetterIdentity;
  dueAt: Date | null;
};

function rowOf(
  { id, messageId, recipientId, reader, addressFrom, replacesDeliveryId, personKey, mailId, identity, dueAt }: Made,
  { vault, requestId, at, tokenHash }: { vault: Vault; requestId: string; at: Date; tokenHash: string },
): NewDelivery {
  const { userId, releaseNumber, earlierTries } = identity;
  return {
    ...{ id, messageId, recipientId, userId, requestId, personKey, mailId, releaseNumber, earlierTries, addressFrom },
    ...sealReader(vault, id, reader),
    replacesDeliveryId: replacesDeliveryId ?? null,
    dueAt,
    deliveryToken: tokenHash,
    expiresAt: new Date(expiryOf((dueAt ?? at).getTime())),
    createdAt: at,
  };
}
