import { eq } from 'drizzle-orm';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { firstWeeks } from '#server/schema/guidance.tables.ts';
import { type FirstWeeksNotes, noFirstWeeksNotes } from '#shared/rules/first-weeks/notes.ts';

/** An owner's notes as they are stored, sealed. */
export type SealedFirstWeeks = typeof firstWeeks.$inferSelect;

/** Notes, or none and the mark of a broken seal. */
export type OpenedNotes = FirstWeeksNotes & { isDamaged?: true };

/** Returns null if the owner has saved nothing. */
export async function findFirstWeeks(executor: Executor, userId: string): Promise<SealedFirstWeeks | null> {
  const [row] = await executor.select().from(firstWeeks).where(eq(firstWeeks.userId, userId));
  return row ?? null;
}

/** Inserts an owner's row, or replaces its notes. */
export async function saveFirstWeeksRow(tx: Executor, row: SealedFirstWeeks): Promise<void> {
  const { notes, version, updatedAt } = row;
  await tx
    .insert(firstWeeks)
    .values(row)
    .onConflictDoUpdate({ target: firstWeeks.userId, set: { notes, version, updatedAt } });
}

export function sealNotes(vault: Vault, userId: string, notes: FirstWeeksNotes): string {
  return vault.seal(place(userId), JSON.stringify(notes));
}

/** Opens notes. A field that was added later is empty. */
export function openNotes(vault: Vault, { userId, notes }: Pick<SealedFirstWeeks, 'userId' | 'notes'>): OpenedNotes {
  const opened = unlessBroken(() => JSON.parse(vault.unseal(place(userId), notes)) as Partial<FirstWeeksNotes>);
  return opened ? { ...noFirstWeeksNotes, ...opened } : { ...noFirstWeeksNotes, isDamaged: true };
}

function place(userId: string) {
  return { table: 'first_weeks', column: 'notes', rowId: userId };
}
