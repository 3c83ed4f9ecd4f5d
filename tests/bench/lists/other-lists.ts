import { randomBytes, randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { sealContact } from '#server/features/contacts/contacts.sealing.ts';
import { insertImportedDocuments } from '#server/features/documents/documents.import.ts';
import { loadMasterKeys } from '#server/platform/crypto/master-key.ts';
import { createVaults, type Vault } from '#server/platform/crypto/vault.ts';
import type { Database } from '#server/platform/db/database.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { fileObjects } from '#server/schema/files.tables.ts';
import { contactsMax } from '#shared/rules/contacts.ts';
import { type Figure, ms } from '../figure.ts';
import { createOwners } from '../owners.ts';
import type { Site } from '../site.ts';
import { call, healthBeside, kilobytes, listsAtOnce, timesOf } from './lists.calls.ts';

const healthMs = 50;
const rowsPerInsert = 500;

type Filled = { db: Database; userId: string; vault: Vault };

/** Lists of documents, contacts and activity: one owner for each number of rows. */
export async function otherFigures(site: Site, db: Database, counts: readonly number[]): Promise<Figure[]> {
  const { dataDir } = site;
  const cookies = await createOwners(db, { dataDir, count: counts.length, name: 'others' });
  const vaults = createVaults(await loadMasterKeys({ dataDir }));
  const figures: Figure[] = [];
  for (const [index, count] of counts.entries()) {
    const [owner] = await db
      .select({ userId: users.id, key: vaultKeys })
      .from(users)
      .innerJoin(vaultKeys, eq(vaultKeys.userId, users.id))
      .where(eq(users.email, `others-${index}@everkept.example`));
    if (!owner) throw new Error('There is no such owner.');
    const filled = { db, userId: owner.userId, vault: vaults.open(owner.userId, owner.key) };
    await fill(filled, count);
    figures.push(...(await figuresOf(site, cookies[index] ?? '', count)));
  }
  return figures;
}

async function fill({ db, userId, vault }: Filled, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, number) => number);
  for (let at = 0; at < count; at += rowsPerInsert) {
    const some = numbers.slice(at, at + rowsPerInsert);
    const documents = some.map(documentOf);
    await db.insert(fileObjects).values(documents.map(({ file: { path }, createdAt }) => ({ path, createdAt })));
    await insertImportedDocuments(db, { userId, vault }, documents);
    await db.insert(auditLogs).values(some.map((number) => lineOf(userId, number)));
  }
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

async function figuresOf(site: Site, cookie: string, count: number): Promise<Figure[]> {
  const timed = (path: string, body?: object) => timesOf(() => call(site, { cookie }, path, body));
  const search = { words: 'no such word' };
  const page = await timed('/api/documents/page');
  const byName = await timed('/api/documents/page?sort=name');
  const searched = await timed('/api/documents/search', search);
  const whole = await timed('/api/documents');
  const contacts = await timed('/api/trusted-contacts');
  const activity = await timed('/api/user/activity');
  const oldest = await timed('/api/user/activity?before=50');
  const filtered = await timed('/api/user/activity?kind=money');
  const besideMs = await healthBeside(site, () => call(site, { cookie }, '/api/documents/search', search));
  return [
    {
      what: `${count} documents: page; by name; a search of all words`,
      figure: `${[page, byName, searched].map(({ tookMs }) => ms(tookMs)).join('; ')}, ${kilobytes(page.bytes)}`,
    },
    { what: '  GET /api/documents, compressed if long', figure: `${ms(whole.tookMs)}, ${kilobytes(whole.bytes)}` },
    {
      what: `  slowest /healthz beside ${listsAtOnce} searches`,
      figure: ms(besideMs),
      goal: `< ${healthMs} ms`,
      met: besideMs < healthMs,
    },
    { what: `  ${Math.min(count, contactsMax)} contacts, as many as there can be`, figure: ms(contacts.tookMs) },
    {
      what: `  ${count} lines of activity: newest page; oldest; of a kind that has none`,
      figure: [activity, oldest, filtered].map(({ tookMs }) => ms(tookMs)).join('; '),
    },
  ];
}
