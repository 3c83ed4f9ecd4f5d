import { randomUUID } from 'node:crypto';
import type { App } from '#server/app.ts';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { ledgerNameOf } from '#server/platform/ledger/deletion-ledger.ts';
import {
  type Declining,
  findDeclinings,
  listAwaiting,
  type Person,
  type Reader,
  storeDeclining,
  visitSoon,
} from './say.repository.ts';
import { freeNumber, type IsSaid, laterWord, type Saying, type Word } from './say.rules.ts';

/*
 * "No more letters", and its end. Each word stands in the ledger first, apart from the database and its backups: a
 * restored backup would send a letter that its reader had refused. The caller's transaction holds the owner's lock.
 */

/** Number of readers that are read at a time when the service starts. */
const readersPerPage = 1_000;

/** Records "no more letters" under each key of a reader. Returns the new words, without those that were said already. */
export async function decline(app: App, tx: Executor, reader: Reader, at: Date): Promise<Declining[]> {
  const stored = await findDeclinings(tx, reader);
  const names = await app.ledger.names();
  const declined: Declining[] = [];
  for (const person of personsOf(reader)) {
    const before = stored.get(person.personKey);
    if (before?.declinedAt) continue;
    const times = freeNumber(before?.times ?? 0, isSaidBy(names, person));
    await note(app, names, person, { saying: 'no more', times, at });
    const word = { id: before?.id ?? randomUUID(), ...person, ...noTakingBack, times, declinedAt: at };
    await storeDeclining(tx, word);
    declined.push(word);
  }
  return declined;
}

/**
 * Takes it back, so that letters whose day has passed leave soon. `contactId`: the contact who does so, or null for the
 * reader. False if there is nothing to take back.
 */
export async function takeBackDeclining(
  app: App,
  tx: Executor,
  reader: Reader,
  { contactId, at }: { contactId: string | null; at: Date },
): Promise<boolean> {
  const declined = [...(await findDeclinings(tx, reader)).values()].filter(({ declinedAt }) => declinedAt !== null);
  if (declined.length === 0) return false;
  const names = await app.ledger.names();
  for (const word of declined) {
    await note(app, names, word, { saying: 'letters', times: word.times, at });
    const taking = contactId === null ? noTakingBack : { takenBackAt: at, takenBackBy: contactId };
    await storeDeclining(tx, { ...word, ...taking, declinedAt: null });
  }
  await visitSoon(tx, reader.userId, at);
  return true;
}

/**
 * Brings back the words that a restored backup has lost, each from now on. Runs before the first request is served.
 * Readers without a waiting letter follow with their next release. Returns the number of changed words.
 */
export async function applySays(app: App): Promise<number> {
  const names = await app.ledger.names();
  const at = await app.clock.now();
  let changed = 0;
  for await (const { stored, userId, personKey } of allAwaiting(app)) {
    if (laterWord(wordOf(stored), isSaidBy(names, { userId, personKey })) === null) continue;
    await app.db.transaction(async (tx) => {
      if (await lockOwnerRow(tx, userId)) changed += await catchUp(tx, names, { userId, personKeys: [personKey] }, at);
    });
  }
  if (changed > 0) app.log.info({ readers: changed }, 'Words of readers that the restored backup lacked are back.');
  return changed;
}

async function* allAwaiting({ db }: App) {
  for (let after: Person | null = null; ; ) {
    const page: Awaited<ReturnType<typeof listAwaiting>> = await listAwaiting(db, { after, limit: readersPerPage });
    yield* page;
    after = page.at(-1) ?? null;
    if (page.length < readersPerPage) return;
  }
}

/** Returns each "no more letters" under these keys, by key. Brings back what a restored backup has lost. */
export async function declinedBy(app: App, tx: Executor, reader: Reader, at: Date): Promise<Map<string, Declining>> {
  await catchUp(tx, await app.ledger.names(), reader, at);
  const stored = await findDeclinings(tx, reader);
  return new Map([...stored].filter(([, { declinedAt }]) => declinedAt !== null));
}

/** Moves stored words forward to those in the ledger, never back. Returns the number of changed ones. */
async function catchUp(tx: Executor, names: ReadonlySet<string>, reader: Reader, at: Date): Promise<number> {
  const stored = await findDeclinings(tx, reader);
  let changed = 0;
  for (const person of personsOf(reader)) {
    const before = stored.get(person.personKey) ?? null;
    const word = laterWord(wordOf(before), isSaidBy(names, person));
    if (!word) continue;
    const { times, isDeclined } = word;
    const id = before?.id ?? randomUUID();
    await storeDeclining(tx, { id, ...person, ...noTakingBack, times, declinedAt: isDeclined ? at : null });
    if (before?.declinedAt && !isDeclined) await visitSoon(tx, person.userId, at);
    changed += 1;
  }
  return changed;
}

/** Adds a word to the ledger. Earlier numbers that an older ledger lacks come first, since it is read without gaps. */
async function note(
  app: App,
  names: ReadonlySet<string>,
  person: Person,
  { saying, times, at }: { saying: Saying; times: number; at: Date },
): Promise<void> {
  const isSaid = isSaidBy(names, person);
  const last = saying === 'no more' ? times - 1 : times;
  for (let number = 1; number <= last; number += 1) {
    if (!isSaid('no more', number)) await app.ledger.append(nameOf(person, 'no more', number), at);
  }
  await app.ledger.append(nameOf(person, saying, times), at);
}

const noTakingBack = { takenBackAt: null, takenBackBy: null };

const personsOf = ({ userId, personKeys }: Reader): Person[] =>
  [...new Set(personKeys)].map((personKey) => ({ userId, personKey }));

const wordOf = (stored: Declining | null): Word | null =>
  stored && { times: stored.times, isDeclined: stored.declinedAt !== null };

const isSaidBy =
  (names: ReadonlySet<string>, person: Person): IsSaid =>
  (saying, times) =>
    names.has(ledgerNameOf(nameOf(person, saying, times)));

function nameOf({ userId, personKey }: Person, saying: Saying, times: number): string {
  return JSON.stringify([userId, personKey, saying, times]);
}
