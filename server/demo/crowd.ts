import { randomBytes, randomInt, randomUUID, randomUUIDv7 } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { AuditEntry } from '#server/features/audit/record.ts';
import { sealRecipient } from '#server/features/messages/recipients.sealing.ts';
import type { Vault, Vaults } from '#server/platform/crypto/vault.ts';
import type { Database, Executor } from '#server/platform/db/database.ts';
import { recordSet } from '#server/platform/db/record-set.ts';
import { checkins, sessions, users, vaultKeys } from '#server/schema/accounts.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { messageRecipients, messages } from '#server/schema/messages.tables.ts';
import { notifications } from '#server/schema/notifications.tables.ts';

const dayMs = 86_400_000;
const ownersPerBatch = 1_000;

/** Rows of each owner. A few check-ins, mails and log rows are older than their storage time. */
const each = { messages: 3, checkins: 6, mails: 3, auditRows: 8 };

type CrowdOptions = {
  db: Database;
  vaults: Pick<Vaults, 'create' | 'open'>;
  /** Appends lines to the audit log. */
  append: (tx: Executor, entries: readonly AuditEntry[]) => Promise<void>;
  owners: number;
  now: Date;
  onProgress?: (made: number) => void;
};

/**
 * Inserts owners as an installation has them after three years. Each has sealed letters and contacts, visits,
 * sessions, mails and a log that verifies. Most of them were here this month, and one in a hundred has expired data.
 * The rows go straight into the tables, since a simulation would take as many days as there are owners.
 */
export async function createCrowd({ db, vaults, append, owners, now, onProgress }: CrowdOptions): Promise<void> {
  for (let made = 0; made < owners; ) {
    const count = Math.min(ownersPerBatch, owners - made);
    const batch = Array.from({ length: count }, (_, index) => newOwner(made + index, { vaults, now }));
    await db.transaction(async (tx) => {
      await insert(tx, batch);
      await append(
        tx,
        batch.flatMap(({ log }) => log),
      );
    });
    made += count;
    onProgress?.(made);
  }
  // Without statistics the first plans would be those of empty tables.
  await db.execute(sql`analyze`);
}

type Owner = ReturnType<typeof newOwner>;

/** One of so many, of whom every so-many-th differs. */
type Place = { number: number; now: Date };
const isOneIn = ({ number }: Place, many: number) => number % many === many - 1;
const daysBefore = ({ now }: Place, days: number) => new Date(now.getTime() - days * dayMs);

function newOwner(number: number, { vaults, now }: Pick<CrowdOptions, 'vaults' | 'now'>) {
  const place = { number, now };
  const user = newUser(place);
  const { id: userId, createdAt } = user;
  const key = vaults.create(userId);
  const vault = vaults.open(userId, key);
  const letters = Array.from({ length: each.messages }, (_, index) => newLetter(vault, place, { user, index }));
  return {
    user,
    key: { userId, ...key, createdAt },
    letters,
    readers: letters.map((letter) => newReader(vault, letter)),
    contact: newContact(vault, place, user),
    visits: Array.from({ length: each.checkins }, (_, index) => newVisit(place, { userId, index })),
    session: newSession(place, user),
    mails: Array.from({ length: each.mails }, (_, index) => newMail(place, { userId, index })),
    log: Array.from({ length: each.auditRows }, (_, index) => newLine(place, { userId, index })),
  };
}

type User = ReturnType<typeof newUser>;

function newUser(place: Place) {
  const lastHere = daysBefore(place, isOneIn(place, 250) ? 4 * 365 : randomInt(30));
  const createdAt = daysBefore(place, (isOneIn(place, 250) ? 5 : 3) * 365 + randomInt(30));
  const isVerified = !isOneIn(place, 200);
  return {
    id: randomUUID(),
    email: `crowd-${place.number}@${domain}`,
    firstName: 'Crowd',
    lastName: String(place.number),
    plan: isOneIn(place, 5) ? ('premium' as const) : ('free' as const),
    emailVerified: isVerified,
    firstVerifiedAt: isVerified ? createdAt : null,
    subscriptionEnd: isOneIn(place, 99) ? daysBefore(place, 500) : null,
    createdAt,
    updatedAt: lastHere,
    lastCheckinAt: lastHere,
    nextStepAt: daysBefore(place, -30),
  };
}

function newLetter(vault: Vault, place: Place, { user, index }: { user: User; index: number }) {
  const id = randomUUIDv7();
  const { createdAt } = user;
  const isDelivered = isOneIn(place, 300) && index === 0;
  const seal = (column: string, text: string) => vault.seal({ table: 'messages', column, rowId: id }, text);
  return {
    ...{ id, userId: user.id, title: seal('title', `Letter ${index + 1}`), content: seal('content', words) },
    status: isDelivered ? ('delivered' as const) : index === 2 ? ('draft' as const) : ('ready' as const),
    position: index + 1,
    deliveredAt: isDelivered ? daysBefore(place, 600) : null,
    ...{ createdAt, updatedAt: createdAt },
  };
}

function newReader(vault: Vault, { id: messageId, createdAt }: { id: string; createdAt: Date }) {
  const id = randomUUIDv7();
  const nell = { name: 'Nell', relation: null, email: `nell@${domain}` };
  return { ...sealRecipient(vault, id, nell), messageId, position: 1, addressSince: createdAt };
}

function newContact(vault: Vault, { number }: Place, { id: userId, createdAt }: User) {
  const id = randomUUIDv7();
  const name = vault.seal({ table: 'trusted_contacts', column: 'name', rowId: id }, 'Priya');
  const accepted = { isActive: true, isConfirmed: true, confirmedAt: createdAt, confirmedHealthyMs: 0 };
  return { id, userId, name, email: `contact-${number}@${domain}`, ...accepted, createdAt, updatedAt: createdAt };
}

function newVisit(place: Place, { userId, index }: { userId: string; index: number }) {
  const createdAt = daysBefore(place, index * 75 + randomInt(30));
  return { id: randomUUID(), userId, type: 'login' as const, createdAt };
}

function newSession(place: Place, { id: userId, lastCheckinAt: at }: User) {
  const days = 1 + randomInt(30);
  return {
    sid: randomBytes(32).toString('base64url'),
    sess: { ipAddress: null, userAgent: null },
    expire: daysBefore(place, isOneIn(place, 3) ? days : -days),
    ...{ userId, createdAt: at, lastSeenAt: at, authenticatedAt: at },
  };
}

function newMail(place: Place, { userId, index }: { userId: string; index: number }) {
  const id = randomUUIDv7();
  const at = daysBefore(place, index * 370 + randomInt(30));
  const times = { notBefore: at, lastAttemptAt: at, acceptedAt: at, endedAt: at, createdAt: at };
  const sent = { channel: 'email' as const, kind: 'crowd.mail', status: 'accepted' as const, attempts: 1 };
  return { id, userId, dedupeKey: `crowd:${id}`, messageId: `<${id}@${domain}>`, ...sent, ...times };
}

function newLine(place: Place, { userId, index }: { userId: string; index: number }): AuditEntry {
  const at = daysBefore(place, (each.auditRows - index) * 100 - 10);
  return { userId, action: 'session.start', resource: 'session', details: { method: 'password' }, at };
}

const domain = 'crowd.everkept.example';
const words = `${'Put the kettle on first, and then look behind the yellow door. '.repeat(14)}\n\nDad`;

/** Every table at once; what belongs to others comes after them. */
async function insert(tx: Executor, owners: readonly Owner[]): Promise<void> {
  const of = <Name extends keyof Owner>(name: Name) => owners.map((owner) => owner[name]);
  await insertRows(tx, users, of('user'));
  await insertRows(tx, vaultKeys, of('key'));
  await insertRows(tx, messages, of('letters').flat());
  await insertRows(tx, messageRecipients, of('readers').flat());
  await insertRows(tx, trustedContacts, of('contact'));
  await insertRows(tx, checkins, of('visits').flat());
  await insertRows(tx, sessions, of('session'));
  await insertRows(tx, notifications, of('mails').flat());
}

async function insertRows<Table extends PgTable>(
  tx: Executor,
  table: Table,
  rows: readonly Table['$inferInsert'][],
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const set = recordSet(table, Object.keys(first) as (keyof Table['$inferInsert'] & string)[]);
  await tx.execute(sql`insert into ${table} (${set.names}) select ${set.names} from ${set.sourceOf(rows as never)}`);
}
