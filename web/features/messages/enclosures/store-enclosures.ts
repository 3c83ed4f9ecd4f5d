import { addEnclosure, type Enclosure, removeEnclosure, updateEnclosure } from '#shared/contract/letters/enclosures.ts';
import type { Message } from '#shared/contract/messages.ts';
import { ApiError, call } from '#web/lib/api/api.ts';
import type { Uploading } from '#web/lib/api/use-upload.ts';
import { type Enclosing, fileToSend, isChanged } from './enclosing.ts';

/** Said where the letter itself is stored, and something in its envelope is not. */
export class EnvelopeNotStored extends Error {
  override readonly name = 'EnvelopeNotStored';
}

/**
 * Stores what has changed in the envelope of a message that is stored itself, and gives what lies in it then. `sent` knows
 * what went through before, so that another try sends nothing twice. @throws EnvelopeNotStored, or whatever ended an upload.
 */
export async function storeEnclosures(
  message: Message,
  enclosings: readonly Enclosing[],
  { send, sent }: { send: Uploading['send']; sent: Map<string, Enclosure> },
): Promise<Enclosure[]> {
  try {
    const kept = new Set(enclosings.flatMap((each) => ('stored' in each ? [each.stored.id] : [])));
    const added = new Set([...sent.values()].map(({ id }) => id));
    for (const { id } of message.enclosures) if (!kept.has(id) && !added.has(id)) await remove(message.id, id);
    const stored: Enclosure[] = [];
    for (const enclosing of enclosings) stored.push(await store(message.id, enclosing));
    await storeOrder(message.id, stored);
    return stored.map((each, index) => ({ ...each, position: index + 1 }));
  } catch (error) {
    if (error instanceof ApiError) throw new EnvelopeNotStored(error.message, { cause: error });
    throw error;
  }

  async function store(id: string, enclosing: Enclosing): Promise<Enclosure> {
    const { key, transcript, afterParagraph } = enclosing;
    const caption = enclosing.caption.trim();
    const before = 'stored' in enclosing ? enclosing.stored : sent.get(key);
    if (before) return 'stored' in enclosing && !isChanged(enclosing) ? before : change(id, before, enclosing);
    const file = fileToSend(enclosing as Extract<Enclosing, { file: File }>);
    const added = await send(addEnclosure, { params: { id }, file, fields: { caption } });
    sent.set(key, added);
    return transcript.trim() === '' && afterParagraph === null ? added : change(id, added, enclosing);
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

function change(
  id: string,
  { id: enclosureId }: Enclosure,
  { caption, transcript, afterParagraph }: Enclosing,
): Promise<Enclosure> {
  return call(updateEnclosure, { params: { id, enclosureId }, body: { caption, transcript, afterParagraph } });
}

/** What is not there any more need not be taken out. */
async function remove(id: string, enclosureId: string): Promise<void> {
  try {
    await call(removeEnclosure, { params: { id, enclosureId } });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}
