import { z } from 'zod';
import { noticeEvents } from '#server/mails.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { SealBrokenError } from '#server/platform/crypto/vault.ts';

const payloadSchema = z.discriminatedUnion('channel', [
  z.object({
    channel: z.literal('email'),
    to: z.object({ address: z.string(), name: z.string().optional() }),
    subject: z.string(),
    html: z.string(),
    text: z.string(),
    /** Headers of this mail alone, such as one to unsubscribe from its kind. */
    headers: z.record(z.string(), z.string()).optional(),
    /** Values for its words at departure; see `writeAtDeparture`. */
    given: z.record(z.string(), z.string()).optional(),
  }),
  z.object({ channel: z.literal('sms'), phone: z.string(), text: z.string() }),
  z.object({ channel: z.literal('push'), device: z.string() }),
  z.object({ channel: z.literal('webhook'), event: z.enum(noticeEvents) }),
]);

/** Words and address of a message: the sealed part of its row. */
export type Payload = z.infer<typeof payloadSchema>;

/** Seals a payload for its row. It holds an address and links, so no byte of it may be readable in the database. */
export function sealPayload(keys: ServiceKeys, id: string, payload: Payload): Buffer {
  return keys.seal(contextOf(id), Buffer.from(JSON.stringify(payload), 'utf8'));
}

/**
 * Opens a sealed payload.
 * @throws SealBrokenError if it was not sealed for this row.
 */
export function unsealPayload(keys: ServiceKeys, id: string, sealed: Buffer): Payload {
  return payloadSchema.parse(JSON.parse(keys.unseal(contextOf(id), sealed).toString('utf8')));
}

/** Address that a mail goes to. Null if its payload is damaged, or it is a text. */
export function addressIn(keys: ServiceKeys, id: string, sealed: Buffer): string | null {
  try {
    const payload = unsealPayload(keys, id, sealed);
    return payload.channel === 'email' ? payload.to.address : null;
  } catch (error) {
    if (error instanceof SealBrokenError) return null;
    throw error;
  }
}

/** Seals one value of the text's own row, base64url. */
export function sealTextColumn(
  keys: ServiceKeys,
  place: { column: 'phone' | 'message' | 'response'; id: string },
  value: string,
) {
  const context = { table: 'sms_notifications', column: place.column, rowId: place.id };
  return keys.seal(context, Buffer.from(value, 'utf8')).toString('base64url');
}

/**
 * Opens a value of `sealTextColumn`.
 * @throws SealBrokenError for a value of another row or column.
 */
export function unsealTextColumn(
  keys: ServiceKeys,
  place: { column: 'phone' | 'message'; id: string },
  sealed: string,
) {
  const context = { table: 'sms_notifications', column: place.column, rowId: place.id };
  return keys.unseal(context, Buffer.from(sealed, 'base64url')).toString('utf8');
}

function contextOf(id: string) {
  return { table: 'notifications', column: 'payload', rowId: id };
}
