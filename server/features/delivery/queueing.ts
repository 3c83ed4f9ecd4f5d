import { randomUUID } from 'node:crypto';
import type { App } from '#server/app.ts';
import type { OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { takeBackUntried } from '#server/features/notifications/cancel.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { AddressSource } from '#shared/rules/deliveries.ts';
import { type LetterIdentity, personKeyOf, tokenHashOf, tokenOf } from './delivery.links.ts';
import { type DeliveryRow, insertDeliveries, type NewDelivery } from './delivery.repository.ts';
import { expiryOf } from './delivery.rules.ts';
import { openPerson, type Person, sealPerson } from './delivery.sealing.ts';
import { enqueueReaderDeclined } from './mails/contact-mails.ts';
import { enqueueLetters } from './mails/letter-mails.ts';
import { lettersOfMail, mailsToPersons, moveToMail, sealedOfMails } from './person-letters.repository.ts';
import { declinedBy } from './say/declining.ts';
import { startDeliveries } from './waiting-letters.repository.ts';

/** Letter to queue: a message for one of its people, or for another address of theirs. */
export type LetterToQueue = {
  messageId: string;
  recipientId: string;
  reader: Person;
  addressFrom: AddressSource;
  replacesDeliveryId?: string;
  /** Key of the letter that it replaces, under which its reader's word applies. */
  sayKey?: string;
  earlierTries?: number;
  /** Time at which it leaves. Unset or null: immediately. */
  dueAt?: Date | null;
};

/** Release whose letters are queued. */
export type QueueingRelease = {
  owner: OwnerRow;
  vault: Vault;
  requestId: string;
  releaseNumber: number;
  at: Date;
};

/**
 * Queues letters in the given order, which is the writer's: one row each, and one mail per person. Skips letters that
 * are queued or delivered already. Returns the ids of new ones. The caller holds the owner's lock.
 */
export async function queueLetters(
  app: App,
  tx: Executor,
  release: QueueingRelease,
  letters: readonly LetterToQueue[],
): Promise<Set<string>> {
  const { owner, vault, requestId, releaseNumber, at } = release;
  const mailIdOf = oneMailPerPerson();
  const keyed = letters.map((letter) => {
    const personKey = personKeyOf(app, { userId: owner.id, reader: letter.reader });
    return { ...letter, personKey, sayKey: letter.sayKey ?? personKey };
  });
  const personKeys = keyed.flatMap(({ sayKey, personKey }) => [sayKey, personKey]);
  const declined = await declinedBy(app, tx, { userId: owner.id, personKeys }, at);
  const made = keyed.map((letter) => {
    const { messageId, reader, personKey, sayKey, earlierTries = 0 } = letter;
    const identity = { userId: owner.id, messageId, address: reader.address, releaseNumber, earlierTries };
    // A letter that its reader has declined waits for the word of the reader or a contact.
    const word = declined.get(sayKey) ?? declined.get(personKey);
    const dueAt = letter.dueAt ?? (word ? at : null);
    // The mail for a waiting letter is chosen on its day.
    const mailId = dueAt === null ? mailIdOf(personKey) : randomUUID();
    return { ...letter, id: randomUUID(), mailId, identity, dueAt, word };
  });
  const created = await insertDeliveries(
    tx,
    made.map((letter) => rowOf(letter, { vault, requestId, at, tokenHash: tokenHashOf(app, letter.identity) })),
  );
  await queueMails(
    app,
    tx,
    release,
    made.filter(({ id, dueAt }) => created.has(id) && dueAt === null),
  );
  const words = new Set(made.flatMap(({ id, word }) => (word && created.has(id) ? word : [])));
  for (const word of words) await enqueueReaderDeclined(app, tx, { requestId, owner, at }, word);
  return created;
}

/** Queues these letters of one release on their day, with one mail per person. */
export async function queueWaiting(
  app: App,
  tx: Executor,
  release: QueueingRelease,
  waiting: readonly DeliveryRow[],
): Promise<void> {
  const mailIdOf = oneMailPerPerson();
  const letters = waiting.map((row) => {
    const reader = openPerson(release.vault, row);
    const mailId = mailIdOf(row.personKey);
    return { ...row, reader, mailId, identity: { ...row, address: reader.address } };
  });
  await startDeliveries(tx, letters, release.at);
  await queueMails(app, tx, release, letters);
}

/** Queues one mail per person. Letters of an untried mail to the same person go with the new one. */
async function queueMails(
  app: App,
  tx: Executor,
  { owner, requestId, releaseNumber, at }: QueueingRelease,
  letters: readonly Omit<Made, 'dueAt'>[],
): Promise<void> {
  const persons = Map.groupBy(letters, ({ personKey }) => personKey);
  const earlier = await mailsToPersons(tx, {
    requestId,
    personKeys: [...persons.keys()],
    without: letters.map(({ mailId }) => mailId),
  });
  const cancelled = await cancelUntried(app, tx, earlier);
  const mails = [];
  for (const [personKey, [first, ...others]] of persons) {
    if (!first) continue;
    const { mailId, reader, addressFrom } = first;
    const before = earlier.filter((each) => each.personKey === personKey);
    const joining = before.filter((each) => cancelled.has(each.mailId)).map((each) => each.mailId);
    let [token, count] = [tokenOf(app, first.identity), 1 + others.length];
    if (joining.length > 0) {
      await moveToMail(tx, joining, mailId);
      const all = await lettersOfMail(tx, mailId);
      if (all[0]) token = tokenOf(app, { ...all[0], address: reader.address });
      count = all.length;
    }
    const to = { mailId, personKey, releaseNumber, reader, addressFrom, token, letters: count, owner, at };
    mails.push({ ...to, number: before.length - joining.length });
  }
  const sealed = await sealedOfMails(
    tx,
    mails.map(({ mailId }) => mailId),
  );
  await enqueueLetters(
    app,
    tx,
    mails.map((each) => ({ ...each, sealed: sealed.get(each.mailId) ?? 0 })),
  );
}

/** Cancels untried mails of these, and returns their ids. A mail that was tried stays, since it names its number of letters. */
async function cancelUntried(app: App, tx: Executor, mails: readonly { mailId: string }[]): Promise<Set<string>> {
  if (mails.length === 0) return new Set();
  const mailIds = mails.map(({ mailId }) => mailId);
  return new Set(await takeBackUntried(app, tx, { subjectIds: mailIds, kind: 'delivery.letter' }));
}

/** Returns a function that gives each person one mail id. */
function oneMailPerPerson(): (personKey: string) => string {
  const mailIds = new Map<string, string>();
  return (personKey) => {
    const mailId = mailIds.get(personKey) ?? randomUUID();
    mailIds.set(personKey, mailId);
    return mailId;
  };
}

type Made = {
  id: string;
  messageId: string;
  recipientId: string;
  reader: Person;
  addressFrom: AddressSource;
  replacesDeliveryId?: string | null;
  personKey: string;
  sayKey: string;
  mailId: string;
  identity: LetterIdentity;
  dueAt: Date | null;
};

function rowOf(
  { id, messageId, recipientId, reader, addressFrom, replacesDeliveryId, identity, dueAt, ...keys }: Made,
  { vault, requestId, at, tokenHash }: { vault: Vault; requestId: string; at: Date; tokenHash: string },
): NewDelivery {
  const { userId, releaseNumber, earlierTries } = identity;
  return {
    ...{ id, messageId, recipientId, userId, requestId, releaseNumber, earlierTries, addressFrom },
    ...{ personKey: keys.personKey, sayKey: keys.sayKey, mailId: keys.mailId },
    ...sealPerson(vault, id, reader),
    replacesDeliveryId: replacesDeliveryId ?? null,
    dueAt,
    deliveryToken: tokenHash,
    expiresAt: new Date(expiryOf((dueAt ?? at).getTime())),
    createdAt: at,
  };
}
