import { z } from 'zod';
import { instant } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';

/** Subject of an activity entry. */
export const activityKinds = ['sign-in', 'account', 'vault', 'contacts', 'release', 'money', 'other'] as const;
export type ActivityKind = (typeof activityKinds)[number];

/** Entries in one answer. */
export const activityPerPage = 50;

export const activityFormats = ['csv', 'json'] as const;

const dayMin = '1970-01-01';
const dayMax = '2199-12-31';

const day = z.iso.date('Choose a day').refine((value) => value >= dayMin && value <= dayMax, 'Choose a day');

const filter = {
  kind: z.enum(activityKinds).optional(),
  /** Whole days in London, both included. */
  from: day.optional(),
  to: day.optional(),
};

export type ActivityFilter = { kind?: ActivityKind | undefined; from?: string | undefined; to?: string | undefined };

export const activityEntrySchema = z
  .object({
    /** Position in the owner's log, counted from 1. */
    position: z.number(),
    at: instant,
    kind: z.enum(activityKinds),
    /** The event, as a sentence. */
    words: z.string(),
    ipAddress: z.string().nullable(),
    userAgent: z.string().nullable(),
  })
  .meta({ id: 'ActivityEntry' });

export const getActivity = defineRoute({
  method: 'GET',
  path: '/api/user/activity',
  access: 'session',
  summary: 'What was done in the account, the newest first',
  query: z.object({ ...filter, before: z.coerce.number().int().positive().optional() }),
  answer: z.object({
    entries: z.array(activityEntrySchema),
    /** Ask for entries before this position; null where there are none. */
    next: z.number().nullable(),
  }),
});

export const downloadActivity = defineRoute({
  method: 'GET',
  path: '/api/user/activity/download',
  access: 'session',
  summary: 'The same as a file',
  query: z.object({ ...filter, format: z.enum(activityFormats).default('csv') }),
  answersStream: true,
  ratePerMinute: 10,
});
