import { inArray } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newToken } from '#server/platform/crypto/token.ts';
import { fillDays } from '#server/platform/mail/mail-day.ts';
import { messages } from '#server/schema/messages.tables.ts';
import { createDeliveryWorld, tokenIn } from './delivery.test-world.ts';

const dayMs = 86_400_000;
const gone = { type: 'NOT_FOUND', message: 'This message may have expired or been removed.' };

let world: Awaited<ReturnType<typeof createDeliveryWorld>>;

beforeAll(async () => {
  world = await createDeliveryWorld();
});
afterAll(() => world.close());

async function deliver(address: string) {
  const message = await world.newMessage(address);
  await world.release(await world.newRequest(), [message]);
  const mail = world.post.waiting('delivery.letter', address);
  await world.end(mail, 'accepted');
  return { message, token: tokenIn(mail), deliveredAt: await world.clock.now() };
}

describe('reading a letter', () => {
  it('shows the envelope, its writer and its dates, and records nothing however often it is followed', async () => {
    const { message, token, deliveredAt } = await deliver('reader@a.example');
    const before = await world.deliveryOf(message.id);
    const keptUntil = new Date(deliveredAt.getTime() + 30 * dayMs);
    const alone = { position: 1, sealed: false, enclosures: 0, openedAt: null };
    for (let visit = 0; visit < 5; visit += 1) {
      expect(await world.deliveries.read(token)).toEqual({
        title: 'For Nell, when it is time',
        content: '',
        encryptedContent: null,
        createdAt: new Date('2026-03-02T10:00:00Z'),
        deliveredAt,
        expiresAt: keptUntil,
        senderName: 'Sam Ashworth',
        recipientName: null,
        openedAt: null,
        enclosures: [],
        attachment: null,
        alsoFor: [],
        letters: [{ token, title: 'For Nell, when it is time', ...alone, keptUntil }],
        all: { letters: 1, opened: 0 },
      });
    }
    await expect(world.deliveries.attachment(token)).rejects.toMatchObject({ type: 'CONFLICT' });
    expect(await world.deliveryOf(message.id)).toEqual(before);
  });

  it('shows words, file and other readers once its envelope was pressed', async () => {
    const { token } = await deliver('presser@a.example');
    await world.deliveries.recordOpening(token);
    expect(await world.deliveries.read(token)).toMatchObject({
      content: 'Dear Nell,\n\nPut the kettle on first.',
      attachment: { name: 'map.pdf', sizeBytes: 7, mimeType: 'application/pdf', pictureSize: null, transcript: '' },
      openedAt: await world.clock.now(),
    });
  });

  it('answers an unknown link as one that has expired', async () => {
    const { token } = await deliver('expired@a.example');
    world.clock.advance(30 * dayMs - 1);
    expect(await world.deliveries.read(token)).toMatchObject({ senderName: 'Sam Ashworth' });
    world.clock.advance(1);
    await expect(world.deliveries.read(token)).rejects.toMatchObject(gone);
    await expect(world.deliveries.attachment(token)).rejects.toMatchObject(gone);
    await expect(world.deliveries.recordOpening(token)).rejects.toMatchObject(gone);
    await expect(world.deliveries.read(newToken())).rejects.toMatchObject(gone);
  });

  it('works although the word of the mail server has not reached us, and counts that as delivered once opened', async () => {
    const message = await world.newMessage('fast@a.example');
    const requestId = await world.newRequest();
    await world.release(requestId, [message]);
    const mail = world.post.waiting('delivery.letter', 'fast@a.example');

    expect(await world.deliveries.read(tokenIn(mail))).toMatchObject({ deliveredAt: await world.clock.now() });
    expect(await world.statusOfMessage(message.id)).toMatchObject({ status: 'ready' });

    await world.deliveries.recordOpening(tokenIn(mail));
    const opened = await world.deliveryOf(message.id);
    expect(opened).toMatchObject({ status: 'accepted', deliveredAt: await world.clock.now() });
    expect(await world.statusOfMessage(message.id)).toMatchObject({ status: 'delivered' });
    expect(mail.state).toBe('cancelled');

    world.clock.advance(60_000);
    await world.end(mail, 'accepted');
    expect(await world.deliveryOf(message.id)).toEqual(opened);
  });
});

describe('opening a letter', () => {
  it('is recorded the first time, also when twenty presses arrive at once', async () => {
    const { message, token } = await deliver('opener@a.example');
    const openings = async () => (await world.audited()).filter(({ action }) => action === 'delivery.opened').length;
    const before = await openings();
    const openedAt = await world.clock.now();
    await Promise.all(Array.from({ length: 20 }, () => world.deliveries.recordOpening(token)));
    world.clock.advance(dayMs);
    await world.deliveries.recordOpening(token);

    expect((await world.deliveryOf(message.id)).accessedAt).toEqual(openedAt);
    expect(await openings()).toBe(before + 1);
  });
});

describe('a letter that is damaged', () => {
  it('is not opened by a press, and keeps no other letter of the person from opening', async () => {
    const [first, second] = [
      await world.newMessage('three@a.example', 'First'),
      await world.newMessage('three@a.example', 'Second', 2),
    ];
    await world.release(await world.newRequest(), [first, second]);
    const mail = world.post.waiting('delivery.letter', 'three@a.example');
    await world.end(mail, 'accepted');
    const repair = await world.damage(first.id);
    const token = tokenIn(mail);
    expect(await world.deliveries.read(token)).toMatchObject({
      isDamaged: true,
      content: '',
      letters: [{}, { title: 'Second' }],
    });
    await world.deliveries.recordOpening(token);
    expect((await world.deliveryOf(first.id)).accessedAt).toBeNull();

    await repair();
    await world.deliveries.recordOpening(token);
    expect(await world.deliveries.read(token)).toMatchObject({ openedAt: await world.clock.now() });
  });
});

describe('asking for a new link', () => {
  it('sends the same link to the same address, once a day, and gives thirty days from its acceptance', async () => {
    const { message, token } = await deliver('renew@a.example');
    world.clock.advance(40 * dayMs);
    await world.deliveries.renew(token);
    await world.deliveries.renew(token);
    expect(world.post.count('delivery.renewal', 'renew@a.example')).toBe(1);
    await expect(world.deliveries.read(token)).rejects.toMatchObject(gone);

    const mail = world.post.waiting('delivery.renewal', 'renew@a.example');
    expect(tokenIn(mail)).toBe(token);
    await world.end(mail, 'accepted');
    const now = (await world.clock.now()).getTime();
    expect((await world.deliveryOf(message.id)).expiresAt).toEqual(new Date(now + 30 * dayMs));
    expect(await world.deliveries.read(token)).toMatchObject({ title: 'For Nell, when it is time' });

    world.clock.advance(31 * dayMs);
    await world.deliveries.renew(token);
    expect(world.post.count('delivery.renewal', 'renew@a.example')).toBe(2);
  });

  it('says and does nothing for links that are unknown, alive or withdrawn', async () => {
    const alive = await deliver('alive@a.example');
    const message = await world.newMessage('withdrawn@a.example');
    const requestId = await world.newRequest();
    await world.release(requestId, [message]);
    const mail = world.post.waiting('delivery.letter', 'withdrawn@a.example');
    await world.end(mail, 'accepted');
    await world.halt(requestId);

    for (const token of [newToken(), alive.token, tokenIn(mail)]) {
      expect(await world.deliveries.renew(token)).toBeUndefined();
    }
    expect(
      world.post.mails.filter(({ kind, to }) => kind === 'delivery.renewal' && to.address !== 'renew@a.example'),
    ).toEqual([]);
  });

  it('writes no second mail while the first one waits, on whatever day it is asked for', async () => {
    const { token } = await deliver('held@a.example');
    world.clock.advance(40 * dayMs);
    await world.deliveries.renew(token);
    world.clock.advance(3 * dayMs);
    await world.deliveries.renew(token);
    expect(world.post.count('delivery.renewal', 'held@a.example')).toBe(1);
  });
});

describe('a letter whose address a contact gave us', () => {
  /** As a reader sees it: lines are wrapped wherever they end. */
  const wordsOf = (kind: string, address: string) => world.post.waiting(kind, address).mail.text.replace(/\s+/g, ' ');
  const byContact = 'Nobody could be reached at the address we had, so a trusted contact of Sam gave us this one.';
  const byOwner = 'Sam Ashworth gave Everkept your address for this message';

  it('says so in its mail, its reminder and its new link', async () => {
    const [refused, address] = ['refused@a.example', 'proposed@a.example'];
    const message = await world.newMessage(refused);
    await world.release(await world.newRequest(), [message]);
    expect(wordsOf('delivery.letter', refused)).toContain(byOwner);
    await world.end(world.post.waiting('delivery.letter', refused), 'bounced');

    const { id: deliveryId } = await world.deliveryOf(message.id);
    await world.sendToNewAddress(deliveryId, address);
    const said = [wordsOf('delivery.letter', address)];
    const mail = world.post.waiting('delivery.letter', address);
    await world.end(mail, 'accepted');
    world.clock.advance(7 * dayMs);
    await world.deliveries.sendDue(await world.clock.now());
    said.push(wordsOf('delivery.reminder', address));
    world.clock.advance(40 * dayMs);
    await world.deliveries.renew(tokenIn(mail));
    said.push(wordsOf('delivery.renewal', address));

    for (const words of said) {
      expect(words).toContain(byContact);
      expect(words).not.toContain(byOwner);
    }
  });

  it('names the day until which letters are kept, counted from the moment at which the mail leaves', async () => {
    const address = 'until@a.example';
    await world.release(await world.newRequest(), [await world.newMessage(address)]);
    const mail = world.post.waiting('delivery.letter', address);
    const leavesAt = new Date((await world.clock.now()).getTime() + 3 * dayMs);
    const until = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Europe/London' }).format(
      new Date(leavesAt.getTime() + 30 * dayMs),
    );
    for (const part of [mail.mail.text, mail.mail.html]) {
      expect(fillDays(part, leavesAt).replace(/\s+/g, ' ')).toContain(`It stays there until ${until}.`);
      expect(part).not.toContain('30 days');
    }
    await world.end(mail, 'accepted');
    world.clock.advance(31 * dayMs);
    await world.deliveries.renew(tokenIn(mail));
    const renewed = world.post.waiting('delivery.renewal', address).mail.text;
    expect(fillDays(renewed, await world.clock.now())).toMatch(/It stays there until \d+ \w+ \d{4}\./);
  });

  it('says that the page asks for words only if a letter is sealed', async () => {
    const address = 'sealed@a.example';
    await world.release(await world.newRequest(), [await world.newMessage(address)]);
    expect(wordsOf('delivery.letter', address)).not.toMatch(/sealed|no password/);

    const sealed = [await world.newMessage('one@a.example'), await world.newMessage('two@a.example')];
    const open = await world.newMessage('two@a.example');
    const ids = sealed.map(({ id }) => id);
    await world.db.update(messages).set({ encryptedContent: 'sealed' }).where(inArray(messages.id, ids));
    await world.release(await world.newRequest(), [...sealed, open]);
    const words = 'sealed with words that only you would know. The page asks for them.';
    expect(wordsOf('delivery.letter', 'one@a.example')).toContain(`It is ${words}`);
    expect(wordsOf('delivery.letter', 'two@a.example')).toContain(`One of them is ${words}`);
  });
});
