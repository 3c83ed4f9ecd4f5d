import type { FastifyInstance } from 'fastify';
import { bind } from '#server/http/bind.ts';
import {
  createDocument,
  deleteDocument,
  downloadDocument,
  listDocuments,
  updateDocument,
} from '#shared/contract/documents.ts';
import type { Documents } from './documents.service.ts';

export function registerDocumentsRoutes(app: FastifyInstance, documents: Documents): void {
  bind(app, listDocuments, ({ principal }) => documents.list(principal));
  bind(app, createDocument, ({ principal, origin, upload }) => documents.create({ principal, origin }, upload));
  bind(app, updateDocument, ({ principal, origin, params, body }) =>
    documents.update({ principal, origin, id: params.id }, body),
  );
  bind(app, deleteDocument, ({ principal, origin, params }) => documents.remove({ principal, origin, id: params.id }));
  bind(app, downloadDocument, ({ principal, params }) => documents.download(principal, params.id));
}
