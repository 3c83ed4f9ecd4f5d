import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { App } from '#server/app.ts';
import { listTurnsOf } from '#server/features/messages/list/list-turns.ts';
import type { HttpCall } from '#server/http/bind.ts';
import { leftSignal } from '#server/http/bodies/downloads.ts';
import type { Principal } from '#server/http/principal.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import { createSlices, mapInSlices, type Pause, sortInSlices } from '#server/platform/slices.ts';
import type * as contract from '#shared/contract/vault/document-pages.ts';
import {
  type DocumentFilter,
  type DocumentSort,
  documentOrders,
  documentsPerPage,
  isInFilter,
  wordTest,
} from '#shared/rules/documents/document-lists.ts';
import { openListed, openName } from '../documents.sealing.ts';
import { type DocumentFacts, listDocumentFacts, listDocumentNames, listDocumentsByIds } from './listed.repository.ts';

type Page = z.output<typeof contract.listDocumentPage.answer>;
type Wanted = { sort: DocumentSort; category: DocumentFilter; from: number; words: string };

/** Documents whose words a search opens between two statements. Bounds its memory: each has up to 3,000 characters. */
const documentsAtOnce = 200;

/** Returns a page of the owner's documents. @throws AppError `RATE_LIMITED` or `UNAVAILABLE` as `ListTurns`. */
export function listDocumentPage(
  app: App,
  { principal, query, reply }: HttpCall<typeof contract.listDocumentPage>,
): Promise<Page> {
  return pageOf(app, { ...query, words: '' }, { principal, signal: leftSignal(reply) });
}

/** Returns a page of the documents that hold the words. @throws AppError as `listDocumentPage`. */
export function searchDocuments(
  app: App,
  { principal, body, reply }: HttpCall<typeof contract.searchDocuments>,
): Promise<Page> {
  return pageOf(app, body, { principal, signal: leftSignal(reply) });
}

type Caller = { principal: Principal; signal: AbortSignal };
type Making = { userId: string; vault: Vault; wanted: Wanted; pause: Pause };

/** Stops once the caller has left: a search that the next key replaced must not keep the next search waiting. */
function pageOf(app: App, wanted: Wanted, { principal, signal }: Caller): Promise<Page> {
  const { userId, vaultKey } = principal;
  const makePage = async (): Promise<Page> => {
    const making = { userId, vault: app.vaults.open(userId, vaultKey), wanted, pause: createSlices({ signal }) };
    const all = await listDocumentFacts(app.db, userId);
    const found = await sorted(app, await findDocuments(app, all, making), making);
    const ids = found.map(({ id }) => id);
    const end = wanted.from + documentsPerPage;
    const rows = await listDocumentsByIds(app.db, userId, ids.slice(wanted.from, end));
    return {
      documents: await mapInSlices(rows, (row) => openListed(making.vault, row), making.pause),
      found: found.length,
      all: all.length,
      order: createHash('sha256').update(ids.join(' ')).digest('base64url'),
      next: end < found.length ? end : null,
    };
  };
  return listTurnsOf(app).ofOwner(userId, makePage, signal);
}

/** Returns the documents that the filter and the words find, newest first. Words are opened only if they decide. */
async function findDocuments(
  { db }: App,
  all: readonly DocumentFacts[],
  { userId, vault, wanted, pause }: Making,
): Promise<DocumentFacts[]> {
  const inFilter = all.filter(({ category }) => isInFilter(category, wanted.category));
  const isMatch = wordTest(wanted.category, wanted.words);
  if (!isMatch) return inFilter;
  const matches = new Set<string>();
  for (let at = 0; at < inFilter.length; at += documentsAtOnce) {
    const ids = inFilter.slice(at, at + documentsAtOnce).map(({ id }) => id);
    const match = (row: Parameters<typeof openListed>[1]) => {
      if (isMatch(openListed(vault, row))) matches.add(row.id);
    };
    await mapInSlices(await listDocumentsByIds(db, userId, ids), match, pause);
  }
  return inFilter.filter(({ id }) => matches.has(id));
}

async function sorted(
  { db }: App,
  found: readonly DocumentFacts[],
  { userId, vault, wanted, pause }: Making,
): Promise<readonly DocumentFacts[]> {
  if (wanted.sort === 'newest') return found;
  if (wanted.sort === 'oldest') return found.toReversed();
  if (wanted.sort === 'largest') return sortInSlices(found, documentOrders.largest, pause);
  const sealed = new Map((await listDocumentNames(db, userId)).map((row) => [row.id, row]));
  const named = await mapInSlices(
    found.filter(({ id }) => sealed.has(id)),
    (facts) => ({ ...facts, name: openName(vault, sealed.get(facts.id) ?? { id: facts.id, name: '' }) }),
    pause,
  );
  return sortInSlices(named, documentOrders.name, pause);
}
