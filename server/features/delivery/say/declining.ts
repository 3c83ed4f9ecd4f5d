import { randomUUID } from 'node:crypto';
import type { App } from '#server/app.ts';
import type { Executor } from '#server/platform/db/database.ts';
import { ledgerNameOf } from '#server/platform/ledger/deletion-ledger.ts';
import {
  type Declining,
  findDeclining,
  listAwaiting,
  type Person,
  storeDeclining,
  visitSoon,
} from './say.repository.ts';

/*
 * "No more letters", and its end. Each word stands in the ledger first, apart from the database and its backups: a
 * restored backup would send a letter that its reader had refused.
 */

/**
 * Records "no more letters" and returns it. Null if it was said already. The caller's transaction holds the owner's lock.
 */
export async function decline(app: App, tx: Executor, person: Person, at: Date): Promise<Declining | null> {
  const before = await findDeclining(tx, person);
  if (before?.declinedAt) return null;
  const times = (before?.times ?? 0) + 1;
  await app.ledger.append(nameOf(person, 'no more', times), at);
  const word = wordOf(person, before, { times, declinedAt: at });
  await storeDeclining(tx, word);
  return word;
}

/** Takes it back, so that letters whose day has passed leave soon. False if there is nothing to take back. */
export async function takeBackDeclining(app: App, tx: Executor, person: Person, at: Date): Promise<boolean> {
  const before = await findDeclining(tx, person);
  if (!before?.declinedAt) return false;
  await app.ledger.append(nameOf(person, 'letters', before.times), at);
  await storeDeclining(tx, { ...before, declinedAt: null });
  await visitSoon(tx, person.userId, at);
  return true;
}

/** Applies the wish of a person to the new address of their waiting letters. */
export async function carryDeclining(
  app: App,
  tx: Executor,
  { userId, personKey, to, at }: Person & { to: string; at: Date },
): Promise<void> {
  const before = await findDeclining(tx, { userId, personKey });
  if (before?.declinedAt && personKey !== to) await decline(app, tx, { userId, personKey: to }, at);
}

/**
 * Brings back the words that a restored backup has lost, each from now on. Runs before the first request is served.
 * Returns their number.
 */
export async function applySays(app: App): Promise<number> {
  const names = await app.ledger.names();
  const at = await app.clock.now();
  let changed = 0;
  for (const { word, ...person } of await listAwaiting(app.db)) {
    const isSaid = (what: Word, times: number) => names.has(ledgerNameOf(nameOf(person, what, times)));
    let times = word?.times ?? 0;
    while (isSaid('no more', times + 1)) times += 1;
    const isDeclined = times > 0 && !isSaid('letters', times);
    if (times === (word?.times ?? 0) && isDeclined === (word?.declinedAt != null)) continue;
    await storeDeclining(app.db, wordOf(person, word, { times, declinedAt: isDeclined ? at : null }));
    changed += 1;
  }
  if (changed > 0) app.log.info({ readers: changed }, 'Words of readers that the restored backup lacked are back.');
  return changed;
}

function wordOf(
  { userId, personKey }: Person,
  before: Declining | null,
  word: Pick<Declining, 'times' | 'declinedAt'>,
) {
  return { id: before?.id ?? randomUUID(), userId, personKey, ...word };
}

type Word = 'no more' | 'letters';

function nameOf({ userId, personKey }: Person, word: Word, times: number): string {
  return JSON.stringify([userId, personKey, word, times]);
}
