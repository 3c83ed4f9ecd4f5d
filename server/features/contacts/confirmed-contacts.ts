import { eq, gt } from 'drizzle-orm';
import type { App } from '#server/app.ts';
import { openVaults } from '#server/features/accounts/accounts.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { trustedContacts } from '#server/schema/contacts.tables.ts';
import { notFound } from '#shared/contract/errors.ts';
import { type ContactRow, listConfirmedContacts } from './contacts.repository.ts';
import { openCounted } from './contacts.sealing.ts';

/** Active contact who has said yes. */
export type ConfirmedContact = {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  confirmedAt: Date;
  seesFirstWeeks: boolean;
  /** The service's healthy time when they accepted. Null if it was not recorded. */
  confirmedHealthyMs: number | null;
};

/** Returns the contacts who count in a release, by owner, oldest first. Owners without any are missing. */
export async function confirmedContactsOf(
  app: App,
  executor: Executor,
  userIds: readonly string[],
): Promise<Map<string, ConfirmedContact[]>> {
  const rows = Map.groupBy(await listConfirmedContacts(executor, userIds), ({ userId }) => userId);
  const vaults = rows.size > 0 ? await openVaults(app, executor, [...rows.keys()]) : new Map<string, Vault>();
  return new Map(
    [...rows].map(([userId, owned]) => {
      const vault = vaults.get(userId);
      if (!vault) throw notFound();
      return [userId, owned.map((row) => confirmedContact(vault, row))];
    }),
  );
}

/** Stores the service's healthy time at which a contact accepted. */
export async function storeHealthyTime(tx: Executor, contactId: string, healthyMs: number): Promise<void> {
  await tx.update(trustedContacts).set({ confirmedHealthyMs: healthyMs }).where(eq(trustedContacts.id, contactId));
}

/** Lowers later times of acceptance to this one, after healthy time was subtracted. */
export async function lowerHealthyTime(tx: Executor, healthyMs: number): Promise<void> {
  await tx
    .update(trustedContacts)
    .set({ confirmedHealthyMs: healthyMs })
    .where(gt(trustedContacts.confirmedHealthyMs, healthyMs));
}

function confirmedContact(vault: Vault, row: ContactRow): ConfirmedContact {
  const { name, phone } = openCounted(vault, row.id, row);
  // Both columns are written together. If a person set one by hand, the time of that change counts.
  const { id, email, confirmedHealthyMs, seesFirstWeeks } = row;
  return { id, name, email, phone, confirmedAt: row.confirmedAt ?? row.updatedAt, seesFirstWeeks, confirmedHealthyMs };
}
