import { eq, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';
import { users } from '#server/schema/accounts.tables.ts';

const noCode = { phoneCode: null, phoneCodeExpires: null, phoneCodeTries: 0 };

type StoredPhone = {
  userId: string;
  phone: string | null;
  /** The phone in the form of E.164. */
  number: string | null;
  /** Null if it is the same number in another spelling. Else its proof and its code are removed. */
  former: { formerPhone: string | null; formerPhoneUntil: Date | null } | null;
  at: Date;
};

export async function storePhone(tx: Executor, { userId, phone, number, former, at }: StoredPhone): Promise<void> {
  const anew = former ? { phoneProvenAt: null, ...noCode, ...former } : {};
  await tx
    .update(users)
    .set({ phone, phoneNumber: number, updatedAt: at, ...anew })
    .where(eq(users.id, userId));
}

/** In place of the code before. */
export async function storePhoneCode(tx: Executor, userId: string, hash: string, expires: Date): Promise<void> {
  const fresh = { phoneCode: hash, phoneCodeExpires: expires, phoneCodeTries: 0 };
  await tx.update(users).set(fresh).where(eq(users.id, userId));
}

export type PhoneCode = { hash: string | null; expires: Date | null; tries: number };

export async function findPhoneCode(tx: Executor, userId: string): Promise<PhoneCode | null> {
  const { phoneCode: hash, phoneCodeExpires: expires, phoneCodeTries: tries } = users;
  const [row] = await tx.select({ hash, expires, tries }).from(users).where(eq(users.id, userId));
  return row ?? null;
}

export async function countPhoneTry(tx: Executor, userId: string): Promise<void> {
  await tx
    .update(users)
    .set({ phoneCodeTries: sql`${users.phoneCodeTries} + 1` })
    .where(eq(users.id, userId));
}

export async function storePhoneProof(tx: Executor, userId: string, at: Date): Promise<void> {
  await tx
    .update(users)
    .set({ phoneProvenAt: at, updatedAt: at, ...noCode })
    .where(eq(users.id, userId));
}
