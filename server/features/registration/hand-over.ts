import { randomUUID } from 'node:crypto';
import { type App, perApp } from '#server/app.ts';
import { lockOwnerRow, type OwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { openAccount } from '#server/features/accounts/accounts.ts';
import { forgetDevices } from '#server/features/accounts/credentials.repository.ts';
import { pseudonymise, type RequestOrigin, recordAudit } from '#server/features/audit/record.ts';
import { throttlingKeyOf } from '#server/features/sessions/known-devices.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { deleteAccountRow } from './closing.repository.ts';
import { copyPlan, setAddressAside } from './hand-over.repository.ts';

/** Moves purchases to the new account, inside the transaction, while both exist. Returns true if there were any. */
type HandOverListener = (tx: Executor, accounts: { from: string; to: string; email: string }) => Promise<boolean>;

type Names = { firstName: string | null; lastName: string | null };

/** `names` come from the provider. A mailed link has none. */
type HandOver = { names: Names; origin: RequestOrigin; at: Date };

export const noNames: Names = { firstName: null, lastName: null };

/** Functions of other features that run at each hand-over. */
export const handOverListenersOf = perApp((): HandOverListener[] => []);

/**
 * True if this mailbox was never proven. The account's content may then come from anyone who knew the address. It must not
 * reach the real reader: no contact who could release letters, and no passkey that signs in. An operator who vouched for the
 * address changes nothing, since they do not read that mailbox.
 */
export function wasNeverProven(owner: { firstVerifiedAt: Date | null; mailboxProvenAt: Date | null }): boolean {
  return owner.firstVerifiedAt === null && owner.mailboxProvenAt === null;
}

/**
 * Gives the address to a new account with an empty vault, and deletes the old account with all its rows. Rows go by
 * their foreign keys, so new tables are included. Both accounts' rows are locked.
 */
export async function handOver(
  app: App,
  tx: Executor,
  owner: OwnerRow,
  { names, origin, at }: HandOver,
): Promise<OwnerRow> {
  const { id: from, email } = owner;
  const to = randomUUID();
  await setAddressAside(tx, from);
  await openAccount(app, tx, { id: to, email, passwordHash: null, ...names, intendedPlan: null, at });
  // A device is known by the address, which stays.
  await forgetDevices(tx, to, at);
  await copyPlan(tx, { from, to });
  let isBought = false;
  for (const listener of handOverListenersOf(app)) isBought = (await listener(tx, { from, to, email })) || isBought;

  const entry = { action: 'account.handed_over', resource: 'account', origin, at };
  await recordAudit(app, tx, { ...entry, userId: from, resourceId: from });
  await pseudonymise(tx, from);
  // The ledger keeps an older backup from bringing the account back. An account with a purchase must come back with it, or its
  // provider would charge for it and no one could end that. Its mailbox then hands it over again.
  if (!isBought) await app.ledger.append(from, at);
  await deleteAccountRow(tx, from, throttlingKeyOf(app, email));
  await recordAudit(app, tx, { ...entry, userId: to, resourceId: to });
  const fresh = await lockOwnerRow(tx, to);
  if (!fresh) throw new Error('An account was written and not given back.');
  return fresh;
}
