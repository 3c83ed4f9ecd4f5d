import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { App } from '#server/app.ts';
import type { Call, HttpCall } from '#server/http/bind.ts';
import { leftSignal } from '#server/http/bodies/downloads.ts';
import type { Principal } from '#server/http/principal.ts';
import { unlessBroken, type Vault } from '#server/platform/crypto/vault.ts';
import { createSlices, mapInSlices, type Pause, sortInSlices } from '#server/platform/slices.ts';
import { notFound } from '#shared/contract/errors.ts';
import type * as contract from '#shared/contract/letters/envelopes.ts';
import type { messageSchema } from '#shared/contract/messages.ts';
import { damagedTitle } from '#shared/rules/damaged.ts';
import {
  type EnvelopeCategory,
  type EnvelopeSort,
  envelopesPerPage,
  isInCategory,
  type LetterFacts,
  type LetterGroup,
  lettersTo,
  orderedGroups,
  pageOfGroups,
  peopleKey,
  placeOf,
  type ReadingPlaces,
  searchFor,
} from '#shared/rules/letters/envelopes.ts';
import { listMessagesByIds } from '../listed.repository.ts';
import { openListed, openWords } from '../messages.sealing.ts';
import { openRecipient, type SealedRecipient } from '../recipients.sealing.ts';
import { type EnvelopeRow, listContents, listEnvelopeRows, listPeople } from './envelopes.repository.ts';
import { openEnvelope } from './envelopes.sealing.ts';
import { listTurnsOf } from './list-turns.ts';
import { groupsInSlices } from './person-groups.ts';
import { readingPlaces } from './reading-places.ts';

type Page = z.output<typeof contract.listEnvelopes.answer>;
type Wanted = {
  sort: EnvelopeSort;
  category: EnvelopeCategory;
  from: number;
  words: string;
  reader?: string | undefined;
};
type Opened = LetterFacts & { title: string };
type Groups = readonly LetterGroup<Opened>[];

/** Texts that a search opens between two statements. Bounds its memory: each has up to 200,000 characters. */
const contentsAtOnce = 50;

const titleOrder = new Intl.Collator('en-GB');

/** Returns a page of the owner's letters without their words. @throws AppError `RATE_LIMITED` or `UNAVAILABLE` as `ListTurns`. */
export function listEnvelopes(
  app: App,
  { principal, query, reply }: HttpCall<typeof contract.listEnvelopes>,
): Promise<Page> {
  return pageOf(app, { ...query, words: '' }, { principal, signal: leftSignal(reply) });
}

/** Returns a page of the letters that hold the words, or that a person is still to get. @throws AppError as `listEnvelopes`. */
export function searchEnvelopes(
  app: App,
  { principal, body, reply }: HttpCall<typeof contract.searchEnvelopes>,
): Promise<Page> {
  return pageOf(app, body, { principal, signal: leftSignal(reply) });
}

/** Returns one letter, whole. @throws AppError `NOT_FOUND`. */
export async function getMessage(
  { db, vaults }: App,
  { principal: { userId, vaultKey }, params }: Call<typeof contract.getMessage>,
): Promise<z.output<typeof messageSchema>> {
  const [listed] = await listMessagesByIds(db, userId, [params.id]);
  if (!listed) throw notFound();
  return openListed(vaults.open(userId, vaultKey), listed.row, listed);
}

type Caller = { principal: Principal; signal: AbortSignal };

/** Stops once the caller has left: a search that the next key replaced must not keep the next search waiting. */
function pageOf(app: App, wanted: Wanted, { principal, signal }: Caller): Promise<Page> {
  const { userId, vaultKey } = principal;
  const makePage = async (): Promise<Page> => {
    const vault = app.vaults.open(userId, vaultKey);
    const making = { userId, vault, wanted, pause: createSlices({ signal }) };
    const all = await openFacts(app, making);
    const found = await findLetters(app, all, making);
    const groups = await groupsOf(found, making);
    await making.pause();
    const shown = pageOfGroups(groups, { from: wanted.from, size: envelopesPerPage });
    const places: ReadingPlaces = wanted.sort === 'person' ? await readingPlaces(all, shown, making.pause) : new Map();
    await making.pause();
    const end = wanted.from + envelopesPerPage;
    return {
      groups: await openGroups(app, { shown, groups, places }, making),
      found: found.length,
      all: all.length,
      order: orderOf(groups),
      next: end < found.length ? end : null,
    };
  };
  return listTurnsOf(app).ofOwner(userId, makePage, signal);
}

type Making = { userId: string; vault: Vault; wanted: Wanted; pause: Pause };

/** Opens what the wanted order and search ask of each letter, and nothing else. */
async function openFacts({ db }: App, { userId, vault, wanted, pause }: Making): Promise<Opened[]> {
  const { words, sort, reader } = wanted;
  const rows = await listEnvelopeRows(db, userId);
  const needsPeople = sort === 'person' || words !== '' || reader !== undefined;
  const people = needsPeople ? await listPeople(db, userId) : new Map<string, SealedRecipient[]>();
  const needsTitle = words !== '' || sort === 'title';
  await pause();
  return mapInSlices(rows, (row) => openedFacts(vault, row, { people: people.get(row.id) ?? [], needsTitle }), pause);
}

function openedFacts(
  vault: Vault,
  row: EnvelopeRow,
  { people, needsTitle }: { people: readonly SealedRecipient[]; needsTitle: boolean },
): Opened {
  const open = () => {
    const recipients = people.map((person) => openRecipient(vault, person));
    const title = needsTitle ? openWords(vault, row.id, 'title', row.title) : '';
    return { ...row, title, recipients, people: peopleKey(recipients), isDamaged: false };
  };
  return unlessBroken(open) ?? { ...row, title: damagedTitle, recipients: [], people: '', isDamaged: true };
}

/** Returns the letters that match, in the given order. Texts are opened only of letters whose title and readers don't match. */
async function findLetters({ db }: App, all: readonly Opened[], { vault, wanted, pause }: Making): Promise<Opened[]> {
  const { category, words, reader } = wanted;
  const ofReader = reader === undefined ? all : lettersTo(all, reader);
  const inCategory = ofReader.filter((letter) => isInCategory(letter.category, category));
  await pause();
  if (words.trim() === '') return inCategory;

  const isMatch = searchFor(words);
  const isOutside = ({ title, recipients }: Opened) =>
    isMatch([title, ...recipients.flatMap(({ name, email }) => [name, email])]);
  const outside = await mapInSlices(inCategory, isOutside, pause);
  const matches = new Set(inCategory.filter((_, index) => outside[index]));
  const others = inCategory.filter((letter) => !matches.has(letter) && !letter.isDamaged);
  for (let at = 0; at < others.length; at += contentsAtOnce) {
    const some = new Map(others.slice(at, at + contentsAtOnce).map((letter) => [letter.id, letter]));
    const contents = await listContents(db, [...some.keys()]);
    const match = ({ id, content }: (typeof contents)[number]) => {
      const letter = some.get(id);
      const isFound = unlessBroken(() => isMatch([openWords(vault, id, 'content', content)])) ?? false;
      if (letter && isFound) matches.add(letter);
    };
    await mapInSlices(contents, match, pause);
  }
  return inCategory.filter((letter) => matches.has(letter));
}

/** Sorts the letters. All but the order by person make one group. */
async function groupsOf(found: readonly Opened[], { wanted: { sort, reader }, pause }: Making): Promise<Groups> {
  if (sort === 'person' && reader === undefined) return groupsInSlices(found, pause);
  const inOrder = {
    person: () => found,
    newest: () => found,
    oldest: () => found.toReversed(),
    title: () => sortInSlices(found, (one, other) => titleOrder.compare(one.title, other.title), pause),
  };
  return [{ key: '', readers: [], letters: await inOrder[sort]() }];
}

/** Fingerprint of the order of all found letters, without their words. */
function orderOf(groups: Groups): string {
  const ids = groups.flatMap(({ letters }) => letters.map(({ id }) => id));
  return createHash('sha256').update(ids.join(' ')).digest('base64url');
}

type Shown = { shown: Groups; groups: Groups; places: ReadingPlaces };

/** Opens the letters of one page. */
async function openGroups(
  { db }: App,
  { shown, groups, places }: Shown,
  { userId, vault, pause }: Making,
): Promise<Page['groups']> {
  const facts = shown.flatMap(({ letters }) => letters);
  const ids = facts.map(({ id }) => id);
  const listed = await listMessagesByIds(db, userId, ids);
  const opened = await mapInSlices(listed, (message) => openEnvelope(vault, message), pause);
  const byId = new Map(opened.map((envelope) => [envelope.id, envelope]));
  const ordered = orderedGroups(groups, places);
  return shown.map(({ key, readers, letters }) => {
    const envelopes = letters.flatMap((letter) => {
      const envelope = byId.get(letter.id);
      return envelope ? [{ ...envelope, readingIndex: placeOf(letter, places) }] : [];
    });
    return {
      key,
      readers: readers.map((reader) => ({ ...reader, isOrdered: ordered.get(reader.email)?.key === key })),
      envelopes,
    };
  });
}
