import type { Envelope, EnvelopePage, searchEnvelopes } from '#shared/contract/letters/envelopes.ts';
import type { Message } from '#shared/contract/messages.ts';
import type { RouteBodyInput } from '#shared/contract/route.ts';
import {
  envelopesPerPage,
  isInCategory,
  lettersByPerson,
  lettersTo,
  orderedGroups,
  pageOfGroups,
  peopleKey,
  placeOf,
  previewOf,
  searchFor,
  shelfMax,
} from '#shared/rules/letters/envelopes.ts';

type Wanted = RouteBodyInput<typeof searchEnvelopes>;

/** Answer of the service about these letters, newest first, to a read of envelopes or of one letter; undefined for another call. */
export function letterAnswer(messages: readonly Message[], key: string, body: unknown): unknown {
  const [call = '', query = ''] = key.split('?');
  if (call === 'GET /api/messages/envelopes') {
    const { from, ...wanted } = Object.fromEntries(new URLSearchParams(query));
    return envelopePage(messages, { ...wanted, from: Number(from ?? 0) } as Wanted);
  }
  if (call === 'POST /api/messages/search') return envelopePage(messages, body as Wanted);
  if (call === 'GET /api/messages/summary') return summaryOf(messages);
  if (call === 'GET /api/messages/readers') return readersOf(messages);
  return messages.find(({ id }) => call === `GET /api/messages/${id}`);
}

function envelopePage(messages: readonly Message[], wanted: Wanted): EnvelopePage {
  const { words = '', category = 'all', sort = 'person', from = 0, reader } = wanted;
  const isMatch = searchFor(words);
  const all = messages.map((message) => ({
    ...message,
    createdAt: new Date(message.createdAt),
    isDamaged: message.isDamaged ?? false,
    people: peopleKey(message.recipients),
    message,
  }));
  const found = (reader === undefined ? all : lettersTo(all, reader))
    .filter((letter) => isInCategory(letter.category, category))
    .filter(({ title, content, recipients }) =>
      isMatch([title, content, ...recipients.flatMap(({ name, email }) => [name, email])]),
    );
  const inOrder = {
    person: found,
    newest: found,
    oldest: found.toReversed(),
    title: found.toSorted((one, other) => one.title.localeCompare(other.title, 'en-GB')),
  }[sort];
  const isByPerson = sort === 'person' && reader === undefined;
  const groups = isByPerson ? lettersByPerson(found) : [{ key: '', readers: [], letters: inOrder }];
  const emails = [...new Set(all.flatMap(({ recipients }) => recipients.map(({ email }) => email)))];
  const places = new Map(
    emails.map((email) => [email, new Map(lettersTo(all, email).map(({ id }, index) => [id, index]))]),
  );
  const ordered = orderedGroups(groups, places);
  const end = from + envelopesPerPage;
  return {
    groups: pageOfGroups(groups, { from, size: envelopesPerPage }).map(({ key, readers, letters }) => ({
      key,
      readers: readers.map((each) => ({ ...each, isOrdered: ordered.get(each.email)?.key === key })),
      envelopes: letters.map((letter) => envelopeOf(letter.message, placeOf(letter, places))),
    })),
    found: found.length,
    all: all.length,
    order: groups.flatMap(({ letters }) => letters.map(({ id }) => id)).join(' '),
    next: end < found.length ? end : null,
  };
}

function summaryOf(messages: readonly Message[]) {
  const order = (['ready', 'draft', 'delivered'] as const).flatMap((status) =>
    messages.filter((message) => message.status === status),
  );
  return {
    all: messages.length,
    doesWait: messages.some(({ recipients }) => recipients.some(({ status }) => status === 'waiting')),
    shelf: order.slice(0, shelfMax).map((message) => envelopeOf(message)),
  };
}

function readersOf(messages: readonly Message[]) {
  const known = new Map<string, Pick<Message['recipients'][number], 'name' | 'relation' | 'email'>>();
  for (const { name, relation, email } of messages.flatMap(({ recipients }) => recipients)) {
    if (!known.get(email)?.name) known.set(email, { name, relation, email });
  }
  return [...known.values()];
}

/** A letter as lists show it. */
export function envelopeOf(message: Message, readingIndex: number | null = null): Envelope {
  const { content, encryptedContent, attachmentTranscript: _, enclosures, ...shown } = message;
  return {
    ...shown,
    preview: previewOf(content),
    isSealed: encryptedContent !== null,
    pictures: enclosures.filter(({ kind }) => kind === 'picture').length,
    hasVoice: enclosures.some(({ kind }) => kind === 'voice'),
    readingIndex,
  };
}
