import { z } from 'zod';
import { instant, isDamaged, requiredLine } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { checklistIds, itemLengthMax, rememberedItemsMax } from '#shared/rules/checklists.ts';

const itemText = requiredLine(itemLengthMax);
/** Milliseconds since 1970, by the clock of the device. */
const timeMs = z.int().min(0);

/** Changes of a person to a checklist, with the newest change of each item. */
export const checklistBody = z.object({
  /** Items that were added, or taken off; the usual ones are named only where they were taken off. */
  customItems: z
    .array(z.object({ text: itemText, isListed: z.boolean(), changedAtMs: timeMs }))
    .max(rememberedItemsMax),
  completedItems: z
    .array(z.object({ text: itemText, isCompleted: z.boolean(), changedAtMs: timeMs }))
    .max(rememberedItemsMax),
  /** Time when the checklist was last put back to the usual items; 0 for never. */
  resetAtMs: timeMs,
});

export const checklistSchema = checklistBody
  .extend({ checklistId: z.enum(checklistIds), updatedAt: instant, isDamaged })
  .meta({ id: 'Checklist' });

export type Checklist = z.input<typeof checklistSchema>;

export const listChecklists = defineRoute({
  method: 'GET',
  path: '/api/user/checklists',
  access: 'session',
  summary: 'What the signed-in owner changed of the checklists',
  answer: z.array(checklistSchema),
});

export const saveChecklist = defineRoute({
  method: 'PUT',
  path: '/api/user/checklists/:checklistId',
  access: 'verified',
  summary: 'Merge what this device knows of a checklist with what is kept; of each item the newest change counts',
  params: z.object({ checklistId: z.enum(checklistIds) }),
  body: checklistBody,
  answer: checklistSchema,
});
