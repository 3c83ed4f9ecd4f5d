import { z } from 'zod';
import { booleanText, tokenParams } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';

export const copyDeliveredLetter = defineRoute({
  method: 'GET',
  path: '/api/message-delivery/:token/copy',
  access: 'token',
  summary: 'A delivered letter to keep, as a PDF or as a web page, with its pictures; or all of this person',
  params: tokenParams,
  query: z.object({ all: booleanText.default(false), as: z.enum(['pdf', 'page']).default('pdf') }),
  answersStream: true,
  ratePerMinute: 10,
});
