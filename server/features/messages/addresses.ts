import type { App } from '#server/app.ts';
import { openVault } from '#server/features/accounts/accounts.ts';
import { changeInVault } from '#server/features/accounts/change-in-vault.ts';
import type { Call } from '#server/http/bind.ts';
import { unlessBroken, type WrappedKey } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { mapInSlices } from '#server/platform/slices.ts';
import { notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/letters/addresses.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { oldAddressesMax } from '#shared/rules/letters/old-addresses.ts';
import {
  confirmRecipients,
  hasRecipientSince,
  listUndeliveredByIds,
  listUndeliveredRecipients,
} from './recipients.repository.ts';
import { openRecipient } from './recipients.sealing.ts';

/** Age at which the owner is asked if an address is still right. */
export const addressAskedAfterDays = 365;

type OldAddress = { email: string; name: string | null; since: Date };

/**
 * Lists the ten oldest addresses of undelivered messages that were neither written nor confirmed within a year, oldest first.
 * Years lie between writing and sending.
 */
export async function listOldAddresses(
  app: App,
  { principal }: Call<typeof contract.listOldAddresses>,
): Promise<OldAddress[]> {
  const rows = await listUndeliveredRecipients(app.db, principal.userId, askedBefore(await app.clock.now()));
  const byAddress = new Map<string, OldAddress>();
  for (const { email, name, since } of await openAddresses(app, principal, rows)) {
    const known = byAddress.get(email);
    byAddress.set(email, { email, name: known?.name ?? name, since: known?.since ?? since });
  }
  return [...byAddress.values()].slice(0, oldAddressesMax);
}

/** True if `listOldAddresses` would list any. */
export function hasOldAddress(executor: Executor, userId: string, at: Date): Promise<boolean> {
  return hasRecipientSince(executor, { userId, before: askedBefore(at) });
}

/** Confirms an address in all undelivered messages. @throws AppError `NOT_FOUND` if none has it. */
export function confirmAddress(app: App, call: Call<typeof contract.confirmAddress>): Promise<{ ok: true }> {
  const { principal, body } = call;
  return changeInVault(app, call, async (tx, at) => {
    const known = await openAddresses(app, principal, await listUndeliveredRecipients(tx, principal.userId));
    const ids = known.filter(({ email }) => email === body.email).map(({ id }) => id);
    if (ids.length === 0) throw notFound();
    await confirmRecipients(tx, ids, at);
    return { result: { ok: true }, audit: { action: 'message.address_confirm', resource: 'message' } };
  });
}

/** Opens recipients of undelivered messages by their ids, in that order. It leaves out ids that are gone or damaged. */
export async function readRecipients(
  app: App,
  executor: Executor,
  userId: string,
  ids: readonly string[],
): Promise<{ name: string | null; email: string }[]> {
  const vault = await openVault(app, executor, userId);
  const rows = new Map((await listUndeliveredByIds(executor, userId, ids)).map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = rows.get(id);
    const opened = row && unlessBroken(() => openRecipient(vault, row));
    return opened ? [{ name: opened.name, email: opened.email }] : [];
  });
}

async function openAddresses(
  { vaults }: App,
  { userId, vaultKey }: { userId: string; vaultKey: WrappedKey },
  rows: Awaited<ReturnType<typeof listUndeliveredRecipients>>,
) {
  const vault = vaults.open(userId, vaultKey);
  const opened = await mapInSlices(rows, ({ addressSince: since, ...row }) => {
    const person = unlessBroken(() => openRecipient(vault, row));
    return person && { id: row.id, email: person.email, name: person.name, since };
  });
  return opened.filter((each) => each !== null);
}

function askedBefore(at: Date): Date {
  return new Date(at.getTime() - addressAskedAfterDays * dayMs);
}
