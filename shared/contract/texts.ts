import { z } from 'zod';
import { defineRoute } from '#shared/contract/route.ts';

export const receiveText = defineRoute({
  method: 'POST',
  path: '/api/webhooks/twilio',
  access: 'public',
  summary: 'A text that somebody sent us, posted and signed by Twilio; 401 for a signature that is not good',
  body: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  urlEncoded: true,
  // TwiML, which is XML.
  status: 200,
});
