import { z } from 'zod';
import { documentSchema } from '#shared/contract/documents.ts';
import { text } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { documentFilters, documentSorts } from '#shared/rules/documents/document-lists.ts';
import { searchLengthMax } from '#shared/rules/letters/envelopes.ts';

const page = z
  .object({
    documents: z.array(documentSchema),
    /** Number of documents that were found. */
    found: z.number(),
    /** Number of all documents of the owner. */
    all: z.number(),
    /** Fingerprint of the order of all found documents. A page with another one does not continue this list. */
    order: z.string(),
    /** Index of the first document of the next page; null if this page is the last. */
    next: z.number().nullable(),
  })
  .meta({ id: 'DocumentPage' });

export type DocumentPage = z.input<typeof page>;

const fromMax = 1_000_000;

const sort = z.enum(documentSorts).default('newest');
const category = z.enum(documentFilters).default('all');

export const listDocumentPage = defineRoute({
  method: 'GET',
  path: '/api/documents/page',
  access: 'session',
  summary: 'The documents of the signed-in owner, fifty at a time',
  query: z.object({ sort, category, from: z.coerce.number().int().min(0).max(fromMax).default(0) }),
  answer: page,
});

/** Changes nothing. It is a POST because words in an address would reach logs and histories. */
export const searchDocuments = defineRoute({
  method: 'POST',
  path: '/api/documents/search',
  access: 'session',
  summary: 'The same of documents whose name, description or file name holds the words',
  body: z.object({
    sort,
    category,
    from: z.int().min(0).max(fromMax).default(0),
    words: text(searchLengthMax).default(''),
  }),
  status: 200,
  answer: page,
});
