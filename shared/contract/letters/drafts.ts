import { z } from 'zod';
import { id, instant, isDamaged } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';

/** The draft of a letter that is not saved yet; that of any other is known by the letter's id. */
export const newLetterKey = 'new';
export const draftsMax = 50;
export const draftBytesMax = 256 * 1024;

const key = z.union([z.literal(newLetterKey), id], 'Invalid input');
/** Counts the changes; 0 where there is no draft. */
const version = z.int('Invalid input').min(0, 'Invalid input');

const content = z
  .string('Required')
  .refine((value) => value.isWellFormed() && !value.includes('\0'), 'This contains a character that cannot be stored')
  .refine((value) => new TextEncoder().encode(value).length <= draftBytesMax, {
    message: 'This is too long to be kept in the vault while it is being written',
  });

/** A letter while it is being written, as its page holds it: the service does not read it. */
export const draftSchema = z
  .object({
    key,
    /** Empty where it is damaged. */
    content: z.string(),
    version,
    updatedAt: instant,
    isDamaged,
  })
  .meta({ id: 'Draft' });

export type LetterDraft = z.input<typeof draftSchema>;

export const listDrafts = defineRoute({
  method: 'GET',
  path: '/api/drafts',
  access: 'session',
  summary: 'Letters that the owner is writing, on whichever device, or one of them; the newest first',
  query: z.object({ key: key.optional() }),
  answer: z.array(draftSchema),
});

export const saveDraft = defineRoute({
  method: 'PUT',
  path: '/api/drafts/:key',
  access: 'verified',
  summary: 'Keep what is being written; refused where another device has kept something since',
  params: z.object({ key }),
  body: z.object({
    content,
    /** The version that was read before; 0 where there was none. */
    version,
  }),
  answer: draftSchema.pick({ key: true, version: true, updatedAt: true }),
});

export const deleteDraft = defineRoute({
  method: 'DELETE',
  path: '/api/drafts/:key',
  access: 'session',
  summary: 'Forget what is being written; of this version alone, where one is named',
  params: z.object({ key }),
  query: z.object({ version: z.coerce.number('Invalid input').pipe(version).optional() }),
  status: 204,
});
