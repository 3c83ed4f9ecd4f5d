import { z } from 'zod';
import { id, instant, isDamaged } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { deletedKinds } from '#shared/rules/retention.ts';

const kind = z.enum(deletedKinds);
const params = z.object({ kind, id });

/** A letter, a document or a contact that its owner has deleted, and can still take back. */
export const deletedItemSchema = z
  .object({
    kind,
    id,
    /** The title of a letter, or the name of a document or a contact; empty where it is damaged. */
    title: z.string(),
    deletedAt: instant,
    /** From then on it is gone. */
    goneAt: instant,
    isDamaged,
  })
  .meta({ id: 'DeletedItem' });

export type DeletedItem = z.input<typeof deletedItemSchema>;

export const listRecentlyDeleted = defineRoute({
  method: 'GET',
  path: '/api/recently-deleted',
  access: 'session',
  summary: 'What the owner has deleted and can take back, the newest first',
  answer: z.array(deletedItemSchema),
});

export const restoreDeleted = defineRoute({
  method: 'POST',
  path: '/api/recently-deleted/:kind/:id/restore',
  access: 'verified',
  summary: 'Take back what was deleted, where the plan has room for it; a contact after a fresh sign-in',
  params,
  status: 204,
});

export const removeDeleted = defineRoute({
  method: 'DELETE',
  path: '/api/recently-deleted/:kind/:id',
  access: 'session',
  summary: 'Delete at once what would be gone later',
  params,
  status: 204,
});
