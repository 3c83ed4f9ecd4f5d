import { z } from 'zod';
import { id, instant } from '#shared/contract/fields.ts';
import { releaseStates } from '#shared/contract/release/release.ts';
import { defineRoute } from '#shared/contract/route.ts';

export const releasesPerPage = 50;

/** `asked`: contacts are asked, or letters go or wait for a day. `reminded`: the owner was reminded, and no contact is asked. */
export const underWayStages = ['asked', 'reminded'] as const;
export type UnderWayStage = (typeof underWayStages)[number];

export const underWaySchema = z
  .object({
    /** Id of the account. */
    id,
    account: z.string(),
    state: z.enum(releaseStates),
    /** State in plain words. */
    how: z.string(),
    /** Since when the silence or the request has been open. Null if only letters wait for their day. */
    since: instant.nullable(),
    /** Everything that the release waits for, and until when, and that a reply by email came. Null if no day is foreseen. */
    waits: z.array(z.object({ what: z.string(), until: instant.nullable() })),
  })
  .meta({ id: 'ReleaseUnderWay' });

export type UnderWay = z.input<typeof underWaySchema>;

export const listReleasesUnderWay = defineRoute({
  method: 'GET',
  path: '/api/admin/releases',
  access: 'administrator',
  summary: 'Releases in progress, fifty at a time: what each waits for, and until when',
  query: z.object({ stage: z.enum(underWayStages).default('asked'), after: id.optional() }),
  answer: z.object({
    releases: z.array(underWaySchema),
    /** `after` of the next page. Null after the last. */
    next: z.string().nullable(),
  }),
});
