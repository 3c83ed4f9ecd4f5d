import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { createDeliveryWorld, tokenIn } from './delivery.test-world.ts';

const dayMs = 86_400_000;
const gone = { type: 'NOT_FOUND' };

let world: Awaited<ReturnType<typeof createDeliveryWorld>>;
beforeAll(async () => {
  world = await createDeliveryWorld();
});
afterAll(() => world.close());

let home: number;
beforeEach(() => {
  home = (home ?? 0) + 1;
});
/** A mailbox of this test alone. */
const at = (name: string) => `${name}@home${home}.example`;

type Reader = { name: string | null; email: string };
const nell = (): Reader => ({ name: 'Nell', email: at('nell') });
const tom = (): Reader => ({ name: 'Tom', email: at('tom') });

/** Releases these messages in the order given, and gives the request. */
async function release(...messages: { letters: Parameters<typeof world.release>[1] }[]): Promise<string> {
  const requestId = await world.newRequest();
  await world.release(
    requestId,
    messages.flatMap(({ letters }) => letters),
  );
  return requestId;
}

const letterTo = (address: string) => world.post.waiting('delivery.letter', address);
const seedOf = (mail: { messageIdSeed?: string | undefined }) => mail.messageIdSeed;
async function statuses(requestId: string): Promise<string[]> {
  const rows = await world.db.select().from(messageDeliveries).where(eq(messageDeliveries.requestId, requestId));
  return rows.map(({ status }) => status).toSorted();
}

describe('one mail a person', () => {
  it('brings all of their letters, says how many, and leads to the first in the writer’s order', async () => {
    const later = await world.newMessage([nell()], 'Read this last', 9);
    const first = await world.newMessage([{ name: 'NELL', email: at('nell') }], 'Read this first', 2);
    const requestId = await release(first, later);
    const mail = letterTo(at('nell'));
    expect(mail.mail.subject).toBe('Sam Ashworth wrote 2 messages for you');
    expect(mail.mail.text).toMatch(/^Hello NELL,\n/);
    expect(await world.deliveries.read(tokenIn(mail))).toMatchObject({ title: 'Read this first' });
    await world.end(mail, 'accepted');
    expect(await statuses(requestId)).toEqual(['accepted', 'accepted']);
    for (const { id } of [first, later]) expect(await world.statusOfMessage(id)).toMatchObject({ status: 'delivered' });
  });

  it('greets by name, and is one for each name at a shared mailbox', async () => {
    const shared = at('both');
    const message = await world.newMessage([{ name: 'Nell', email: shared }]);
    const other = await world.newMessage([{ name: 'Tom', email: shared }]);
    await release(message, other);
    const mails = world.post.mails.filter((mail) => mail.to.address === shared);
    expect(mails.map((mail) => mail.mail.text.split('\n')[0]).toSorted()).toEqual(['Hello Nell,', 'Hello Tom,']);
    expect(mails.map(({ mail }) => mail.subject)).toEqual(
      Array.from({ length: 2 }, () => 'Sam Ashworth wrote a message for you'),
    );
  });

  it('settles no letter of another person, and a message for two is delivered once both have ended', async () => {
    const message = await world.newMessage([nell(), tom()]);
    const requestId = await release(message);
    await world.end(letterTo(at('nell')), 'accepted');
    const firstAt = await world.clock.now();
    expect(await statuses(requestId)).toEqual(['accepted', 'pending']);
    expect(await world.statusOfMessage(message.id)).toEqual({ status: 'ready', deliveredAt: firstAt });
    world.clock.advance(dayMs);
    await world.end(letterTo(at('tom')), 'bounced');
    expect(await world.statusOfMessage(message.id)).toEqual({ status: 'delivered', deliveredAt: firstAt });
    expect(world.post.count('delivery.unreachable', world.contacts[0]?.email ?? '')).toBeGreaterThan(0);
  });

  it('gives each reader a link of their own, and shows them no letter of another', async () => {
    const both = await world.newMessage([nell(), tom()], 'For both', 1);
    const hers = await world.newMessage([nell()], 'For Nell alone', 2);
    await release(both, hers);
    const [toNell, toTom] = [letterTo(at('nell')), letterTo(at('tom'))];
    for (const mail of [toNell, toTom]) await world.end(mail, 'accepted');
    const seenBy = async (mail: typeof toNell) =>
      (await world.deliveries.read(tokenIn(mail))).letters.map(({ title, position }) => [position, title]);
    expect(await seenBy(toNell)).toEqual([
      [1, 'For both'],
      [2, 'For Nell alone'],
    ]);
    expect(await seenBy(toTom)).toEqual([[1, 'For both']]);
    expect(tokenIn(toNell)).not.toBe(tokenIn(toTom));
    const { letters } = await world.deliveries.read(tokenIn(toNell));
    for (const { token, title } of letters) expect(await world.deliveries.read(token)).toMatchObject({ title });
  });
});

describe('a letter that becomes ready meanwhile', () => {
  it('leaves with an untried mail to the same person', async () => {
    const [first, mended] = [
      await world.newMessage([nell()], 'First', 1),
      await world.newMessage([nell()], 'Mended', 0),
    ];
    const requestId = await release(first);
    const before = letterTo(at('nell'));
    await world.release(requestId, mended.letters);
    expect(before.state).toBe('cancelled');
    const mail = letterTo(at('nell'));
    expect(mail.mail.subject).toContain('2 messages');
    expect(seedOf(mail), 'it is the one mail to this person, as before').toBe(seedOf(before));
    expect(await world.deliveries.read(tokenIn(mail))).toMatchObject({ title: 'Mended' });
    expect(await world.deliveries.read(tokenIn(before)), 'the links stay').toMatchObject({ title: 'First' });
    await world.end(mail, 'accepted');
    expect(await statuses(requestId)).toEqual(['accepted', 'accepted']);
  });

  it('goes by itself once that mail has left, is not on the page before, and is afterwards', async () => {
    const [first, mended] = [await world.newMessage([nell()], 'First'), await world.newMessage([nell()], 'Mended')];
    const requestId = await release(first);
    const before = letterTo(at('nell'));
    await world.end(before, 'accepted');
    await world.release(requestId, mended.letters);
    const mail = letterTo(at('nell'));
    expect(mail.mail.subject).toBe('Sam Ashworth wrote a message for you');
    expect(seedOf(mail)).not.toBe(seedOf(before));
    const titles = async () => (await world.deliveries.read(tokenIn(before))).letters.map(({ title }) => title);
    expect(await titles(), 'it may still be held or taken back').toEqual(['First']);
    await world.end(mail, 'accepted');
    expect((await titles()).toSorted()).toEqual(['First', 'Mended']);
  });

  it('is one mail a person however many at once put letters on their way', async () => {
    const messages = await Promise.all(Array.from({ length: 8 }, () => world.newMessage([nell()])));
    const requestId = await world.newRequest();
    await world.release(requestId, messages[0]?.letters ?? []);
    for (const { letters } of messages.slice(1)) await world.release(requestId, letters);
    expect(letterTo(at('nell')).mail.subject).toContain('8 messages');
    await world.end(letterTo(at('nell')), 'accepted');
    expect(await statuses(requestId)).toEqual(Array.from({ length: 8 }, () => 'accepted'));
  });
});

describe('written again', () => {
  it('after a transaction that was undone it is the same mail with the same link', async () => {
    const message = await world.newMessage([nell()]);
    const requestId = await world.newRequest();
    await expect(
      world.db.transaction(async (tx) => {
        const given = { userId: world.ownerId, requestId, releaseNumber: world.numberOf(requestId), at: new Date(0) };
        await world.deliveries.createFor(tx, { ...given, letters: message.letters });
        await world.post.read(tx);
        throw new Error('The process ends here.');
      }),
    ).rejects.toThrow('The process ends here.');
    const lost = letterTo(at('nell'));
    await world.release(requestId, message.letters);
    const mail = letterTo(at('nell'));
    expect([tokenIn(mail), seedOf(mail)]).toEqual([tokenIn(lost), seedOf(lost)]);
  });

  it('after a restore, when all rows of the release are written again, it is the same too', async () => {
    const message = await world.newMessage([nell()]);
    const requestId = await release(message);
    const before = letterTo(at('nell'));
    await world.forget(requestId);
    await world.release(await world.newRequest(world.numberOf(requestId)), message.letters);
    const mail = letterTo(at('nell'));
    expect([tokenIn(mail), seedOf(mail)]).toEqual([tokenIn(before), seedOf(before)]);
  });

  it('in another release it is another mail with another link', async () => {
    const message = await world.newMessage([nell()]);
    const requestId = await release(message);
    const before = letterTo(at('nell'));
    await world.halt(requestId);
    await release(message);
    const mail = letterTo(at('nell'));
    expect(tokenIn(mail)).not.toBe(tokenIn(before));
    expect(seedOf(mail)).not.toBe(seedOf(before));
  });
});

describe('openings, taking back and refusals', () => {
  it('count by letter', async () => {
    const [read, unread] = [
      await world.newMessage([nell()], 'Read'),
      await world.newMessage([nell(), tom()], 'Unread'),
    ];
    const requestId = await release(read, unread);
    const mail = letterTo(at('nell'));
    await world.end(mail, 'accepted');
    await world.deliveries.recordOpening(tokenIn(mail));
    expect(await world.halt(requestId)).toEqual({ cancelled: 1, mayArrive: 0, withdrawn: 1, opened: 1, sent: 2 });
    expect(await statuses(requestId)).toEqual(['accepted', 'cancelled', 'withdrawn']);
    expect(await world.statusOfMessage(read.id)).toMatchObject({ status: 'delivered' });
    expect(await world.statusOfMessage(unread.id)).toEqual({ status: 'ready', deliveredAt: null });
    const { letters } = await world.deliveries.read(tokenIn(mail));
    expect(letters.map(({ title }) => title)).toEqual(['Read']);
  });

  it('one opening shows that the mail has arrived, with all that is in it', async () => {
    const messages = [await world.newMessage([nell()]), await world.newMessage([nell()])];
    const requestId = await release(...messages);
    const mail = letterTo(at('nell'));
    await world.deliveries.recordOpening(tokenIn(mail));
    expect(mail.state).toBe('cancelled');
    expect(await statuses(requestId)).toEqual(['accepted', 'accepted']);
    const seen = await world.deliveries.listForOwner(requestId);
    expect(seen.filter(({ accessedAt }) => accessedAt)).toHaveLength(1);
  });

  it('a refusal is of every letter in the mail, and contacts hear of it once', async () => {
    const messages = [await world.newMessage([nell()]), await world.newMessage([nell()])];
    const contact = world.contacts[0]?.email ?? '';
    world.clock.advance(dayMs);
    const toldBefore = world.post.count('delivery.unreachable', contact);
    const requestId = await release(...messages);
    await world.end(letterTo(at('nell')), 'bounced');
    expect(await statuses(requestId)).toEqual(['bounced', 'bounced']);
    expect(world.post.count('delivery.unreachable', contact)).toBe(toldBefore + 1);
    const unreached = await world.deliveries.unreached(requestId);
    expect(unreached.map(({ name, address }) => [name, address])).toEqual([
      ['Nell', at('nell')],
      ['Nell', at('nell')],
    ]);
  });
});

describe('another address', () => {
  it('is for one letter of one person; the others keep theirs, and a second one joins the mail that waits', async () => {
    const both = await world.newMessage([nell(), tom()], 'Both');
    const hers = await world.newMessage([nell()], 'Hers');
    const requestId = await release(both, hers);
    await world.end(letterTo(at('nell')), 'bounced');
    await world.end(letterTo(at('tom')), 'accepted');
    const unreached = await world.deliveries.unreached(requestId);
    expect(unreached).toHaveLength(2);
    for (const { deliveryId } of unreached) {
      expect(await world.sendToNewAddress(deliveryId, at('nell-new'))).toBe(true);
    }
    const mail = letterTo(at('nell-new'));
    expect(mail.mail.subject).toContain('2 messages');
    await world.end(mail, 'accepted');
    expect(await world.statusOfMessage(both.id)).toMatchObject({ status: 'delivered' });
    expect(await world.deliveries.unreached(requestId)).toEqual([]);
  });

  it('that is the old one, tried again, has another link: the one before may have been seen by its server', async () => {
    const message = await world.newMessage([nell()]);
    const requestId = await release(message);
    const first = letterTo(at('nell'));
    await world.end(first, 'bounced');
    const [refused] = await world.deliveries.unreached(requestId);
    expect(await world.sendToNewAddress(refused?.deliveryId ?? '', at('nell'))).toBe(true);
    expect(tokenIn(letterTo(at('nell')))).not.toBe(tokenIn(first));
    expect(seedOf(letterTo(at('nell')))).not.toBe(seedOf(first));
  });
});

describe('links that are sent again', () => {
  it('are one mail a person and day, until each letter is opened', async () => {
    const messages = [await world.newMessage([nell()], 'One', 1), await world.newMessage([nell()], 'Two', 2)];
    await release(...messages);
    const mail = letterTo(at('nell'));
    await world.end(mail, 'accepted');
    await world.deliveries.recordOpening(tokenIn(mail));
    world.clock.advance(7 * dayMs);
    while ((await world.deliveries.sendDue(await world.clock.now())) > 0);
    const reminder = world.post.waiting('delivery.reminder', at('nell'));
    expect(reminder.mail.subject).toMatch(/^A message from Sam Ashworth is kept for you until/);
    expect(await world.deliveries.read(tokenIn(reminder)), 'the one that is unopened').toMatchObject({ title: 'Two' });
    await world.deliveries.recordOpening(tokenIn(reminder));
    expect(reminder.state).toBe('cancelled');
    world.clock.advance(16 * dayMs);
    while ((await world.deliveries.sendDue(await world.clock.now())) > 0);
    expect(world.post.count('delivery.reminder', at('nell'))).toBe(1);
  });

  it('say that not all are opened where several are not, and wait while one of them is', async () => {
    const messages = await Promise.all(['One', 'Two', 'Three'].map((title) => world.newMessage([nell()], title)));
    await release(...messages);
    await world.end(letterTo(at('nell')), 'accepted');
    world.clock.advance(7 * dayMs);
    while ((await world.deliveries.sendDue(await world.clock.now())) > 0);
    const reminder = world.post.waiting('delivery.reminder', at('nell'));
    expect(reminder.mail.text.replace(/\s+/g, ' ')).toContain('Not all of them have been opened yet.');
    await world.deliveries.recordOpening(tokenIn(reminder));
    expect(reminder.state, 'what it says is still true').toBe('waiting');
  });

  it('come back for all letters of a person that have expired, at the asking for one', async () => {
    const messages = [await world.newMessage([nell()], 'One', 1), await world.newMessage([nell()], 'Two', 2)];
    await release(...messages);
    await world.end(letterTo(at('nell')), 'accepted');
    const token = tokenIn(world.post.mails.findLast(({ to }) => to.address === at('nell')) ?? { mail: { text: '' } });
    const { letters } = await world.deliveries.read(token);
    world.clock.advance(31 * dayMs);
    await expect(world.deliveries.read(token)).rejects.toMatchObject(gone);
    await world.deliveries.renew(letters[1]?.token ?? '');
    await world.deliveries.renew(letters[0]?.token ?? '');
    const mail = world.post.waiting('delivery.renewal', at('nell'));
    expect(mail.mail.subject).toBe('Your new link to the messages from Sam Ashworth');
    await world.end(mail, 'accepted');
    for (const letter of letters)
      expect(await world.deliveries.read(letter.token)).toMatchObject({ title: letter.title });
  });
});
