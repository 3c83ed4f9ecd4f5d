import { z } from 'zod';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';

const wordsSchema = z.object({ name: z.string(), email: z.string(), words: z.string() });
export type ComplaintWords = z.infer<typeof wordsSchema>;

export function sealComplaint(keys: ServiceKeys, id: string, words: ComplaintWords): Buffer {
  return keys.seal(sealContextOf(id), Buffer.from(JSON.stringify(words), 'utf8'));
}

/** @throws SealBrokenError if the words were not sealed for this row. */
export function openComplaint(keys: ServiceKeys, id: string, payload: Buffer): ComplaintWords {
  return wordsSchema.parse(JSON.parse(keys.unseal(sealContextOf(id), payload).toString('utf8')));
}

function sealContextOf(id: string) {
  return { table: 'complaints', column: 'payload', rowId: id };
}
