import { randomUUID } from 'node:crypto';
import { sealContact } from '#server/features/contacts/contacts.sealing.ts';
import { sealRecipient } from '#server/features/messages/recipients.sealing.ts';
import type { MasterKeys } from '#server/platform/crypto/master-key.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { type HashToken, newToken } from '#server/platform/crypto/token.ts';
import { createVaults, type Vault } from '#server/platform/crypto/vault.ts';
import type { Database } from '#server/platform/db/database.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { messageRecipients, messages } from '#server/schema/messages.tables.ts';
import {
  checkinLinks,
  releaseAsks,
  releaseNotices,
  releaseRequests,
  releaseSilences,
} from '#server/schema/release.tables.ts';
import type { ReleaseMethod } from '#shared/rules/inactivity.ts';
import { requestRow, silenceRow } from './request-rows.ts';

/** An owner whose contacts have been asked, with every link that they and the contacts hold. */
export type AskedOwner = {
  userId: string;
  checkInToken: string;
  contactIds: string[];
  portalTokens: string[];
  readers: string[];
};

type Crowd = {
  masterKeys: MasterKeys;
  count: number;
  /** Prefix of every address, so that two crowds in one database differ. */
  name: string;
  contactsEach: number;
  lettersEach: number;
  at: Date;
  /** Number of contacts who must confirm; one, unless told otherwise. */
  needed?: number;
  /** By which the letters go; `trusted_contact`, unless told otherwise. */
  method?: ReleaseMethod;
  /** Contacts were asked so many days ago; today, unless told otherwise. */
  askedDaysAgo?: number;
  /** Owners who were active five days ago, without a request: their links for contacts open nothing. */
  isWatching?: boolean;
};

const dayMs = 86_400_000;
/** Days between the last sign of life, the reminders and the question. */
const silence = { last: 91, first: 46, asking: 11 };
const watchingDays = 5;
const rowsPerInsert = 1_000;

/**
 * Owners after a silence of 91 days: both reminders accepted, every contact asked, letters ready. Written table by
 * table, because simulating a silence takes far longer than the test.
 */
export async function createAskedOwners(db: Database, crowd: Crowd): Promise<AskedOwner[]> {
  const vaults = createVaults(crowd.masterKeys);
  const { hashToken } = await createServiceKeys(db, crowd.masterKeys);
  const made = Array.from({ length: crowd.count }, (_, index) => {
    const userId = randomUUID();
    const key = vaults.create(userId);
    return rowsOf({ ...crowd, hashToken }, { userId, index, key, vault: vaults.open(userId, key) });
  });
  const all = <Row>(read: (rows: (typeof made)[number]) => Row[]) => pages(made.flatMap(read));
  await db.transaction(async (tx) => {
    for (const rows of all(({ owner }) => [owner])) await tx.insert(users).values(rows);
    for (const rows of all(({ vaultKey }) => [vaultKey])) await tx.insert(vaultKeys).values(rows);
    for (const rows of all(({ contacts }) => contacts)) await tx.insert(trustedContacts).values(rows);
    for (const rows of all(({ letters }) => letters)) await tx.insert(messages).values(rows);
    for (const rows of all(({ recipients }) => recipients)) await tx.insert(messageRecipients).values(rows);
    for (const rows of all(({ silences }) => silences)) await tx.insert(releaseSilences).values(rows);
    for (const rows of all(({ requests }) => requests)) await tx.insert(releaseRequests).values(rows);
    for (const rows of all(({ notices }) => notices)) await tx.insert(releaseNotices).values(rows);
    for (const rows of all(({ asks }) => asks)) await tx.insert(releaseAsks).values(rows);
    for (const rows of all(({ checkInLink }) => [checkInLink])) await tx.insert(checkinLinks).values(rows);
  });
  return made.map(({ links }) => links);
}

type Made = { userId: string; index: number; key: { keyVersion: number; wrappedKey: Buffer }; vault: Vault };

type Making = Crowd & { hashToken: HashToken };

function rowsOf(crowd: Making, made: Made) {
  const { name, contactsEach, lettersEach, at, hashToken, needed = 1, askedDaysAgo = 0, isWatching = false } = crowd;
  const { userId, index, key, vault } = made;
  const silentSince = daysBefore(at, isWatching ? watchingDays : silence.last + askedDaysAgo);
  const checkInToken = newToken();
  const portalTokens = Array.from({ length: contactsEach }, () => newToken());
  const readers = Array.from(
    { length: lettersEach },
    (_, number) => `${name}-reader-${index}-${number}@family.example`,
  );
  const contacts = portalTokens.map((_, number) => {
    const id = randomUUID();
    return {
      ...sealContact(vault, id, { name: `Contact ${number}`, phone: null, relationship: null }),
      id,
      userId,
      email: `${name}-contact-${index}-${number}@friends.example`,
      isActive: true,
      isConfirmed: true,
      confirmationSentAt: silentSince,
      confirmedAt: silentSince,
      createdAt: silentSince,
    };
  });
  const contactIds = contacts.map(({ id }) => id);
  const letters = readers.map((reader, number) => letterTo(reader, number, { userId, vault, silentSince }));
  const nothing = { silences: [], requests: [], notices: [], asks: [] };
  return {
    links: { userId, checkInToken, contactIds, portalTokens, readers },
    owner: {
      id: userId,
      email: `${name}-${index}@people.example`,
      firstName: 'Olga',
      plan: 'premium' as const,
      emailVerified: true,
      releaseMethod: crowd.method ?? ('trusted_contact' as const),
      releaseQuorum: needed,
      inactivityDays: 90,
      createdAt: silentSince,
      lastCheckinAt: silentSince,
    },
    vaultKey: { userId, ...key },
    contacts,
    letters: letters.map(({ letter }) => letter),
    recipients: letters.map(({ recipient }) => recipient),
    checkInLink: {
      tokenHash: hashToken(checkInToken),
      userId,
      createdAt: at,
      expiresAt: new Date(at.getTime() + 400 * dayMs),
    },
    ...(isWatching
      ? nothing
      : askedRows({ userId, at, needed, askedDaysAgo, contactIds }, portalTokens.map(hashToken))),
  };
}

type Asked = { userId: string; at: Date; needed: number; askedDaysAgo: number; contactIds: readonly string[] };

/** Two reminders that were accepted, and a question to every contact, of which each has the link of this hash. */
function askedRows({ userId, at, needed, askedDaysAgo, contactIds }: Asked, tokenHashes: readonly string[]) {
  const askedAt = daysBefore(at, askedDaysAgo);
  const askedHealthyMs = -askedDaysAgo * dayMs;
  const request = requestRow({
    userId,
    needed,
    openedAt: askedAt,
    openedHealthyMs: askedHealthyMs,
    silenceAsksAt: askedAt,
    silenceAsksHealthyMs: askedHealthyMs,
    ownerNotice: 3,
    phaseHealthyMs: askedHealthyMs,
    bySilence: true,
  });
  const asks = contactIds.map((contactId, number) => ({
    userId,
    requestId: request.id,
    contactId,
    notice: 4 + number,
    isRepeat: false,
    isRevoked: false,
    tokenHash: tokenHashes[number] ?? '',
    createdAt: askedAt,
  }));
  return {
    silences: [
      silenceRow({
        userId,
        needed,
        openedAt: daysBefore(at, askedDaysAgo + silence.first),
        firstNotice: 1,
        lastNotice: 2,
        // The breaker is tested elsewhere.
        isExpected: true,
      }),
    ],
    requests: [request],
    notices: [
      acceptedNotice({ userId, number: 1, topic: 'first_reminder', daysAgo: askedDaysAgo + silence.first, at }),
      acceptedNotice({ userId, number: 2, topic: 'last_reminder', daysAgo: askedDaysAgo + silence.asking, at }),
      acceptedNotice({ userId, number: 3, topic: 'asked', daysAgo: askedDaysAgo, at }),
      ...asks.map(({ notice: number, contactId }) =>
        acceptedNotice({ userId, number, contactId, topic: 'question', daysAgo: askedDaysAgo, at }),
      ),
    ],
    asks,
  };
}

type Told = { userId: string; number: number; contactId?: string; topic: string; daysAgo: number; at: Date };

/** A notice whose mail was taken at once. Healthy time begins at zero in an installation that has just been made. */
function acceptedNotice({ daysAgo, at, ...notice }: Told) {
  const [writtenAt, healthyMs] = [daysBefore(at, daysAgo), -daysAgo * dayMs];
  const email = { emailOutcome: 'accepted' as const, emailAt: writtenAt, emailHealthyMs: healthyMs };
  return { ...notice, isTexted: false, writtenAt, writtenHealthyMs: healthyMs, ...email };
}

const daysBefore = (at: Date, days: number) => new Date(at.getTime() - days * dayMs);

/** PostgreSQL takes at most 65,535 values in a statement. */
function pages<Row>(rows: Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / rowsPerInsert) }, (_, page) =>
    rows.slice(page * rowsPerInsert, (page + 1) * rowsPerInsert),
  );
}

function letterTo(
  reader: string,
  number: number,
  { userId, vault, silentSince }: { userId: string; vault: Vault; silentSince: Date },
) {
  const id = randomUUID();
  const seal = (column: string, text: string) => vault.seal({ table: 'messages', column, rowId: id }, text);
  const words = { title: seal('title', `Letter ${number}`), content: seal('content', `Words for ${reader}`) };
  const person = sealRecipient(vault, randomUUID(), { name: null, relation: null, email: reader });
  return {
    letter: { id, userId, ...words, position: number + 1, status: 'ready' as const, createdAt: silentSince },
    recipient: { ...person, messageId: id, position: 1 },
  };
}
