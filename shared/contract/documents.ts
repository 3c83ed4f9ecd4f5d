import { z } from 'zod';
import {
  booleanText,
  id,
  idParams,
  instant,
  isDamaged,
  optionalLine,
  optionalText,
  renamedFrom,
  requiredLine,
  titleLengthMax,
} from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { fromVersion, fromVersionQuery, version } from '#shared/contract/vault/versions.ts';
import { documentCategories } from '#shared/rules/categories.ts';

export const descriptionLengthMax = 2_000;

export const documentSchema = z
  .object({
    id,
    name: z.string(),
    category: z.enum(documentCategories),
    description: z.string().nullable(),
    /** The name under which it is downloaded. */
    fileName: z.string(),
    /** In bytes. */
    fileSize: z.number(),
    mimeType: z.string(),
    visibleToTrustedContact: z.boolean(),
    createdAt: instant,
    updatedAt: instant,
    version,
    isDamaged,
  })
  .meta({ id: 'Document' });

export type Document = z.input<typeof documentSchema>;

/** Fields of a stored document that its owner may set. */
export const documentBody = z.object({
  name: requiredLine(titleLengthMax),
  category: z.enum(documentCategories),
  description: optionalText(descriptionLengthMax),
  visibleToTrustedContact: z.boolean().default(false),
  /** The version that the change was made from. */
  version: fromVersion,
});

/** The fields beside an uploaded file. Without a name, the file's own is used. */
export const documentForm = z.object({
  name: optionalLine(titleLengthMax),
  category: z.enum(documentCategories),
  description: optionalText(descriptionLengthMax),
  visibleToTrustedContact: booleanText.default(false),
});

export const listDocuments = defineRoute({
  method: 'GET',
  path: '/api/documents',
  access: 'session',
  summary: 'The documents of the signed-in owner, newest first',
  answer: z.array(documentSchema),
});

export const createDocument = defineRoute({
  method: 'POST',
  path: '/api/documents',
  access: 'verified',
  takesChangeKey: true,
  summary: 'Store a document, within the plan',
  form: documentForm,
  status: 201,
  answer: documentSchema.extend({ renamedFrom }),
});

export const updateDocument = defineRoute({
  method: 'PUT',
  path: '/api/documents/:id',
  access: 'verified',
  takesChangeKey: true,
  summary: 'Change what is said of a document; its file stays',
  params: idParams,
  body: documentBody,
  answer: documentSchema,
});

export const deleteDocument = defineRoute({
  method: 'DELETE',
  path: '/api/documents/:id',
  access: 'verified',
  summary: 'Delete a document for good',
  params: idParams,
  query: fromVersionQuery,
  status: 204,
});

export const downloadDocument = defineRoute({
  method: 'GET',
  path: '/api/documents/:id/download',
  access: 'session',
  summary: 'The file of a document, under its own name',
  params: idParams,
  answersFile: true,
});
