import { randomBytes, randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { sealContact } from '#server/features/contacts/contacts.sealing.ts';
import { sealPerson } from '#server/features/delivery/delivery.sealing.ts';
import { insertImportedDocuments } from '#server/features/documents/documents.import.ts';
import { recipientsOfMessages } from '#server/features/messages/recipients.repository.ts';
import { sealRecipient } from '#server/features/messages/recipients.sealing.ts';
import { loadMasterKeys } from '#server/platform/crypto/master-key.ts';
import { createVaults, type Vault } from '#server/platform/crypto/vault.ts';
import type { Database } from '#server/platform/db/database.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import { auditChains, auditLogs } from '#server/schema/audit.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { fileObjects } from '#server/schema/files.tables.ts';
import { messageRecipients, messages } from '#server/schema/messages.tables.ts';
import { releaseRequests } from '#server/schema/release.tables.ts';
import { contactsMax } from '#shared/rules/contacts.ts';
import { releaseRow } from '#tests/support/request-rows.ts';

const rowsPerInsert = 500;
const words = 'The blue tin has the photographs. Go to the sea, and take the dog with you. '.repeat(12);

/** An owner whose rows are written by SQL. */
export type Filled = { db: Database; userId: string; vault: Vault };

export async function findOwner(db: Database, { dataDir, email }: { dataDir: string; email: string }): Promise<Filled> {
  const [owner] = await db
    .select({ userId: users.id, key: vaultKeys })
    .from(users)
    .innerJoin(vaultKeys, eq(vaultKeys.userId, users.id))
    .where(eq(users.email, email));
  if (!owner) throw new Error(`There is no owner ${email}.`);
  const { userId, key } = owner;
  return { db, userId, vault: createVaults(await loadMasterKeys({ dataDir })).open(userId, key) };
}

/** Letters of 900 characters to so many people in turn. `rare` stands in the first one, at the end of its text. */
export async function writeLetters(
  { db, userId, vault }: Filled,
  { count, people, rare = '' }: { count: number; people: number; rare?: string },
): Promise<string[]> {
  const made = Array.from({ length: count }, (_, number) => {
    const id = randomUUID();
    const seal = (column: string, text: string) => vault.seal({ table: 'messages', column, rowId: id }, text);
    const content = seal('content', number === 0 ? `${words}${rare}` : words);
    const createdAt = new Date(Date.UTC(2026, 0, 1) + number * 60_000);
    const letter = { id, userId, title: seal('title', `Letter ${number}`), content, position: number + 1, createdAt };
    const person = number % people === 0 ? '' : `-${number % people}`;
    const nell = { name: `Nell${person}`, relation: 'my daughter', email: `nell${person}@family.example` };
    return { letter, recipient: { ...sealRecipient(vault, randomUUID(), nell), messageId: id, position: 1 } };
  });
  for (let at = 0; at < count; at += rowsPerInsert) {
    const some = made.slice(at, at + rowsPerInsert);
    await db.insert(messages).values(some.map(({ letter }) => letter));
    await db.insert(messageRecipients).values(some.map(({ recipient }) => recipient));
  }
  await db.execute('analyze');
  return made.map(({ letter }) => letter.id);
}

/** A release that has sent every letter of an owner, each to its reader, who has not opened it. */
export async function sendLetters({ db, userId, vault }: Filled): Promise<void> {
  const release = releaseRow({ userId, openedAt: new Date(), releaseNumber: 1 });
  await db.insert(releaseRequests).values(release);
  const letters = await db.select().from(messages).where(eq(messages.userId, userId));
  const recipients = await recipientsOfMessages(
    db,
    letters.map(({ id }) => id),
  );
  const deliveries = letters.flatMap(({ id: messageId }) =>
    (recipients.get(messageId) ?? []).map(({ id: recipientId }) => {
      const id = randomUUID();
      const reader = sealPerson(vault, id, { address: 'nell@family.example', name: 'Nell' });
      const times = { createdAt: new Date(), deliveredAt: new Date(), endedAt: new Date(), expiresAt: new Date() };
      const person = { personKey: recipientId, sayKey: recipientId };
      const mail = { mailId: randomUUID(), deliveryToken: id, releaseNumber: 1 };
      return {
        id,
        messageId,
        recipientId,
        userId,
        requestId: release.id,
        ...reader,
        ...times,
        ...person,
        ...mail,
        status: 'accepted' as const,
      };
    }),
  );
  for (let at = 0; at < deliveries.length; at += rowsPerInsert) {
    await db.insert(messageDeliveries).values(deliveries.slice(at, at + rowsPerInsert));
  }
  await db.execute('analyze');
}

/** Writes documents, lines of the log, and contacts up to their limit. */
export async function fillOthers({ db, userId, vault }: Filled, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, number) => number);
  for (let at = 0; at < count; at += rowsPerInsert) {
    const some = numbers.slice(at, at + rowsPerInsert);
    const documents = some.map(documentOf);
    await db.insert(fileObjects).values(documents.map(({ file: { path }, createdAt }) => ({ path, createdAt })));
    await insertImportedDocuments(db, { userId, vault }, documents);
    await db.insert(auditLogs).values(some.map((number) => lineOf(userId, number)));
  }
  const head = { chain: userId, length: count, headHash: randomBytes(32), seal: randomBytes(32) };
  await db.insert(auditChains).values(head).onConflictDoNothing();
  const contacts = numbers.slice(0, contactsMax).map((number) => {
    const id = randomUUID();
    const words = sealContact(vault, id, { name: `Person ${number}`, phone: null, relationship: 'Friend' });
    return { ...words, id, userId, email: `person-${number}@people.example`, isActive: true };
  });
  await db.insert(trustedContacts).values(contacts);
  await db.execute('analyze');
}

function documentOf(number: number) {
  const createdAt = new Date(Date.UTC(2026, 0, 1) + number * 60_000);
  const description = 'The original is in the blue tin on the shelf. '.repeat(4).trim();
  const file = { path: randomUUID(), name: `scan-${number}.pdf`, sizeBytes: 1_000, mimeType: 'application/pdf' };
  const settings = { category: 'legal' as const, visibleToTrustedContact: false, createdAt, updatedAt: createdAt };
  return { ...settings, name: `Document ${number}`, description, file };
}

/** Line of the log as its list reads it. Its hashes match nothing: only `audit verify` reads them. */
function lineOf(userId: string, number: number) {
  const hashes = { previousHash: randomBytes(32), hash: randomBytes(32) };
  const event = { action: 'document.create', resource: 'document', ipAddress: null, userAgent: null };
  const createdAt = new Date(Date.UTC(2026, 0, 1) + number * 60_000);
  return { ...event, ...hashes, id: randomUUID(), userId, chain: userId, position: number + 1, createdAt };
}
