import {
  addEnclosure,
  addOriginal,
  type Enclosure,
  removeEnclosure,
  removeOriginal,
  updateEnclosure,
} from '#shared/contract/letters/enclosures.ts';
import type { Message } from '#shared/contract/messages.ts';
import { ApiError, call } from '#web/lib/api/api.ts';
import { storedIn } from '#web/lib/api/saves.ts';
import type { Uploading } from '#web/lib/api/use-upload.ts';
import {
  type Enclosing,
  fileToSend,
  isChanged,
  isOriginalTakenOut,
  isSentAsTaken,
  originalToSend,
} from './enclosing.ts';

/** Said where the letter itself is stored, and something in its envelope is not. */
export class EnvelopeNotStored extends Error {
  override readonly name = 'EnvelopeNotStored';
}

/** Thrown if the letter itself is stored, and another device has changed the words to a picture or voice meanwhile. */
export class WordsElsewhere extends Error {
  override readonly name = 'WordsElsewhere';
  /** Key of the picture or voice in the form. */
  readonly key: string;
  /** Stored item, with the words of the other device. */
  readonly stored: Enclosure;

  constructor({ key }: Enclosing, stored: Enclosure) {
    super('The words to a picture or voice were changed elsewhere.');
    this.key = key;
    this.stored = stored;
  }
}

type Sending = {
  send: Uploading['send'];
  /** Steps that have succeeded, so that another try sends nothing twice. */
  sent: Map<string, Enclosure>;
  /** Ids that the form has shown. Another device may have added more since, and those stay. */
  shownIds: ReadonlySet<string>;
};

/**
 * Stores the changes in the envelope of a stored message, and returns its contents.
 * @throws EnvelopeNotStored, WordsElsewhere, or the error that ended an upload.
 */
export async function storeEnclosures(
  message: Message,
  enclosings: readonly Enclosing[],
  sending: Sending,
): Promise<Enclosure[]> {
  try {
    return await putIn(message, enclosings, sending);
  } catch (error) {
    if (error instanceof ApiError) throw new EnvelopeNotStored(error.message, { cause: error });
    throw error;
  }
}

/**
 * Stages the contents of a sealed envelope unsealed, before the letter loses its passphrase and takes them in. The
 * sealed file is deleted only then. Returns their ids, in order.
 * @throws ApiError, or the error that ended an upload.
 */
export async function stageEnclosures(
  message: Message,
  enclosings: readonly Enclosing[],
  sending: Sending & { staging: string },
): Promise<string[]> {
  const staged = await putIn(message, enclosings, sending);
  return staged.map(({ id }) => id);
}

async function putIn(
  message: Message,
  enclosings: readonly Enclosing[],
  { send, sent, shownIds, staging }: Sending & { staging?: string },
): Promise<Enclosure[]> {
  const kept = new Set(enclosings.flatMap((each) => ('stored' in each ? [each.stored.id] : [])));
  const added = new Set([...sent.values()].map(({ id }) => id));
  const isTakenOut = (id: string) => shownIds.has(id) && !kept.has(id) && !added.has(id);
  for (const { id } of message.enclosures) if (isTakenOut(id)) await remove(message.id, id);
  const stored: Enclosure[] = [];
  for (const enclosing of enclosings) stored.push(await store(message.id, enclosing));
  // Staged files get their order from the words that take them in.
  if (staging === undefined) await storeOrder(message.id, stored);
  return stored.map((each, index) => ({ ...each, position: index + 1 }));

  async function store(id: string, enclosing: Enclosing): Promise<Enclosure> {
    const { key, transcript, afterParagraph } = enclosing;
    const caption = enclosing.caption.trim();
    if ('stored' in enclosing) {
      const { stored } = enclosing;
      if (isOriginalTakenOut(enclosing)) await takeOriginalOut(id, stored.id);
      const { original: _, ...changed } = isChanged(enclosing) ? await change(id, stored, enclosing) : stored;
      return { ...changed, original: isOriginalTakenOut(enclosing) ? null : stored.original };
    }
    const before = sent.get(key);
    const fields = { caption, ...(staging === undefined ? {} : { staging }) };
    // A sealed envelope holds only what its writer chose to keep.
    const query = staging !== undefined || isSentAsTaken(enclosing) ? { asTaken: true } : {};
    const file = fileToSend(enclosing);
    const added = before ?? (await send(addEnclosure, { params: { id }, query, file, fields, changeKey: key }));
    sent.set(key, added);
    const whole = await storeOriginal(id, added, enclosing);
    sent.set(key, whole);
    const areWordsSent = added.caption === caption && transcript.trim() === '';
    const isAsSent = !before && areWordsSent && afterParagraph === null;
    return isAsSent ? whole : change(id, whole, enclosing);
  }

  async function storeOriginal(id: string, added: Enclosure, enclosing: Extract<Enclosing, { file: File }>) {
    const file = originalToSend(enclosing);
    const params = { id, enclosureId: added.id };
    if (file && !added.original) return send(addOriginal, { params, file, fields: {} });
    if (file || !added.original) return added;
    await takeOriginalOut(id, added.id);
    return { ...added, original: null };
  }
}

/** Moves what does not stand where its writer has put it: each move leaves the others in their order. */
async function storeOrder(id: string, wanted: readonly Enclosure[]): Promise<void> {
  const order = wanted.toSorted((one, other) => one.position - other.position).map((each) => each.id);
  for (const [index, { id: enclosureId }] of wanted.entries()) {
    if (order[index] === enclosureId) continue;
    order.splice(order.indexOf(enclosureId), 1);
    order.splice(index, 0, enclosureId);
    await call(updateEnclosure, { params: { id, enclosureId }, body: { position: index + 1 } });
  }
}

/** @throws WordsElsewhere if other words are stored than those that the form began with. */
async function change(id: string, stored: Enclosure, enclosing: Enclosing): Promise<Enclosure> {
  const { caption, transcript, afterParagraph } = enclosing;
  const before = { caption: stored.caption, transcript: stored.transcript };
  const params = { id, enclosureId: stored.id };
  try {
    return await call(updateEnclosure, { params, body: { caption, transcript, afterParagraph, before } });
  } catch (error) {
    const elsewhere = storedIn<Enclosure>(error);
    throw elsewhere ? new WordsElsewhere(enclosing, elsewhere) : error;
  }
}

function remove(id: string, enclosureId: string): Promise<void> {
  return unlessGone(call(removeEnclosure, { params: { id, enclosureId } }));
}

function takeOriginalOut(id: string, enclosureId: string): Promise<void> {
  return unlessGone(call(removeOriginal, { params: { id, enclosureId } }));
}

/** Missing contents need not be removed. */
async function unlessGone(removed: Promise<unknown>): Promise<void> {
  try {
    await removed;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}
