import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import type { App } from '#server/app.ts';
import type { HttpCall } from '#server/http/bind.ts';
import { sendJsonList } from '#server/http/bodies/json-list.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import { createSlices } from '#server/platform/slices.ts';
import * as contract from '#shared/contract/documents.ts';
import type { SealedDocument } from '../documents.repository.ts';
import { openListed } from '../documents.sealing.ts';
import { listDocumentFacts, listDocumentsByIds, listFirstDocuments } from './listed.repository.ts';

type OwnersDocument = z.output<typeof contract.documentSchema>;

/** Documents that one statement reads. A longer list is sent while it is read, so that it is never held as a whole. */
export const documentsListedAtOnce = 200;

/**
 * Lists the owner's documents, newest first. A plan that lost the vault still shows and serves stored documents. A document that
 * is deleted while a long list is sent is left out of the rest.
 */
export async function listDocuments(
  { db, vaults }: App,
  { principal: { userId, vaultKey }, request, reply }: HttpCall<typeof contract.listDocuments>,
): Promise<OwnersDocument[] | FastifyReply> {
  const first = await listFirstDocuments(db, userId, documentsListedAtOnce);
  const vault = vaults.open(userId, vaultKey);
  if (first.length < documentsListedAtOnce) return first.map((row) => openListed(vault, row));
  return sendJsonList(request, reply, encoded(vault, allFrom(db, userId, first)));
}

/** The first documents, then those after them. */
async function* allFrom(db: App['db'], userId: string, first: readonly SealedDocument[]) {
  yield* first;
  const known = new Set(first.map(({ id }) => id));
  const ids = (await listDocumentFacts(db, userId)).map(({ id }) => id);
  // A document that was stored meanwhile is newer than the first ones, so it has no place after them.
  const others = ids.slice(ids.findLastIndex((id) => known.has(id)) + 1);
  for (let at = 0; at < others.length; at += documentsListedAtOnce) {
    yield* await listDocumentsByIds(db, userId, others.slice(at, at + documentsListedAtOnce));
  }
}

async function* encoded(vault: Vault, rows: AsyncIterable<SealedDocument>) {
  const pause = createSlices();
  for await (const row of rows) {
    yield contract.documentSchema.encode(openListed(vault, row));
    await pause();
  }
}
