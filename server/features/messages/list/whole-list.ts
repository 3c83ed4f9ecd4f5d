import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import type { App } from '#server/app.ts';
import type { HttpCall } from '#server/http/bind.ts';
import { sendJsonList } from '#server/http/bodies/json-list.ts';
import type { Principal } from '#server/http/principal.ts';
import type { Vaults } from '#server/platform/crypto/vault.ts';
import { createSlices } from '#server/platform/slices.ts';
import * as contract from '#shared/contract/messages.ts';
import { listFirstMessages, listMessageIds, listMessagesByIds } from '../listed.repository.ts';
import { readAtOnce } from '../messages.rules.ts';
import { openListed } from '../messages.sealing.ts';

type OwnersMessage = z.output<typeof contract.messageSchema>;

type Owner = Pick<Principal, 'userId' | 'vaultKey'>;
type Reading = Pick<App, 'db'> & { vaults: Pick<Vaults, 'open'> };

/** The first messages, and the rest while a caller reads it; null if there is no rest. */
type ListedMessages = { messages: OwnersMessage[]; rest: AsyncIterable<OwnersMessage> | null };

/** Messages that one statement reads whole. A longer list is sent while it is read, so that it is never held as a whole. */
export const listedAtOnce = 50;
/** Longest sealed texts, in bytes, that one statement reads for a list, unless one message alone is longer. */
const listedAtOnceLength = 1_000_000;
const readMax = { countMax: listedAtOnce, lengthMax: listedAtOnceLength };

/** Lists the owner's messages, newest first. A long list is sent while it is read. */
export async function listMessages(
  app: App,
  { principal, request, reply }: HttpCall<typeof contract.listMessages>,
): Promise<OwnersMessage[] | FastifyReply> {
  const { messages, rest } = await listWholeMessages(app, principal);
  return rest ? sendJsonList(request, reply, encoded(messages, rest)) : messages;
}

async function* encoded(first: readonly OwnersMessage[], rest: AsyncIterable<OwnersMessage>) {
  for (const message of first) yield contract.messageSchema.encode(message);
  for await (const message of rest) yield contract.messageSchema.encode(message);
}

/** Reads all messages of an owner, newest first, each once. A message that is deleted meanwhile is left out of the rest. */
export async function listWholeMessages(app: Reading, principal: Owner): Promise<ListedMessages> {
  const { userId, vaultKey } = principal;
  const { listed, hasMore } = await listFirstMessages(app.db, userId, readMax);
  const vault = app.vaults.open(userId, vaultKey);
  const messages = listed.map(({ row, ...rest }) => openListed(vault, row, rest));
  return { messages, rest: hasMore ? restOf(app, principal, messages) : null };
}

async function* restOf(
  { db, vaults }: Reading,
  { userId, vaultKey }: Owner,
  first: readonly OwnersMessage[],
): AsyncGenerator<OwnersMessage> {
  const known = new Set(first.map(({ id }) => id));
  const found = await listMessageIds(db, userId);
  // A message that was written meanwhile is newer than the first ones, so it has no place after them.
  const others = found.slice(found.findLastIndex(({ id }) => known.has(id)) + 1);
  const vault = vaults.open(userId, vaultKey);
  const pause = createSlices();
  for (const ids of readAtOnce(others, readMax)) {
    for (const { row, ...rest } of await listMessagesByIds(db, userId, ids)) {
      yield openListed(vault, row, rest);
      await pause();
    }
  }
}
