import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeliveryWorld, operator, tokenIn } from './delivery.test-world.ts';
import { endedListenersOf } from './outcomes.ts';

const dayMs = 86_400_000;
const gone = { type: 'NOT_FOUND', message: 'This message may have expired or been removed.' };

let world: Awaited<ReturnType<typeof createDeliveryWorld>>;
let ended: string[];

beforeAll(async () => {
  world = await createDeliveryWorld();
  endedListenersOf(world.app).push(async (_tx, { requestId }) => void ended.push(requestId));
  ended = [];
});
afterAll(() => world.close());

/** Sends one message; `accept` makes the mail server accept it. */
async function sendOne(address: string) {
  const requestId = await world.newRequest();
  const message = await world.newMessage(address);
  await world.release(requestId, [message]);
  const mail = world.post.waiting('delivery.letter', address);
  return { requestId, message, mail, token: tokenIn(mail), accept: () => world.end(mail, 'accepted') };
}

describe('creating deliveries', () => {
  it('writes one row and one mail for each message, and repeats neither', async () => {
    const requestId = await world.newRequest();
    const released = [await world.newMessage('nell@a.example'), await world.newMessage('otto@a.example')];

    expect(await world.release(requestId, released)).toBe(2);
    expect(await world.release(requestId, released)).toBe(0);
    expect(world.post.count('delivery.letter', 'nell@a.example')).toBe(1);
    expect(world.post.count('delivery.letter', 'otto@a.example')).toBe(1);
  });

  it('creates one delivery when two workers release the same message at once', async () => {
    const requestId = await world.newRequest();
    const message = await world.newMessage('twice@a.example');
    const created = await Promise.all([world.release(requestId, [message]), world.release(requestId, [message])]);
    expect(created.sort()).toEqual([0, 1]);
    expect(world.post.count('delivery.letter', 'twice@a.example')).toBe(1);
  });

  it('keeps the address sealed and the link as a hash, both bound to the delivery', async () => {
    const { message, token } = await sendOne('sealed@a.example');
    const row = await world.deliveryOf(message.id);
    expect(row.recipientEmail).not.toContain('sealed');
    expect(
      world.vault.unseal({ table: 'message_deliveries', column: 'recipient_email', rowId: row.id }, row.recipientEmail),
    ).toBe('sealed@a.example');
    expect(row.deliveryToken).toBe(world.keys.hashToken(token));
    const identity = [world.ownerId, message.id, 'sealed@a.example', row.releaseNumber, 0];
    expect(token).toBe(world.keys.derive('delivery-link', JSON.stringify(identity)));
  });

  it('sends a mail that names the sender and holds a link, and nothing of the letter', async () => {
    const { mail } = await sendOne('words@a.example');
    expect(mail.mail.subject).toBe('Sam Ashworth wrote a message for you');
    expect(mail.policy).toBe('patient');
    expect(mail.messageIdSeed).toMatch(/^[\w-]{43}$/);
    for (const part of [mail.mail.subject, mail.mail.text, mail.mail.html]) {
      expect(part).not.toContain('when it is time');
      expect(part).not.toContain('kettle');
    }
    // Words are wrapped to lines, wherever those end.
    const words = mail.mail.text.replace(/\s+/g, ' ');
    expect(words).toContain('on 0808 808 1677. In Scotland, it is Cruse Scotland, 0808 802 6161.');
  });
});

describe('acceptance by the mail server', () => {
  it('delivers the message at that moment and not before, for thirty days', async () => {
    const { message, requestId, accept } = await sendOne('accepted@a.example');
    expect(await world.statusOfMessage(message.id)).toEqual({ status: 'ready', deliveredAt: null });
    expect(ended).not.toContain(requestId);

    world.clock.advance(3_600_000);
    const at = await world.clock.now();
    await accept();
    expect(await world.statusOfMessage(message.id)).toEqual({ status: 'delivered', deliveredAt: at });
    expect(await world.deliveryOf(message.id)).toMatchObject({
      status: 'accepted',
      deliveredAt: at,
      expiresAt: new Date(at.getTime() + 30 * dayMs),
    });
  });

  it('tells the listeners once, after the last delivery of the release has ended', async () => {
    const requestId = await world.newRequest();
    await world.release(requestId, [
      await world.newMessage('last1@a.example'),
      await world.newMessage('last2@a.example'),
    ]);
    const first = world.post.waiting('delivery.letter', 'last1@a.example');
    const second = world.post.waiting('delivery.letter', 'last2@a.example');

    await world.end(first, 'accepted');
    expect(ended).not.toContain(requestId);
    await world.end(second, 'dead');
    await world.end(second, 'accepted');
    expect(ended.filter((id) => id === requestId)).toHaveLength(1);
    const shown = await world.deliveries.listForOwner(requestId);
    expect(shown.map(({ status }) => status).toSorted()).toEqual(['accepted', 'bounced']);
  });
});

describe('a permanently refused mail', () => {
  it('is recorded, keeps the message, and tells every contact without a word of it', async () => {
    const { message, mail } = await sendOne('refused@a.example');
    await world.end(mail, 'bounced');

    expect(await world.deliveryOf(message.id)).toMatchObject({ status: 'bounced', deliveredAt: null });
    expect(await world.statusOfMessage(message.id)).toMatchObject({ status: 'ready' });
    const toPriya = world.post.mails.findLast((sent) => sent.kind === 'delivery.unreachable');
    expect(toPriya?.policy, 'who never reads it can bring the letter to nobody').toBe('patient');
    expect(world.post.mails.filter((sent) => sent.subjectId === toPriya?.subjectId)).toHaveLength(2);
    expect(toPriya?.mail.text).not.toMatch(/refused@|when it is time|kettle/);
    await expect(world.deliveries.read(tokenIn(mail))).rejects.toMatchObject(gone);
  });

  it('has the same notice after its tries ran out: about the address it says only that it did not accept our email', async () => {
    const { mail, requestId } = await sendOne('busy@a.example');
    await world.end(mail, 'dead');
    const told = world.post.mails.filter(({ subjectId }) => subjectId === requestId);
    const words = told.map((each) => each.mail.text.replace(/\s+/g, ' '));
    expect(words).toHaveLength(2);
    for (const each of words) {
      expect(each).toContain('the last address we had did not accept our email. It is kept.');
      expect(each).toContain('If Sam let you see whom it is for, you can propose another address.');
    }
  });

  it('is reported to the operator if the owner has no contact, once a day, without the owner’s words or the address', async () => {
    await world.setContacts(false);
    const requestId = await world.newRequest();
    const letters = ['alone1@a.example', 'alone2@a.example'];
    await world.release(requestId, await Promise.all(letters.map((address) => world.newMessage(address))));
    for (const address of letters) await world.end(world.post.waiting('delivery.letter', address), 'bounced');
    await world.setContacts(true);

    const told = world.post.mails.filter(({ subjectId }) => subjectId === requestId);
    expect(told.map(({ kind, to }) => [kind, to.address])).toEqual([['operator.nobody-to-ask', operator]]);
    expect(told[0]?.mail.text).toContain('sam@ashworth.example');
    expect(JSON.stringify(told[0]?.mail)).not.toMatch(/alone|when it is time|kettle/);
  });

  it('is reported to the operator if no contact accepted the mail that asks for another address, and only then', async () => {
    const { mail, requestId } = await sendOne('unheard@a.example');
    await world.end(mail, 'bounced');
    const [toPriya, toTom] = world.post.mails.filter(
      (each) => each.subjectId === requestId && each.kind === 'delivery.unreachable',
    );
    if (!toPriya || !toTom) throw new Error('Both contacts are asked.');
    const toOperator = () =>
      world.post.mails.filter(({ to, subjectId }) => to.address === operator && subjectId === requestId);
    await world.end(toPriya, 'bounced');
    expect(toOperator(), 'the other contact is still tried').toEqual([]);
    await world.end(toTom, 'dead');
    expect(toOperator()).toHaveLength(1);
    expect(toOperator()[0]?.mail.text.replace(/\s+/g, ' ')).toContain('None of their mailboxes accepted our email.');
  });

  it('is not told to the operator if one contact accepted the mail', async () => {
    const { mail, requestId } = await sendOne('heard@a.example');
    await world.end(mail, 'bounced');
    const asked = world.post.mails.filter(
      (each) => each.subjectId === requestId && each.kind === 'delivery.unreachable',
    );
    for (const [index, each] of asked.entries()) await world.end(each, index === 0 ? 'accepted' : 'bounced');
    expect(world.post.mails.filter(({ to, subjectId }) => to.address === operator && subjectId === requestId)).toEqual(
      [],
    );
  });

  it('leaves the message free for a later release, but is not sent again in its own', async () => {
    const { message, mail, requestId } = await sendOne('later@a.example');
    await world.end(mail, 'bounced');
    expect(await world.release(requestId, [message])).toBe(0);
    expect(await world.release(await world.newRequest(), [message])).toBe(1);
  });
});

describe('the return of the owner', () => {
  it('cancels unsent letters, withdraws unopened ones, and leaves opened ones', async () => {
    const requestId = await world.newRequest();
    const unsent = await world.newMessage('unsent@a.example');
    const unread = await world.newMessage('unread@a.example');
    const read = await world.newMessage('read@a.example');
    await world.release(requestId, [unsent, unread, read]);
    const [mailUnsent, mailUnread, mailRead] = ['unsent', 'unread', 'read'].map((name) =>
      world.post.waiting('delivery.letter', `${name}@a.example`),
    );
    if (!mailUnsent || !mailUnread || !mailRead) throw new Error('Three mails were expected.');
    await world.end(mailUnread, 'accepted');
    await world.end(mailRead, 'accepted');
    await world.deliveries.recordOpening(tokenIn(mailRead));

    expect(await world.halt(requestId)).toEqual({ cancelled: 1, withdrawn: 1, opened: 1, sent: 2, mayArrive: 0 });
    expect(mailUnsent.state).toBe('cancelled');
    await expect(world.deliveries.read(tokenIn(mailUnsent))).rejects.toMatchObject(gone);
    await expect(world.deliveries.read(tokenIn(mailUnread))).rejects.toMatchObject(gone);
    await expect(world.deliveries.recordOpening(tokenIn(mailUnread))).rejects.toMatchObject(gone);
    expect(await world.deliveries.read(tokenIn(mailRead))).toMatchObject({ senderName: 'Sam Ashworth' });

    const seen = (await world.deliveries.listForOwner(requestId)).filter(({ messageId }) =>
      [unsent, unread, read].some(({ id }) => id === messageId),
    );
    expect(Object.fromEntries(seen.map(({ messageId, status }) => [messageId, status]))).toEqual({
      [unsent.id]: 'cancelled',
      [unread.id]: 'withdrawn',
      [read.id]: 'accepted',
    });
    expect(await world.statusOfMessage(unread.id)).toEqual({ status: 'ready', deliveredAt: null });
    expect(await world.statusOfMessage(read.id)).toMatchObject({ status: 'delivered' });
  });

  it('leaves a dead link where the mail server took the mail in the same moment, and the message undelivered', async () => {
    const { message, mail, requestId } = await sendOne('race@a.example');
    await world.closeRelease('taken_back');
    await world.halt(requestId);
    await world.end(mail, 'accepted');
    expect((await world.deliveryOf(message.id)).status).toBe('withdrawn');
    expect(await world.statusOfMessage(message.id)).toMatchObject({ status: 'ready' });
    await expect(world.deliveries.read(tokenIn(mail))).rejects.toMatchObject(gone);
  });

  it('does not use a message up: a later release sends it with a new link', async () => {
    const { message, token, requestId } = await sendOne('again@a.example');
    await world.halt(requestId);
    expect(await world.release(await world.newRequest(), [message])).toBe(1);
    const mail = world.post.waiting('delivery.letter', 'again@a.example');
    expect(tokenIn(mail)).not.toBe(token);
  });
});

describe('a release that is undone before anything has left', () => {
  it('leaves its messages ready, and can put them on their way again in the same request', async () => {
    const { message, mail, token, requestId } = await sendOne('undone@a.example');
    expect(await world.halt(requestId, false)).toMatchObject({ cancelled: 1, sent: 0 });
    expect(mail.state).toBe('cancelled');
    expect(await world.statusOfMessage(message.id)).toMatchObject({ status: 'ready' });
    await expect(world.deliveries.read(token)).rejects.toMatchObject(gone);

    expect(await world.release(requestId, [message])).toBe(1);
    expect(await world.release(requestId, [message]), 'and once').toBe(0);
    const seen = await world.deliveries.listForOwner(requestId);
    expect(seen.map(({ messageId, status }) => [messageId, status])).toEqual([[message.id, 'pending']]);
    await world.end(world.post.waiting('delivery.letter', 'undone@a.example'), 'accepted');
    expect(await world.statusOfMessage(message.id)).toMatchObject({ status: 'delivered' });
  });

  it('says of one that was just being handed over that it came too early, and still sends it when it is time', async () => {
    const { message, mail, requestId } = await sendOne('early@a.example');
    await world.halt(requestId, false);
    await world.release(requestId, [message]);
    const again = world.post.waiting('delivery.letter', 'early@a.example');
    await world.end(mail, 'accepted');
    const told = world.post.waiting('delivery.returned', 'early@a.example').mail;
    expect(told.subject).toBe('Our earlier email about a message from Sam Ashworth came too early');
    expect(told.text).not.toMatch(/has answered us|is back/);
    const toContact = world.post.mails.findLast((sent) => sent.kind === 'delivery.arrived-late' && sent.contactId);
    expect(toContact?.mail.subject).toBe('An email about a message from Sam Ashworth arrived all the same');
    await world.end(again, 'accepted');
    const statuses = await world.deliveries.listForOwner(requestId);
    expect(statuses.map(({ status }) => status)).toEqual(['accepted']);
  });
});

describe('an address that has refused a letter', () => {
  it('can be tried again, and is still the one that the owner gave', async () => {
    const { message, mail } = await sendOne('again.right@a.example');
    await world.end(mail, 'bounced');
    const { id } = await world.deliveryOf(message.id);
    expect(await world.sendToNewAddress(id, 'again.right@a.example')).toBe(true);
    const second = world.post.waiting('delivery.letter', 'again.right@a.example');
    expect(second.mail.text.replace(/\s+/g, ' ')).toContain('Sam Ashworth gave Everkept your address for this message');
    await world.end(second, 'accepted');
    expect(await world.statusOfMessage(message.id)).toMatchObject({ status: 'delivered' });
  });

  it('gets one more mail while another one waits for its day, and the letter has arrived if it accepts that mail', async () => {
    const { message, mail, token, requestId } = await sendOne('once.more@a.example');
    await world.end(mail, 'bounced');
    const { id: deliveryId } = await world.deliveryOf(message.id);
    const at = await world.clock.now();
    const sendsAt = new Date(at.getTime() + 7 * dayMs);
    await world.tryOnceMore(deliveryId, 'one', sendsAt);
    const told = world.post.waiting('delivery.renewal', 'once.more@a.example');
    expect(told.mail.text).toContain('told us another address of yours');
    await expect(world.deliveries.read(token)).rejects.toMatchObject(gone);
    await world.end(told, 'accepted');
    expect(await world.deliveryOf(message.id)).toMatchObject({ status: 'accepted', deliveredAt: at, remindersSent: 0 });
    expect(await world.deliveries.read(token)).toMatchObject({ senderName: 'Sam Ashworth' });
    expect(await world.deliveries.unreached(requestId)).toEqual([]);
  });

  it('opens nothing where it takes the letter after its owner has come back, and says so', async () => {
    const { message, mail, token, requestId } = await sendOne('too.late@a.example');
    await world.end(mail, 'bounced');
    const { id: deliveryId } = await world.deliveryOf(message.id);
    await world.tryOnceMore(deliveryId, 'two', await world.clock.now());
    const told = world.post.waiting('delivery.renewal', 'too.late@a.example');
    await world.closeRelease('taken_back');
    await world.halt(requestId);
    expect(told.state).toBe('cancelled');
    await world.end(told, 'accepted');
    expect((await world.deliveryOf(message.id)).status).toBe('withdrawn');
    await expect(world.deliveries.read(token)).rejects.toMatchObject(gone);
    expect(world.post.waiting('delivery.returned', 'too.late@a.example').mail.text).toContain(
      'somebody has answered us as Sam',
    );
  });
});

describe('reminders', () => {
  it('go out on day 7 and day 23 with the same link, once each', async () => {
    const { token, accept } = await sendOne('slow@a.example');
    await accept();
    const reminders = () => world.post.count('delivery.reminder', 'slow@a.example');
    const remindersAfter = async (days: number) => {
      world.clock.advance(days * dayMs);
      const at = await world.clock.now();
      while ((await world.deliveries.sendDue(at)) > 0);
      return reminders();
    };

    expect(await remindersAfter(6.9)).toBe(0);
    expect(await remindersAfter(0.1)).toBe(1);
    expect(await remindersAfter(0)).toBe(1);
    expect(await remindersAfter(15.9)).toBe(1);
    expect(await remindersAfter(0.1)).toBe(2);
    expect(await remindersAfter(3)).toBe(2);
    const links = world.post.mails.filter((mail) => mail.to.address === 'slow@a.example').map(tokenIn);
    expect(new Set(links)).toEqual(new Set([token]));
  });

  it('are not sent once the letter was opened', async () => {
    const { token, accept } = await sendOne('quick@a.example');
    await accept();
    await world.deliveries.recordOpening(token);
    world.clock.advance(8 * dayMs);
    await world.deliveries.sendDue(await world.clock.now());
    expect(world.post.count('delivery.reminder', 'quick@a.example')).toBe(0);
  });
});
