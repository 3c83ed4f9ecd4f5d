import { and, eq, getTableColumns, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { mailboxColumn } from '#server/platform/db/mailbox-column.ts';
import { prepared, statement } from '#server/platform/db/prepared.ts';
import { type CheckinType, checkins, users, vaultKeys } from '#server/schema/accounts.tables.ts';
import { mailboxOf } from '#shared/rules/addresses/mailboxes.ts';
import type { PlanName } from '#shared/rules/plans.ts';

const columns = getTableColumns(users);

/** Columns that other features may read. No password, no token, no payment identifier. */
const ownerColumns = {
  id: columns.id,
  email: columns.email,
  firstName: columns.firstName,
  lastName: columns.lastName,
  profileImageUrl: columns.profileImageUrl,
  phone: columns.phone,
  phoneNumber: columns.phoneNumber,
  phoneProvenAt: columns.phoneProvenAt,
  formerPhone: columns.formerPhone,
  formerPhoneUntil: columns.formerPhoneUntil,
  plan: columns.plan,
  intendedPlan: columns.intendedPlan,
  planOfferedAt: columns.planOfferedAt,
  planGrantedAt: columns.planGrantedAt,
  role: columns.role,
  emailVerified: columns.emailVerified,
  firstVerifiedAt: columns.firstVerifiedAt,
  vouchedAt: columns.vouchedAt,
  mailboxProvenAt: columns.mailboxProvenAt,
  createdAt: columns.createdAt,
  lastLoginAt: columns.lastLoginAt,
  lastCheckinAt: columns.lastCheckinAt,
  lastCheckinType: columns.lastCheckinType,
  checkinIntervalDays: columns.checkinIntervalDays,
  releaseMethod: columns.releaseMethod,
  inactivityDays: columns.inactivityDays,
  isTrustedContactAccount: columns.isTrustedContactAccount,
  tempPassword: columns.tempPassword,
  releaseQuorum: columns.releaseQuorum,
  releaseWaitingDays: columns.releaseWaitingDays,
  releaseAnswerDays: columns.releaseAnswerDays,
  awayUntil: columns.awayUntil,
  releaseBegunAnewAt: columns.releaseBegunAnewAt,
  releaseRestartNotice: columns.releaseRestartNotice,
  releaseFrozenAt: columns.releaseFrozenAt,
  releaseResumedAt: columns.releaseResumedAt,
  releaseResumedHealthyMs: columns.releaseResumedHealthyMs,
  deletionRequestedAt: columns.deletionRequestedAt,
  deletionRequestedHealthyMs: columns.deletionRequestedHealthyMs,
  isDisowned: columns.isDisowned,
  nextStepAt: columns.nextStepAt,
  newsStoppedAt: columns.newsStoppedAt,
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

/** More accounts than this share no phone. */
const ownersOfPhoneMax = 20;
/** Accounts of one mailbox that a question considers. */
const ownersOfMailboxMax = 20;

export async function findOwner(executor: Executor, userId: string): Promise<OwnerRow | null> {
  const [row] = await ownerById(executor).execute({ id: userId });
  return row ?? null;
}

/** Returns the accounts with these ids, in no order. Accounts that are gone are left out. */
export async function findOwners(executor: Executor, userIds: readonly string[]): Promise<OwnerRow[]> {
  return executor
    .select(ownerColumns)
    .from(users)
    .where(inArray(users.id, [...userIds]));
}

export async function findOwnerByEmail(executor: Executor, email: string): Promise<OwnerRow | null> {
  const [row] = await executor.select(ownerColumns).from(users).where(eq(users.email, email));
  return row ?? null;
}

/** Accounts whose address reaches the mailbox of this one, oldest first. A mailbox has more than one in rare cases. */
export async function findOwnersByMailbox(executor: Executor, email: string): Promise<OwnerRow[]> {
  return executor
    .select(ownerColumns)
    .from(users)
    .where(eq(mailboxColumn(users.email), mailboxOf(email)))
    .orderBy(users.createdAt, users.id)
    .limit(ownersOfMailboxMax);
}

/** Everybody who has shown that this number is theirs, in the form of E.164. */
export async function findOwnersByPhone(executor: Executor, phone: string): Promise<OwnerRow[]> {
  return executor
    .select(ownerColumns)
    .from(users)
    .where(and(eq(users.phoneNumber, phone), isNotNull(users.phoneProvenAt)))
    .limit(ownersOfPhoneMax);
}

/** Locks the row until the transaction ends. Every transaction that writes takes this lock first. */
export async function lockOwnerRow(tx: Executor, userId: string): Promise<OwnerRow | null> {
  const [row] = await ownerLocked(tx).execute({ id: userId });
  return row ?? null;
}

const ownersLocked = prepared((executor) =>
  executor
    .select(ownerColumns)
    .from(users)
    .where(sql`${users.id} = any(${sql.placeholder('ids')}::uuid[])`)
    .orderBy(users.id)
    .for('update')
    .prepare('accounts_locked'),
);

/** Locks several rows in the order of their ids, so that two callers never deadlock. */
export async function lockOwnerRows(tx: Executor, userIds: readonly string[]): Promise<OwnerRow[]> {
  return ownersLocked(tx).execute({ ids: userIds });
}

export type NewAccount = {
  id: string;
  email: string;
  /** Null if only an identity provider signs in. */
  passwordHash: string | null;
  firstName: string | null;
  lastName: string | null;
  intendedPlan: PlanName | null;
  at: Date;
};

/** Returns the new account's id, or null if the address is taken. */
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

const vaultKeysByUser = prepared((executor) =>
  executor
    .select({ userId: vaultKeys.userId, keyVersion: vaultKeys.keyVersion, wrappedKey: vaultKeys.wrappedKey })
    .from(vaultKeys)
    .where(sql`${vaultKeys.userId} = any(${sql.placeholder('userIds')}::uuid[])`)
    .prepare('vault_keys_by_user'),
);

export type OwnersVaultKey = { userId: string; keyVersion: number; wrappedKey: Buffer };

export async function findVaultKeys(executor: Executor, userIds: readonly string[]): Promise<OwnersVaultKey[]> {
  return vaultKeysByUser(executor).execute({ userIds });
}

export async function findVaultKey(executor: Executor, userId: string): Promise<OwnersVaultKey | null> {
  const [row] = await findVaultKeys(executor, [userId]);
  return row ?? null;
}

export type NewCheckin = {
  userId: string;
  type: CheckinType;
  at: Date;
  ipAddress: string | null;
  userAgent: string | null;
};

// An activity that is written late must not take away a later one.
const activityStored = statement<{ heard_at: string }>(sql`
    with before as (
      select last_checkin_at from ${users} where id = ${sql.placeholder('userId')}::uuid
    ), seen as (
      update ${users} set last_checkin_at = greatest(last_checkin_at, ${sql.placeholder('at')}::timestamptz),
        last_checkin_type = case when last_checkin_at > ${sql.placeholder('at')}::timestamptz
          then last_checkin_type else ${sql.placeholder('type')}::text end
      where id = ${sql.placeholder('userId')}::uuid
    ), written as (
    insert into ${checkins} (user_id, type, ip_address, user_agent, created_at)
    select ${sql.placeholder('userId')}::uuid, ${sql.placeholder('type')}::text, ${sql.placeholder('ipAddress')}::text,
      ${sql.placeholder('userAgent')}::text, ${sql.placeholder('at')}::timestamptz
    where not exists (
      select from ${checkins}
      where user_id = ${sql.placeholder('userId')}::uuid and type = ${sql.placeholder('type')}::text
        and created_at > ${sql.placeholder('since')}::timestamptz
    ))
    select last_checkin_at as heard_at from before`);

/**
 * Stores a sign of life: silence counts from it, and it is recorded, unless one of the same type is younger than
 * `notWithinMs`. It is one statement, because every change of an owner needs it. Returns the sign of life before it.
 */
export async function storeActivity(tx: Executor, checkin: NewCheckin, notWithinMs: number): Promise<Date> {
  const since = new Date(checkin.at.getTime() - notWithinMs);
  const [before] = await activityStored(tx, { ...checkin, at: checkin.at.toISOString(), since: since.toISOString() });
  return before ? new Date(before.heard_at) : checkin.at;
}

/** The token stays: pressing the link a second time finds an address that is verified already. */
export async function storeVerified(tx: Executor, userId: string, at: Date): Promise<void> {
  const firstVerifiedAt = sql`coalesce(${users.firstVerifiedAt}, ${at.toISOString()}::timestamptz)`;
  await tx.update(users).set({ emailVerified: true, firstVerifiedAt, updatedAt: at }).where(eq(users.id, userId));
}

/** Marks the address as verified on an operator's word, which does not prove the mailbox. */
export async function storeVouched(tx: Executor, userId: string, at: Date): Promise<void> {
  const vouchedAt = sql`coalesce(${users.vouchedAt}, ${at.toISOString()}::timestamptz)`;
  await tx.update(users).set({ emailVerified: true, vouchedAt, updatedAt: at }).where(eq(users.id, userId));
}

/** Records the first use of a link that was mailed to the address. Later uses change nothing. */
export async function storeFirstVerified(tx: Executor, userId: string, at: Date): Promise<void> {
  await tx
    .update(users)
    .set({ firstVerifiedAt: at })
    .where(and(eq(users.id, userId), isNull(users.firstVerifiedAt)));
}

/** Records the first proof of the mailbox. Returns true if it was this one. */
export async function storeMailboxProof(tx: Executor, userId: string, at: Date): Promise<boolean> {
  const firstVerifiedAt = sql`coalesce(${users.firstVerifiedAt}, ${at.toISOString()}::timestamptz)`;
  const proven = await tx
    .update(users)
    .set({ mailboxProvenAt: at, firstVerifiedAt, updatedAt: at })
    .where(and(eq(users.id, userId), isNull(users.mailboxProvenAt)))
    .returning({ id: users.id });
  return proven.length > 0;
}

/** Records that the account was led to the plan of its registration. Later calls change nothing. */
export async function storePlanOffered(executor: Executor, userId: string, at: Date): Promise<void> {
  await executor
    .update(users)
    .set({ planOfferedAt: at })
    .where(and(eq(users.id, userId), isNull(users.planOfferedAt)));
}

/** Payment state of an account, as its row stores it. */
export type PlanState = {
  plan: PlanName;
  /** Time at which an administrator gave the plan; null if it is paid or free. */
  planGrantedAt: Date | null;
  subscriptionStatus: string;
  subscriptionStart: Date | null;
  subscriptionEnd: Date | null;
  paymentProvider: string | null;
  paymentCustomerId: string | null;
  paymentSubscriptionId: string | null;
};

/** A paid plan settles the choice that was made at registration. */
export async function storePlanRow(tx: Executor, userId: string, state: PlanState, at: Date): Promise<void> {
  const answered = state.plan === 'free' ? {} : { intendedPlan: null };
  await tx
    .update(users)
    .set({ ...state, ...answered, updatedAt: at })
    .where(eq(users.id, userId));
}
