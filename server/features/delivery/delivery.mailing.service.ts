import { randomUUID } from 'node:crypto';
import type { OwnerRow } from '#server/features/accounts/accounts.service.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { AddressSource } from '#shared/rules/deliveries.ts';
import { type DeliveryDependencies, mailKinds, type Person, sealReader } from './delivery.dependencies.ts';
import type { LetterIdentity, Links } from './delivery.links.ts';
import type { DeliveryMail } from './delivery.mail.service.ts';
import { insertDeliveries, type NewDelivery } from './delivery.repository.ts';
import { expiryOf } from './delivery.rules.ts';
import { lettersOfMail, mailsToPersons, moveToMail } from './person-letters.repository.ts';

/** A letter that is to go: a message to one of its people, or to another address of theirs. */
export type LetterToBring = {
  messageId: string;
  recipientId: string;
  reader: Person;
  addressFrom: AddressSource;
  replacesDeliveryId?: string;
  earlierTries?: number;
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
      const mailIds = new Map<string, string>();
      const mailIdOf = (personKey: string) => {
        const mailId = mailIds.get(personKey) ?? randomUUID();
        mailIds.set(personKey, mailId);
        return mailId;
      };
      const made = letters.map((letter) => {
        const { messageId, reader, earlierTries = 0 } = letter;
        const personKey = links.personKeyOf({ userId: owner.id, releaseNumber, reader });
        const identity = { userId: owner.id, messageId, address: reader.address, releaseNumber, earlierTries };
        return { ...letter, id: randomUUID(), personKey, mailId: mailIdOf(personKey), identity };
      });
      const created = await insertDeliveries(
        tx,
        made.map((letter) => rowOf(letter, { vault, requestId, at, tokenHash: links.tokenHashOf(letter.identity) })),
      );

      const persons = Map.groupBy(
        made.filter(({ id }) => created.has(id)),
        ({ personKey }) => personKey,
      );
      const earlier = await mailsToPersons(tx, {
        requestId,
        personKeys: [...persons.keys()],
        without: [...mailIds.values()],
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
      await mail.enqueueLetters(tx, mails);
      return created;
    },
  };
}

type Made = LetterToBring & { id: string; personKey: string; mailId: string; identity: LetterIdentity };

function rowOf(
  { id, messageId, recipientId, reader, addressFrom, replacesDeliveryId, personKey, mailId, identity }: Made,
  { vault, requestId, at, tokenHash }: { vault: Vault; requestId: string; at: Date; tokenHash: string },
): NewDelivery {
  const { userId, releaseNumber, earlierTries } = identity;
  return {
    ...{ id, messageId, recipientId, userId, requestId, personKey, mailId, releaseNumber, earlierTries, addressFrom },
    ...sealReader(vault, id, reader),
    replacesDeliveryId: replacesDeliveryId ?? null,
    deliveryToken: tokenHash,
    expiresAt: new Date(expiryOf(at.getTime())),
    createdAt: at,
  };
}
