import { randomBytes, randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { findOwner, findVaultKey, findVaultKeys, lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { Principal } from '#server/features/accounts/accounts.service.ts';
import { createActivityLog } from '#server/features/accounts/activity.service.ts';
import { createAudit } from '#server/features/audit/audit.service.ts';
import { createFiles } from '#server/features/files/files.service.ts';
import { createNotifications } from '#server/features/notifications/notifications.service.ts';
import { createFreshSignIns } from '#server/features/sessions/fresh-sign-in.ts';
import { createManualClock } from '#server/platform/clock/clock.ts';
import { createServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { createVaults } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { createMemoryStore } from '#server/platform/files/memory-store.ts';
import { createMemoryMailer } from '#server/platform/mail/memory-mailer.ts';
import { createMemoryQueue } from '#server/platform/queue/memory-queue.ts';
import { noScanner } from '#server/platform/scanner/scanner.ts';
import { createMemoryTexter } from '#server/platform/sms/memory-texter.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import { createTestDatabase } from '#tests/support/database.ts';

type NewOwner = {
  plan?: PlanName;
  emailVerified?: boolean;
  isMailboxProven?: boolean;
  email?: string;
  firstName?: string | null;
};

export const nowhere = { ipAddress: null, userAgent: null };
export const baseUrl = 'https://everkept.example';

/** Owners with open vaults on a real database, a clock held by hand, and a post office that keeps what it sent. */
export async function createVaultWorld() {
  const database = await createTestDatabase();
  const { db } = database;
  const clock = createManualClock(new Date('2026-03-01T09:00:00.000Z'));
  const masterKey = randomBytes(32);
  const masterKeys = { current: { version: 1, key: masterKey }, find: () => masterKey };
  const vaults = createVaults(masterKeys);
  const activity = createActivityLog();
  const mailer = createMemoryMailer();
  const logged: string[] = [];
  const log = (_details: object, message: string) => logged.push(message);
  const serviceKeys = await createServiceKeys(db, masterKeys);
  const notifications = createNotifications({
    db,
    clock,
    serviceKeys,
    mailer,
    texter: createMemoryTexter(),
    queue: createMemoryQueue(),
    mailFrom: 'Everkept <hello@everkept.example>',
    mailCheck: { address: 'operator@everkept.example', baseUrl: 'https://everkept.example' },
    log: { warn: log, error: log },
  });

  const freshSignIns = createFreshSignIns({ db, clock });
  const accounts = {
    ...activity,
    lockOwner: lockOwnerRow,
    ownerOf: findOwner,
    async openVault(executor: Executor, userId: string) {
      const key = await findVaultKey(executor, userId);
      if (!key) throw new Error('This owner has no vault.');
      return vaults.open(userId, key);
    },
    async openVaults(executor: Executor, userIds: readonly string[]) {
      const keys = await findVaultKeys(executor, userIds);
      return new Map(keys.map((key) => [key.userId, vaults.open(key.userId, key)]));
    },
  };

  async function newOwner(given: NewOwner = {}): Promise<Principal> {
    const { plan = 'free', emailVerified = true, firstName = 'Sam' } = given;
    const isMailboxProven = given.isMailboxProven ?? emailVerified;
    const userId = randomUUID();
    const email = given.email ?? `${userId}@example.org`;
    const at = await clock.now();
    await db.insert(users).values({
      id: userId,
      email,
      firstName,
      lastName: firstName && 'Carter',
      plan,
      emailVerified,
      mailboxProvenAt: isMailboxProven ? at : null,
      lastCheckinAt: at,
    });
    const vaultKey = vaults.create(userId);
    await db.insert(vaultKeys).values({ userId, ...vaultKey });
    return {
      userId,
      sessionId: randomUUID(),
      emailVerified,
      plan,
      vaultKey,
      authenticatedAt: at,
      secondFactorAt: null,
    };
  }

  async function rowOf(userId: string) {
    const [row] = await db.select().from(users).where(eq(users.id, userId));
    if (!row) throw new Error('There is no such owner.');
    return row;
  }

  /** Verifies an owner's address as the accounts feature does: under their lock, and everybody is told. */
  async function verify(principal: Principal): Promise<Principal> {
    await db.transaction(async (tx) => {
      await lockOwnerRow(tx, principal.userId);
      await activity.markVerified(tx, principal.userId, await clock.now(tx));
    });
    return { ...principal, emailVerified: true };
  }

  /** The owner shows that they read their mailbox. */
  async function prove({ userId }: Principal): Promise<void> {
    await db.transaction(async (tx) => {
      await lockOwnerRow(tx, userId);
      await activity.proveMailbox(tx, userId, await clock.now(tx));
    });
  }

  /** Sends what is due and gives what reached this address so far. */
  async function mailsTo(address: string) {
    await notifications.dispatchDue();
    return mailer.sent.filter(({ to }) => to.address === address);
  }

  const store = createMemoryStore();
  const files = createFiles({ db, clock, vaults, store, scanner: noScanner, log: { warn: log } });
  const told = { store, files, newOwner, rowOf, verify, prove, mailsTo, logged, mailer, notifications };
  return {
    ...database,
    ...told,
    clock,
    hashToken: serviceKeys.hashToken,
    vaults,
    accounts,
    freshSignIns,
    audit: createAudit(serviceKeys),
    baseUrl,
  };
}

export type VaultWorld = Awaited<ReturnType<typeof createVaultWorld>>;
