import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeliveryWorld, tokenIn } from './delivery.test-world.ts';

let world: Awaited<ReturnType<typeof createDeliveryWorld>>;
beforeAll(async () => {
  // Every letter that has not left is one too many.
  world = await createDeliveryWorld({ writtenBeforeAnswerMax: 0 });
});
afterAll(() => world.close());

const gone = { type: 'NOT_FOUND' };

/** Three letters: unsent, unopened and opened. */
async function releaseThree() {
  const requestId = await world.newRequest();
  const addresses = ['unsent', 'unread', 'read'].map((name) => `${name}.${requestId}@a.example`);
  const messages = [];
  for (const address of addresses) messages.push(await world.newMessage(address));
  await world.release(requestId, messages);
  const mails = addresses.map((address) => world.post.waiting('delivery.letter', address));
  const [unsent, unread, read] = mails;
  if (!unsent || !unread || !read) throw new Error('Three mails were expected.');
  await world.end(unread, 'accepted');
  await world.end(read, 'accepted');
  await world.deliveries.recordOpening(tokenIn(read));
  return { requestId, messages, addresses, unsent, unread, read };
}

const statusesOf = async (messages: readonly { id: string }[]) =>
  Promise.all(messages.map(async ({ id }) => (await world.deliveryOf(id)).status));

describe('a release that is stopped after letters have left', () => {
  it('tells every reader whom a letter has reached, opened or not, and no other', async () => {
    const { requestId, addresses } = await releaseThree();
    await world.closeRelease('taken_back');
    await world.halt(requestId);
    expect(addresses.map((address) => world.post.count('delivery.returned', address))).toEqual([0, 1, 1]);
  });
});

describe('a release that is stopped while many letters are on their way', () => {
  it('is said to have stopped what it will have stopped', async () => {
    const { requestId, messages, unread, read } = await releaseThree();
    await world.closeRelease('taken_back');
    expect(await world.halt(requestId)).toEqual({ cancelled: 1, withdrawn: 1, opened: 1, sent: 2, mayArrive: 0 });
    const told = await world.deliveries.stoppedOf(requestId);
    expect(told).toEqual({ sent: 2, opened: 1, mayArrive: 0 });

    expect(await statusesOf(messages)).toEqual(['pending', 'withdrawn', 'accepted']);
    expect((await world.audited()).at(-1)).toEqual({ action: 'delivery.stopped', details: { deliveries: 1 } });
    await expect(world.deliveries.read(tokenIn(unread))).rejects.toMatchObject(gone);
    expect(await world.deliveries.read(tokenIn(read))).toMatchObject({ senderName: 'Sam Ashworth' });
    const shown = () => world.deliveries.listForOwner(requestId);
    const seen = await shown();
    expect(new Set(seen.map(({ status }) => status))).toEqual(new Set(['cancelled', 'withdrawn', 'accepted']));

    expect(await world.deliveries.finishDue()).toBe(1);
    expect(await statusesOf(messages)).toEqual(['cancelled', 'withdrawn', 'accepted']);
    expect(await shown()).toEqual(seen);
    expect(await world.deliveries.stoppedOf(requestId)).toEqual(told);
  });

  it('opens no letter by a link that got out all the same, neither to look nor to press', async () => {
    const { requestId, unsent } = await releaseThree();
    await world.closeRelease('taken_back');
    await world.halt(requestId);
    await expect(world.deliveries.read(tokenIn(unsent))).rejects.toMatchObject(gone);
    await expect(world.deliveries.attachment(tokenIn(unsent))).rejects.toMatchObject(gone);
    await expect(world.deliveries.recordOpening(tokenIn(unsent))).rejects.toMatchObject(gone);
  });

  it('tells of a letter whose acceptance is heard before the rest is written, as of one that came too late', async () => {
    const { requestId, messages, addresses, unsent } = await releaseThree();
    await world.closeRelease('taken_back');
    await world.halt(requestId);
    await world.end(unsent, 'accepted');
    expect(await statusesOf(messages)).toEqual(['withdrawn', 'withdrawn', 'accepted']);
    expect(world.post.count('delivery.returned', addresses[0] ?? '')).toBe(1);
    await expect(world.deliveries.read(tokenIn(unsent))).rejects.toMatchObject(gone);
  });

  it('does not use its messages up: a later release writes the rest first, and sends them', async () => {
    const { requestId, messages, addresses } = await releaseThree();
    await world.closeRelease('taken_back');
    await world.halt(requestId);
    const [first] = messages;
    if (!first) throw new Error('Three messages were expected.');
    world.clock.advance(1_000);
    const again = await world.newRequest();
    expect(await world.release(again, [first])).toBe(1);
    expect(world.post.waiting('delivery.letter', addresses[0] ?? '')).toMatchObject({ state: 'waiting' });
    expect(await world.deliveries.finishDue(), 'nothing is left').toBe(0);
    expect((await world.deliveryOf(first.id)).requestId).toBe(again);
  });

  it('leaves alone what an earlier release was left to send', async () => {
    const earlier = await world.newRequest();
    const left = await world.newMessage(`left.${earlier}@a.example`);
    await world.release(earlier, [left]);
    const { requestId, messages, unsent } = await releaseThree();
    await world.closeRelease('taken_back');
    await world.halt(requestId);
    await world.deliveries.finishDue();
    expect(await statusesOf([left, ...messages])).toEqual(['pending', 'cancelled', 'withdrawn', 'accepted']);
    expect(world.post.waiting('delivery.letter', `left.${earlier}@a.example`)).toMatchObject({ state: 'waiting' });
    expect(unsent.state).toBe('cancelled');
  });

  it('is written at once where it is undone, for it may go on in the same request', async () => {
    const { requestId, messages } = await releaseThree();
    await world.halt(requestId, false);
    expect(await statusesOf(messages)).toEqual(['cancelled', 'withdrawn', 'accepted']);
    expect(await world.deliveries.finishDue()).toBe(0);
  });
});
