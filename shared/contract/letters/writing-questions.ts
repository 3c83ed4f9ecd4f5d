import { z } from 'zod';
import { instant } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';

const answer = z
  .object({
    isWanted: z.boolean(),
    /** From when on the next one is sent; null where none is wanted. */
    nextAt: instant.nullable(),
  })
  .meta({ id: 'WritingQuestions' });

export const getWritingQuestions = defineRoute({
  method: 'GET',
  path: '/api/user/writing-questions',
  access: 'session',
  summary: 'Whether the owner gets a question a month, to answer by writing',
  answer,
});

export const chooseWritingQuestions = defineRoute({
  method: 'PUT',
  path: '/api/user/writing-questions',
  access: 'verified',
  summary: 'Ask for a question a month, or for none',
  body: z.object({ isWanted: z.boolean() }),
  answer,
});
