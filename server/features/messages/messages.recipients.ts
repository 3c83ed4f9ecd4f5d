import { randomUUIDv7 } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import type { Executor } from '#server/platform/db/database.ts';
import type { RecipientInput } from '#shared/contract/letters/recipients.ts';
import type { messageSchema } from '#shared/contract/messages.ts';
import type { ListedRecipient } from './listed.repository.ts';
import { type NewRecipient, type RecipientRow, replaceRecipients } from './recipients.repository.ts';
import { asStored, openRecipient, sealRecipient } from './recipients.sealing.ts';

export type Shown = Pick<z.output<typeof messageSchema>, 'recipients' | 'recipientEmail'>;

/** Returns the recipients of a new message, whose addresses are given now. */
export function newRecipients(
  vault: Vault,
  { messageId, given, at }: { messageId: string; given: readonly RecipientInput[]; at: Date },
): NewRecipient[] {
  return given.map((recipient, index) => ({
    ...sealRecipient(vault, randomUUIDv7(), recipient),
    messageId,
    position: index + 1,
    addressSince: at,
  }));
}

/**
 * Replaces the recipients of a message. A recipient with the same address as before keeps their id, so that their letter
 * stays known. Nothing is written if all are as before.
 */
export async function changeRecipients(
  tx: Executor,
  vault: Vault,
  change: { messageId: string; known: readonly RecipientRow[]; given: readonly RecipientInput[]; at: Date },
): Promise<RecipientRow[]> {
  const { messageId, known, given, at } = change;
  const opened = known.map((row) => unlessBroken(() => openRecipient(vault, row)));
  if (isDeepStrictEqual(opened, given.map(asStored))) return [...known];
  const byAddress = new Map(
    known.flatMap((row, index) => {
      const email = opened[index]?.email;
      return email === undefined ? [] : [[email, row] as const];
    }),
  );
  const rows = given.map((recipient, index) => {
    const before = byAddress.get(recipient.email);
    const id = before?.id ?? randomUUIDv7();
    const { status = null, openedAt = null, addressSince = at } = before ?? {};
    const place = { messageId, position: index + 1, addressSince };
    return { ...sealRecipient(vault, id, recipient), ...place, status, openedAt };
  });
  await replaceRecipients(
    tx,
    messageId,
    rows.map(({ status: _, openedAt: __, ...row }) => row),
  );
  return rows;
}

/** Returns recipients as the owner sees them. Throws `SealBrokenError`. */
export function shownRecipients(vault: Vault, rows: readonly ListedRecipient[]): Shown {
  const recipients = rows.map((row) => ({
    ...openRecipient(vault, row),
    status: row.status,
    openedAt: row.openedAt,
  }));
  return { recipients, recipientEmail: recipients[0]?.email ?? '' };
}
