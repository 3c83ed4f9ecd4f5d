import { z } from 'zod';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';

const wordsSchema = z.object({ name: z.string(), email: z.string(), words: z.string() });
export type ComplaintWords = z.infer<typeof wordsSchema>;

export function sealComplaint(keys: Pick<ServiceKeys, 'seal'>, id: string, words: ComplaintWords): Buffer {
  return keys.seal(placeOf(id), Buffer.from(JSON.stringify(words), 'utf8'));
}

/** Throws `SealBrokenError` for what was not sealed for this very row. */
export function openComplaint(keys: Pick<ServiceKeys, 'unseal'>, id: string, payload: Buffer): ComplaintWords {
  return wordsSchema.parse(JSON.parse(keys.unseal(placeOf(id), payload).toString('utf8')));
}

function placeOf(id: string) {
  return { table: 'complaints', column: 'payload', rowId: id };
}
