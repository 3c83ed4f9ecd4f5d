import { z } from 'zod';
import { instant, isDamaged, optionalText, tokenParams } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { fromVersion, version } from '#shared/contract/vault/versions.ts';
import {
  type FirstWeeksField,
  firstWeeksFields,
  firstWeeksNations,
  firstWeeksNoteLengthMax,
} from '#shared/rules/first-weeks/notes.ts';

const note = optionalText(firstWeeksNoteLengthMax);
const notes = Object.fromEntries(firstWeeksFields.map((field) => [field, note])) as Record<
  FirstWeeksField,
  typeof note
>;
const nation = z
  .enum(firstWeeksNations)
  .nullish()
  .transform((value) => value ?? null);

/** Notes of an owner. A field that is left out becomes empty. */
export const firstWeeksNotes = z.object({ nation, ...notes });

export const firstWeeksBody = firstWeeksNotes.extend({
  /** The version that the change was made from. */
  version: fromVersion,
});

/** Version of notes that were never saved. */
export const neverSaved = '00000000-0000-0000-0000-000000000000';

const keptNote = z.string().nullable();
const keptNotes = Object.fromEntries(firstWeeksFields.map((field) => [field, keptNote])) as Record<
  FirstWeeksField,
  typeof keptNote
>;

export const firstWeeksSchema = z
  .object({
    nation: z.enum(firstWeeksNations).nullable(),
    ...keptNotes,
    version,
    /** Null if nothing was saved yet. */
    updatedAt: instant.nullable(),
    isDamaged,
  })
  .meta({ id: 'FirstWeeks' });

export type FirstWeeks = z.input<typeof firstWeeksSchema>;

const source = z.object({
  title: z.string(),
  url: z.string(),
  /** Day of the last comparison, as `2026-11-22`. */
  checkedOn: z.string(),
  comparedWith: z.enum(['body', 'others', 'nothing']),
});

/** The page as a contact reads it after a release. */
export const firstWeeksPageSchema = z
  .object({
    ownerFirstName: z.string(),
    /** Null if nothing was saved yet. */
    updatedAt: instant.nullable(),
    /** True if the notes can’t be read. The steps are there without them. */
    isDamaged,
    parts: z.array(
      z.object({
        title: z.string(),
        steps: z.array(
          z.object({
            title: z.string(),
            /** Nations where the step holds; null if it holds everywhere. */
            where: z.string().nullable(),
            words: z.array(z.string()),
            list: z.array(z.string()),
            notes: z.array(z.object({ label: z.string(), words: z.string() })),
            sources: z.array(source),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'FirstWeeksPage' });

export type FirstWeeksPage = z.input<typeof firstWeeksPageSchema>;

export const getFirstWeeks = defineRoute({
  method: 'GET',
  path: '/api/first-weeks',
  access: 'session',
  summary: 'Plain facts that the owner noted for the first weeks after their death',
  answer: firstWeeksSchema,
});

export const saveFirstWeeks = defineRoute({
  method: 'PUT',
  path: '/api/first-weeks',
  access: 'verified',
  takesChangeKey: true,
  summary: 'Save those facts, all of them together',
  body: firstWeeksBody,
  answer: firstWeeksSchema,
});

export const getFirstWeeksPage = defineRoute({
  method: 'GET',
  path: '/api/first-weeks/page',
  access: 'session',
  summary: 'The page for the first weeks, exactly as chosen contacts see it after a release',
  answer: firstWeeksPageSchema,
});

export const getPortalFirstWeeks = defineRoute({
  method: 'GET',
  path: '/api/trusted-contact-admin/:token/first-weeks',
  access: 'token',
  summary: 'The page for the first weeks, for a contact whom the owner chose, for as long as documents after a release',
  params: tokenParams,
  answer: firstWeeksPageSchema.extend({ contactName: z.string() }),
  ratePerMinute: 30,
});

export const copyPortalFirstWeeks = defineRoute({
  method: 'GET',
  path: '/api/trusted-contact-admin/:token/first-weeks.pdf',
  access: 'token',
  summary: 'The same page as a PDF',
  params: tokenParams,
  answersStream: true,
  ratePerMinute: 10,
});
