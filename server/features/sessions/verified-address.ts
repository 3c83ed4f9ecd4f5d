import { z } from 'zod';
import type { Clock } from '#server/platform/clock/clock.ts';
import { SealBrokenError } from '#server/platform/crypto/envelope.ts';
import type { ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { email } from '#shared/contract/fields.ts';
import { verifiedAddressMs } from './sessions.limits.ts';

export type VerifiedAddresses = {
  /** What a browser keeps for the sign-in page, in which a verification link was opened just now. */
  keepVerifiedAddress(email: string): Promise<string>;
  /** The address in it; null where it is over, or none of ours. It fills in a field, and opens nothing. */
  verifiedAddressIn(kept: string | null): Promise<string | null>;
};

const keptSchema = z.object({ email, atMs: z.number() });

/** Where the sealed text lives: in a cookie, which no table holds. */
const place = { table: 'cookies', column: 'verified_address', rowId: 'address' };

type Dependencies = { clock: Clock; serviceKeys: Pick<ServiceKeys, 'seal' | 'unsealCarried'> };

export function createVerifiedAddresses({ clock, serviceKeys }: Dependencies): VerifiedAddresses {
  function read(kept: string) {
    try {
      const bytes = serviceKeys.unsealCarried(place, Buffer.from(kept, 'base64url'));
      return keptSchema.parse(JSON.parse(bytes.toString()));
    } catch (error) {
      if (error instanceof SealBrokenError) return null;
      throw error;
    }
  }

  return {
    async keepVerifiedAddress(address) {
      const atMs = (await clock.now()).getTime();
      return serviceKeys.seal(place, Buffer.from(JSON.stringify({ email: address, atMs }))).toString('base64url');
    },

    async verifiedAddressIn(kept) {
      const known = kept === null ? null : read(kept);
      if (!known) return null;
      const ageMs = (await clock.now()).getTime() - known.atMs;
      return ageMs < verifiedAddressMs ? known.email : null;
    },
  };
}
