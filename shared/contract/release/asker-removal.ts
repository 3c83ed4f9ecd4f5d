import { z } from 'zod';
import { instant, tokenParams } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';

export const getAskerRemoval = defineRoute({
  method: 'GET',
  path: '/api/remove-contact/:token',
  access: 'token',
  summary: 'The trusted contact whose early request the owner stopped',
  params: tokenParams,
  answer: z.object({ firstName: z.string(), contactName: z.string(), askedAt: instant }),
  ratePerMinute: 30,
});

/** Posted by a button. Following the link changes nothing. */
export const removeAsker = defineRoute({
  method: 'POST',
  path: '/api/remove-contact/:token',
  access: 'token',
  summary: 'Remove the trusted contact whose early request the owner stopped',
  params: tokenParams,
  answer: z.object({ contactName: z.string() }),
  ratePerMinute: 20,
});
