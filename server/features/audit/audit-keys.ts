import { createHmac, createSecretKey, hash } from 'node:crypto';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { type AuditContent, canonicalContent } from './audit.rules.ts';

/** The end of a chain: how long it is, the hash of its last row, and the same of what was removed from its beginning. */
export type ChainEnd = {
  chain: string;
  length: number;
  headHash: Buffer;
  prunedLength: number;
  prunedHash: Buffer | null;
};

/** Adds up the heads of all chains, in the order of their names. */
export type HeadSum = {
  add(headHash: Buffer, length: number): void;
  /** Of all that was added; to be called once. `mac` is base64url, 43 characters. */
  total(day: string): { chains: number; rows: number; mac: string };
};

export type AuditKeys = {
  /** The hash of a row: it covers what the row says, where it stands, and the hash of the row before. */
  rowHash(previousHash: Buffer, position: number, content: AuditContent): Buffer;
  /** Without it, whoever cuts rows off a chain would only have to say that it is shorter. */
  headSeal(end: ChainEnd): Buffer;
  sumHeads(): HeadSum;
};

/** What the key is derived by under which rows are chained. */
export const auditRowKeyName = ['audit-row', 'key'] as const;

const hashBytes = 32;
const headsTogether = 512;

/** HMAC-SHA-256 (RFC 2104) under keys of the installation's own: nobody who only writes rows can make another chain fit. */
export function createAuditKeys({ derive }: ServiceKeys): AuditKeys {
  const keyFor = (name: readonly [string, string]) => createSecretKey(derive(...name), 'utf8');
  const rowKey = keyFor(auditRowKeyName);
  const headKey = keyFor(['audit-head', 'key']);
  const anchorKey = keyFor(['audit-anchor', 'key']);

  return {
    rowHash: (previousHash, position, content) =>
      createHmac('sha256', rowKey)
        .update(previousHash)
        .update(`${position} ${canonicalContent(content)}`)
        .digest(),

    headSeal({ chain, length, headHash, prunedLength, prunedHash }) {
      const pruned = prunedHash?.toString('hex') ?? null;
      const text = JSON.stringify([chain, length, headHash.toString('hex'), prunedLength, pruned]);
      return createHmac('sha256', headKey).update(text).digest();
    },

    sumHeads() {
      const sum = createHmac('sha256', anchorKey);
      const waiting = Buffer.alloc(hashBytes * headsTogether);
      let filled = 0;
      let chains = 0;
      let rows = 0;
      return {
        add(headHash, length) {
          chains += 1;
          rows += length;
          filled += headHash.copy(waiting, filled);
          if (filled < waiting.length) return;
          sum.update(waiting);
          filled = 0;
        },
        total: (day) => ({
          chains,
          rows,
          mac: sum.update(waiting.subarray(0, filled)).update(`${day} ${chains} ${rows}`).digest('base64url'),
        }),
      };
    },
  };
}

/**
 * What a chain holds of where a request came from: a hash with a salt of the row's own. Once the salt is gone with the
 * address and the browser, it says nothing about them, and the chain goes on to verify.
 */
export function originHashOf(salt: Buffer, ipAddress: string | null, userAgent: string | null): string {
  return hash('sha256', `${salt.toString('hex')} ${JSON.stringify([ipAddress, userAgent])}`);
}
