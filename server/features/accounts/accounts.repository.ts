import { eq, getTableColumns, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { prepared } from '#server/platform/db/prepared.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import { type CheckinType, checkins, users, vaultKeys } from './accounts.tables.ts';

const columns = getTableColumns(users);

/** What other features may read of an account. No password, no token, no payment identifier. */
const ownerColumns = {
  id: columns.id,
  email: columns.email,
  firstName: columns.firstName,
  lastName: columns.lastName,
  profileImageUrl: columns.profileImageUrl,
  phone: columns.phone,
  plan: columns.plan,
  intendedPlan: columns.intendedPlan,
  role: columns.role,
  emailVerified: columns.emailVerified,
  createdAt: columns.createdAt,
  lastLoginAt: columns.lastLoginAt,
  lastCheckinAt: columns.lastCheckinAt,
  checkinIntervalDays: columns.checkinIntervalDays,
  releaseMethod: columns.releaseMethod,
  inactivityDays: columns.inactivityDays,
  isTrustedContactAccount: columns.isTrustedContactAccount,
  tempPassword: columns.tempPassword,
  releaseQuorum: columns.releaseQuorum,
  releaseWaitingDays: columns.releaseWaitingDays,
  releaseAnswerDays: columns.releaseAnswerDays,
  releaseEpoch: columns.releaseEpoch,
  releaseFrozenAt: columns.releaseFrozenAt,
  nextStepAt: columns.nextStepAt,
};

export type OwnerRow = Pick<typeof users.$inferSelect, keyof typeof ownerColumns>;

const ownerById = prepared((executor) =>
  executor
    .select(ownerColumns)
    .from(users)
    .where(eq(users.id, sql.placeholder('id')))
    .prepare('account_by_id'),
);

const ownerLocked = prepared((executor) =>
  executor
    .select(ownerColumns)
    .from(users)
    .where(eq(users.id, sql.placeholder('id')))
    .for('update')
    .prepare('account_locked'),
);

export async function findOwner(executor: Executor, userId: string): Promise<OwnerRow | null> {
  const [row] = await ownerById(executor).execute({ id: userId });
  return row ?? null;
}

export async function findOwnerByEmail(executor: Executor, email: string): Promise<OwnerRow | null> {
  const [row] = await executor.select(ownerColumns).from(users).where(eq(users.email, email));
  return row ?? null;
}

/** Takes the row until the end of the transaction; the first lock of every transaction that writes. */
export async function lockOwnerRow(tx: Executor, userId: string): Promise<OwnerRow | null> {
  const [row] = await ownerLocked(tx).execute({ id: userId });
  return row ?? null;
}

export type NewAccount = {
  id: string;
  email: string;
  passwordHash: string;
  firstName: string;
  lastName: string | null;
  intendedPlan: PlanName | null;
  verificationTokenHash: string;
  verificationExpiresAt: Date;
  at: Date;
};

/** Gives the new account's id, or null where the address is taken. */
export async function insertAccount(tx: Executor, account: NewAccount): Promise<string | null> {
  const { at } = account;
  const [row] = await tx
    .insert(users)
    .values({
      id: account.id,
      email: account.email,
      password: account.passwordHash,
      firstName: account.firstName,
      lastName: account.lastName,
      intendedPlan: account.intendedPlan,
      emailVerificationToken: account.verificationTokenHash,
      emailVerificationExpires: account.verificationExpiresAt,
      createdAt: at,
      updatedAt: at,
      lastCheckinAt: at,
      nextStepAt: at,
    })
    .onConflictDoNothing({ target: users.email })
    .returning({ id: users.id });
  return row?.id ?? null;
}

export async function insertVaultKey(
  tx: Executor,
  row: { userId: string; keyVersion: number; wrappedKey: Buffer; at: Date },
): Promise<void> {
  const { userId, keyVersion, wrappedKey, at } = row;
  await tx.insert(vaultKeys).values({ userId, keyVersion, wrappedKey, createdAt: at });
}

const vaultKeyByUser = prepared((executor) =>
  executor
    .select({ keyVersion: vaultKeys.keyVersion, wrappedKey: vaultKeys.wrappedKey })
    .from(vaultKeys)
    .where(eq(vaultKeys.userId, sql.placeholder('userId')))
    .prepare('vault_key_by_user'),
);

export async function findVaultKey(
  executor: Executor,
  userId: string,
): Promise<{ keyVersion: number; wrappedKey: Buffer } | null> {
  const [row] = await vaultKeyByUser(executor).execute({ userId });
  return row ?? null;
}

export async function storeActivity(tx: Executor, userId: string, at: Date): Promise<void> {
  // An activity that is written late must not take away a later one.
  await tx
    .update(users)
    .set({ lastCheckinAt: sql`greatest(${users.lastCheckinAt}, ${at.toISOString()}::timestamptz)` })
    .where(eq(users.id, userId));
}

export type NewCheckin = {
  userId: string;
  type: CheckinType;
  at: Date;
  ipAddress: string | null;
  userAgent: string | null;
};

/** Writes a sign of life down; not if one of the same type is younger than `notWithinMs`. */
export async function insertCheckin(tx: Executor, checkin: NewCheckin, notWithinMs: number): Promise<void> {
  const { userId, type, at, ipAddress, userAgent } = checkin;
  const since = new Date(at.getTime() - notWithinMs);
  await tx.execute(sql`
    insert into ${checkins} (user_id, type, ip_address, user_agent, created_at)
    select ${userId}::uuid, ${type}::text, ${ipAddress}::text, ${userAgent}::text, ${at.toISOString()}::timestamptz
    where not exists (
      select from ${checkins}
      where ${checkins.userId} = ${userId}::uuid and ${checkins.type} = ${type}::text
        and ${checkins.createdAt} > ${since.toISOString()}::timestamptz
    )`);
}

export async function storePhone(tx: Executor, userId: string, phone: string | null, at: Date): Promise<void> {
  await tx.update(users).set({ phone, updatedAt: at }).where(eq(users.id, userId));
}

/** The token stays: pressing the link a second time finds an address that is verified already. */
export async function storeVerified(tx: Executor, userId: string, at: Date): Promise<void> {
  await tx.update(users).set({ emailVerified: true, updatedAt: at }).where(eq(users.id, userId));
}
