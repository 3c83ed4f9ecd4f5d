import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { markVerified, proveMailbox } from '#server/features/accounts/activity.ts';
import { dispatchDue } from '#server/features/notifications/notifications.dispatch.ts';
import type { Principal } from '#server/http/principal.ts';
import { createManualClock } from '#server/platform/clock/clock.ts';
import { registerReactions } from '#server/reactions.ts';
import { users, vaultKeys } from '#server/schema/accounts.tables.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import { openTestApp } from '#tests/support/installation/open-test-app.ts';

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
  const clock = createManualClock(new Date('2026-03-01T09:00:00.000Z'));
  const opened = await openTestApp({
    environment: { BASE_URL: baseUrl, TRUST_PROXY: '127.0.0.1', ADMIN_EMAIL: 'operator@everkept.example' },
    parts: { clock },
  });
  const { app, database, mailer, store, log: logged } = opened;
  const { db, vaults, serviceKeys } = app;
  registerReactions(app);
  // Their lines would stand in `logged`, which is about the vault.
  app.brokenSealListeners.length = 0;

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
      isAdministrator: false,
      unproved: null,
      mustChangePassword: false,
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
      await markVerified(app, tx, principal.userId, await clock.now(tx));
    });
    return { ...principal, emailVerified: true };
  }

  /** The owner shows that they read their mailbox. */
  async function prove({ userId }: Principal): Promise<void> {
    await db.transaction(async (tx) => {
      await lockOwnerRow(tx, userId);
      await proveMailbox(app, tx, userId, await clock.now(tx));
    });
  }

  /** Sends what is due and gives what reached this address so far. */
  async function mailsTo(address: string) {
    await dispatchDue(app);
    return mailer.sent.filter(({ to }) => to.address === address);
  }

  const told = { store, newOwner, rowOf, verify, prove, mailsTo, logged, mailer };
  return {
    app,
    ...database,
    ...told,
    clock,
    hashToken: serviceKeys.hashToken,
    vaults,
    baseUrl,
  };
}

export type VaultWorld = Awaited<ReturnType<typeof createVaultWorld>>;
