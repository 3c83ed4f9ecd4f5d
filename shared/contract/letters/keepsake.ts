import { z } from 'zod';
import { booleanText, tokenParams } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';

export const copyDeliveredLetter = defineRoute({
  method: 'GET',
  path: '/api/message-delivery/:token/copy',
  access: 'token',
  summary: 'A delivered letter as a PDF to keep, with its pictures; or all of this person',
  params: tokenParams,
  query: z.object({ all: booleanText.default(false) }),
  answersStream: true,
  ratePerMinute: 10,
});
