import { z } from 'zod';
import type { App } from '#server/app.ts';
import { SealBrokenError } from '#server/platform/crypto/envelope.ts';
import { email } from '#shared/contract/fields.ts';
import { verifiedAddressMs } from './sessions.limits.ts';

const keptSchema = z.object({ email, atMs: z.number() });

/** Seal context of the address. A cookie holds it, and no table does. */
const place = { table: 'cookies', column: 'verified_address', rowId: 'address' };

/** Seals the address whose verification link a browser just opened, so that the sign-in page can fill it in. */
export async function sealVerifiedAddress({ clock, serviceKeys }: App, address: string): Promise<string> {
  const atMs = (await clock.now()).getTime();
  return serviceKeys.seal(place, Buffer.from(JSON.stringify({ email: address, atMs }))).toString('base64url');
}

/** Returns the address. Null if it has expired or does not open. It fills in a field, and opens nothing. */
export async function openVerifiedAddress(app: App, kept: string | null): Promise<string | null> {
  const known = kept === null ? null : read(app, kept);
  if (!known) return null;
  const ageMs = (await app.clock.now()).getTime() - known.atMs;
  return ageMs < verifiedAddressMs ? known.email : null;
}

function read({ serviceKeys }: App, kept: string) {
  try {
    const bytes = serviceKeys.unsealCarried(place, Buffer.from(kept, 'base64url'));
    return keptSchema.parse(JSON.parse(bytes.toString()));
  } catch (error) {
    if (error instanceof SealBrokenError) return null;
    throw error;
  }
}
