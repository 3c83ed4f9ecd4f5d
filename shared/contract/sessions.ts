import { z } from 'zod';
import { id, idParams, instant } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';

export const sessionSchema = z
  .object({
    id,
    isCurrent: z.boolean(),
    createdAt: instant,
    lastSeenAt: instant,
    ipAddress: z.string().nullable(),
    userAgent: z.string().nullable(),
  })
  .meta({ id: 'Session' });

export const listSessions = defineRoute({
  method: 'GET',
  path: '/api/user/sessions',
  access: 'session',
  summary: 'Devices signed in',
  answer: z.array(sessionSchema),
});

export const endSession = defineRoute({
  method: 'DELETE',
  path: '/api/user/sessions/:id',
  access: 'session',
  summary: 'Sign a device out',
  params: idParams,
  status: 204,
});

export const endOtherSessions = defineRoute({
  method: 'DELETE',
  path: '/api/user/sessions',
  access: 'session',
  summary: 'Sign every other device out',
  status: 204,
});
