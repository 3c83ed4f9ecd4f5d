import { z } from 'zod';
import { email, instant, okAnswer } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { oldAddressesMax } from '#shared/rules/letters/old-addresses.ts';

export const listOldAddresses = defineRoute({
  method: 'GET',
  path: '/api/messages/addresses',
  access: 'session',
  summary: 'Addresses of letters that were neither written nor confirmed within a year, the ten oldest',
  answer: z
    .array(
      z
        .object({
          email: z.string(),
          /** As their writer calls them; null where the address alone is known. */
          name: z.string().nullable(),
          /** Time when it was written, or last confirmed. */
          since: instant,
        })
        .meta({ id: 'OldAddress' }),
    )
    .max(oldAddressesMax),
});

export const confirmAddress = defineRoute({
  method: 'POST',
  path: '/api/messages/addresses/confirm',
  access: 'verified',
  summary: 'Say that an address of letters is still right',
  body: z.object({ email }),
  answer: okAnswer,
});
