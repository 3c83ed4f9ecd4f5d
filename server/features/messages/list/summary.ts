import type { z } from 'zod';
import type { App } from '#server/app.ts';
import type { Call, HttpCall } from '#server/http/bind.ts';
import { leftSignal } from '#server/http/bodies/downloads.ts';
import { unlessBroken } from '#server/platform/crypto/vault.ts';
import { createSlices, mapInSlices } from '#server/platform/slices.ts';
import type * as contract from '#shared/contract/letters/envelopes.ts';
import { knownReadersMax } from '#shared/rules/letters/envelopes.ts';
import { listMessagesByIds } from '../listed.repository.ts';
import { openRecipient, type SealedRecipient } from '../recipients.sealing.ts';
import { listLatestPeople, summarise } from './envelopes.repository.ts';
import { openEnvelope } from './envelopes.sealing.ts';
import { listTurnsOf } from './list-turns.ts';

type Summary = z.output<typeof contract.getLettersSummary.answer>;
type Reader = z.output<typeof contract.listReaders.answer>[number];

/** Returns the number of the owner's letters, and the few that the dashboard shows. */
export async function getLettersSummary(
  { db, vaults }: App,
  { principal: { userId, vaultKey } }: Call<typeof contract.getLettersSummary>,
): Promise<Summary> {
  const { shelfIds, ...summary } = await summarise(db, userId);
  const listed = await listMessagesByIds(db, userId, shelfIds);
  const vault = vaults.open(userId, vaultKey);
  const shelf = listed.map((message) => ({ ...openEnvelope(vault, message), readingIndex: null }));
  return { ...summary, shelf };
}

/** Returns the latest people that the owner wrote to. A damaged one is left out. @throws AppError as `listEnvelopes`. */
export function listReaders(
  app: App,
  { principal: { userId, vaultKey }, reply }: HttpCall<typeof contract.listReaders>,
): Promise<Reader[]> {
  const signal = leftSignal(reply);
  const makeList = async () => {
    const rows = await listLatestPeople(app.db, userId);
    const vault = app.vaults.open(userId, vaultKey);
    const open = (row: SealedRecipient) => unlessBroken(() => openRecipient(vault, row));
    const people = await mapInSlices(rows, open, createSlices({ signal }));
    const readers = new Map<string, Reader>();
    for (const person of people) {
      const known = person && readers.get(person.email);
      // A name that an earlier letter had is kept if the latest has none.
      if (person && (!known || (known.name === null && person.name !== null))) readers.set(person.email, person);
    }
    return [...readers.values()].slice(0, knownReadersMax);
  };
  return listTurnsOf(app).ofOwner(userId, makeList, signal);
}
