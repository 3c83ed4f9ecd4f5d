import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { verifyAudit } from '#server/features/audit/audit.ts';
import { openEnvelope } from '#server/features/delivery/letter-page.ts';
import { readLetter } from '#server/features/delivery/read-letter.ts';
import { createMessage } from '#server/features/messages/messages.ts';
import {
  createReleaseWorld,
  type Friend,
  nowhere,
  type Owner,
  type ReleaseWorld,
} from '#server/features/release/release.test-world.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { addressProposals } from '#server/schema/new-address.tables.ts';
import { newAddressSchema } from '#shared/contract/release/new-address.ts';
import { answerByLink, proposeByLink, readNewAddress } from './new-address.ts';
import { retryRefused } from './new-address-retry.ts';

const old = 'nell@old.example';
const address = 'nell@new.example';
const reason = 'She wrote to me from it last week.';
const operator = 'operator@everkept.example';
const dead = { type: 'NOT_FOUND', message: 'Invalid or expired access token' };

let world: ReleaseWorld;
beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());
beforeEach(() => {
  world.mailer.answer(({ to }) =>
    to.address.endsWith('@old.example') ? { outcome: 'refused', replyCode: 550 } : { outcome: 'accepted' },
  );
});
afterEach(async () => {
  await world.clear();
  expect(world.logged.splice(0)).toEqual([]);
});

type Life = { owner: Owner; friends: Friend[] };

/** A release whose one visible letter was refused; the contacts have been notified. */
async function refusedFor(names: string[], settings: Parameters<ReleaseWorld['newOwner']>[0] = {}): Promise<Life> {
  const owner = await world.newOwner({ releaseMethod: 'trusted_contact', ...settings });
  const friends: Friend[] = [];
  for (const name of names) friends.push(await world.befriend(owner, name));
  await world.write(owner, old);
  await releaseEarly(owner, friends);
  // Its mailbox refused it, and it is still tried there.
  expect(await world.deliveriesOf(owner)).toMatchObject([{ status: 'pending', refusedAt: expect.any(Date) }]);
  return { owner, friends };
}

/** An emergency saves three months of waiting; five days later every refusal is final. */
async function releaseEarly(owner: Owner, [first]: Friend[]): Promise<void> {
  if (!first) throw new Error('Somebody has to ask.');
  await world.live(4);
  const request = { ownerId: owner.userId, contactId: first.id, origin: nowhere };
  expect(await world.releases.requestEmergency(request)).toBeNull();
  await world.live(0.1);
  await world.answer(first, true);
  await world.live(5);
}

const tokenOf = (friend: Friend) => world.linkIn(friend.email, '/new-address/');
const read = (friend: Friend) => readNewAddress(world.app, tokenOf(friend));
async function letterOf(friend: Friend) {
  const [letter] = (await read(friend)).letters;
  if (!letter) throw new Error('No letter is shown.');
  return letter;
}
async function propose(friend: Friend, to = address) {
  const { id: letterId } = await letterOf(friend);
  return proposeByLink(world.app, { token: tokenOf(friend), letterId, address: to, reason, origin: nowhere });
}
async function answer(friend: Friend, agrees: boolean, to = address) {
  const { id: letterId } = await letterOf(friend);
  return answerByLink(world.app, { token: tokenOf(friend), letterId, address: to, agrees, origin: nowhere });
}
const lettersTo = (to: string) =>
  world.mailer.sent.filter((mail) => mail.to.address === to && mail.text.includes('/message/'));
const proposalsOf = ({ userId }: Owner) =>
  world.db.select().from(addressProposals).where(eq(addressProposals.userId, userId));

describe('a letter that an address refused', () => {
  test('goes to another one when two contacts agree: with a new link, once, and with a notice to the owner each time', async () => {
    const { owner, friends } = await refusedFor(['Priya', 'Tom']);
    const [priya, tom] = friends as [Friend, Friend];
    const page = await propose(priya);
    expect(() => newAddressSchema.encode(page)).not.toThrow();
    expect(page).toMatchObject({
      needsAgreement: true,
      otherContactNames: ['Tom'],
      letters: [
        {
          title: 'For Nell',
          recipientEmail: old,
          state: 'refused',
          proposal: { address, isYours: true, canBeAgreed: true },
        },
      ],
      furtherLetterCount: 0,
      privateLetterCount: 0,
    });
    await world.live(1);
    expect(lettersTo(address)).toEqual([]);
    expect(world.subjects(tom.email)).toContain('Sam Ashworth: do you know this new address?');
    expect(world.subjects(owner.email)).toContain('Sam, a message of yours may go to another address');

    const shown = { address, reason, byName: 'Priya', isYours: false, canBeAgreed: true, sendsAt: expect.any(Date) };
    expect((await letterOf(tom)).proposal).toEqual({ ...shown, isUnderReview: false });
    expect(await answer(tom, true)).toMatchObject({ letters: [{ state: 'on_its_way', recipientEmail: address }] });
    await expect(answer(tom, true)).rejects.toMatchObject({ type: 'CONFLICT' });
    await world.live(2);

    const rows = await world.deliveriesOf(owner);
    expect(rows.map(({ status }) => status).toSorted()).toEqual(['accepted', 'bounced']);
    const [refused, sent] = rows.toSorted((one, other) => one.status.localeCompare(other.status)).toReversed();
    expect(sent).toMatchObject({ replacesDeliveryId: refused?.id });
    expect(lettersTo(address)).toHaveLength(1);
    const token = world.linkIn(address, '/message/');
    await openEnvelope(world.app, token);
    expect(await readLetter(world.app, token)).toMatchObject({ content: 'Put the kettle on first.' });
    expect((await read(tom)).letters).toEqual([]);
    expect(world.subjects(owner.email)).toContain('A message of yours is sent to another address');
    // The release stays as it was, and tells of each message once.
    expect((await world.requestOf(owner)).doneAt).not.toBeNull();
    expect((await world.ownersRelease.overview(owner.userId)).deliveries).toMatchObject([{ status: 'accepted' }]);
    const actions = await world.auditOf(owner);
    expect(actions.filter((action) => /address|redirected/.test(action))).toEqual([
      'release.address_proposed',
      'release.address_agreed',
      'delivery.redirected',
    ]);
    const logged = await world.db.select({ details: auditLogs.details }).from(auditLogs);
    expect(JSON.stringify(logged)).not.toContain('@new.example');
    expect(JSON.stringify(await proposalsOf(owner))).not.toMatch(/nell@|last week/);
    expect(await verifyAudit(world.app)).toMatchObject({ ok: true });
  });

  test('and then refused at the new address too causes another notice, and a third address can be proposed', async () => {
    const { owner, friends } = await refusedFor(['Priya', 'Tom']);
    const [priya, tom] = friends as [Friend, Friend];
    const toldBefore = world.subjects(tom.email).filter((subject) => subject.startsWith('We could not reach')).length;
    await propose(priya, 'second@old.example');
    await propose(tom, 'second@old.example');
    await world.live(5);
    expect((await world.deliveriesOf(owner)).map(({ status }) => status)).toEqual(['bounced', 'pending']);
    expect(world.subjects(tom.email).filter((subject) => subject.startsWith('We could not reach'))).toHaveLength(
      toldBefore + 1,
    );
    expect(await read(tom)).toMatchObject({ letters: [{ recipientEmail: 'second@old.example', proposal: null }] });
    await propose(tom);
    await answer(priya, true);
    await world.live(0.1);
    expect(lettersTo(address)).toHaveLength(1);
    expect((await world.ownersRelease.overview(owner.userId)).deliveries).toMatchObject([{ status: 'accepted' }]);
  });

  test('is tried again at the address that refused it where one contact says that it is right, once a day', async () => {
    const { owner, friends } = await refusedFor(['Priya', 'Tom']);
    const [priya, tom] = friends as [Friend, Friend];
    await propose(tom);
    expect(await propose(priya, old)).toMatchObject({ letters: [{ state: 'on_its_way', recipientEmail: old }] });
    await world.live(5);
    expect((await world.deliveriesOf(owner)).map(({ status }) => status)).toEqual(['bounced', 'pending']);
    world.mailer.answer(() => ({ outcome: 'accepted' }));
    expect(await propose(tom, old)).toMatchObject({ letters: [{ state: 'on_its_way', proposal: null }] });
    await world.live(0.1);
    expect(lettersTo(old)).toHaveLength(1);
    expect(lettersTo(address), 'what had been proposed meanwhile has ended').toEqual([]);
    expect((await world.ownersRelease.overview(owner.userId)).deliveries).toMatchObject([{ status: 'accepted' }]);
    expect(await world.auditOf(owner)).toContain('release.address_tried_again');
  });

  test('goes again on the operator’s word to the address that refused it, and not while all is stopped', async () => {
    const { owner } = await refusedFor(['Priya']);
    const retry = (email = owner.email) => retryRefused(world.app, { email, agrees: false });
    world.mailer.answer(() => ({ outcome: 'accepted' }));
    expect(await retry('nobody@people.example')).toBe('unknown');
    await world.releases.freezeOwner(owner.email);
    expect(await retry()).toBe('stopped');
    await world.releases.resumeOwner(owner.email);
    expect(await retry()).toBe(1);
    expect(await retry(), 'it is on its way').toBe(0);
    await world.live(0.1);
    expect(lettersTo(old)).toHaveLength(1);
    expect((await world.deliveriesOf(owner)).map(({ status }) => status).toSorted()).toEqual(['accepted', 'bounced']);
    await world.showLife(owner);
    expect(await retry()).toBe('nothing_open');
  });

  test('with a damaged proposal can still be read about, and leaves once the proposal is repaired', async () => {
    const { owner, friends } = await refusedFor(['Priya']);
    const [priya] = friends as [Friend];
    await propose(priya);
    const [whole] = await proposalsOf(owner);
    if (!whole) throw new Error('Nothing was proposed.');
    const keep = (sealed: string) =>
      world.db.update(addressProposals).set({ address: sealed }).where(eq(addressProposals.id, whole.id));
    await keep(whole.reason);
    await world.live(40);
    expect(await read(priya)).toMatchObject({ letters: [{ recipientEmail: old, proposal: null }] });
    expect([await proposalsOf(owner), lettersTo(address)]).toMatchObject([[{ status: 'waiting' }], []]);

    await keep(whole.address);
    await world.live(1);
    expect(lettersTo(address)).toHaveLength(1);
  });

  test('but hidden from contacts is a number to them, and they can send it nowhere', async () => {
    const owner = await world.newOwner({ releaseMethod: 'trusted_contact' });
    const priya = await world.befriend(owner, 'Priya');
    const letter = {
      title: 'A secret',
      content: 'Words.',
      recipientEmail: 'hidden@old.example',
      status: 'ready' as const,
    };
    const more = { category: 'personal' as const, visibleToTrustedContact: false };
    await createMessage(world.app, { principal: owner, origin: nowhere, body: { ...letter, ...more } });
    await releaseEarly(owner, [priya]);
    const page = await read(priya);
    expect(page).toMatchObject({ letters: [], privateLetterCount: 1 });
    expect(JSON.stringify(page)).not.toMatch(/secret|hidden/);
    const [delivery] = await world.deliveriesOf(owner);
    const press = { token: tokenOf(priya), letterId: delivery?.id ?? '', address, reason, origin: nowhere };
    await expect(proposeByLink(world.app, press)).rejects.toMatchObject({ type: 'NOT_FOUND' });
  });
});

describe('the only contact there is', () => {
  test('waits seven days, in which the proposal can be taken back', async () => {
    const { owner, friends } = await refusedFor(['Priya']);
    const [priya] = friends as [Friend];
    await propose(priya, 'slip@new.example');
    await world.live(6.5);
    expect(await answer(priya, false, 'slip@new.example')).toMatchObject({ letters: [{ proposal: null }] });
    const page = await propose(priya);
    const sendsAt = page.letters[0]?.proposal?.sendsAt?.getTime() ?? 0;
    expect(Math.round((sendsAt - (await world.clock.now()).getTime()) / 3_600_000)).toBe(7 * 24);
    await world.live(6.9);
    expect(lettersTo(address)).toEqual([]);
    await world.live(0.3);
    expect(lettersTo(address)).toHaveLength(1);
    expect(lettersTo('slip@new.example')).toEqual([]);
    expect((await proposalsOf(owner)).map(({ status }) => status).toSorted()).toEqual(['refused', 'sent']);
  });

  test('reaches a second mailbox of the only contact, since the one that the owner gave is all we know of them', async () => {
    const { owner, friends } = await refusedFor(['Priya']);
    const [priya] = friends as [Friend];
    const second = 'priya.at.home@elsewhere.example';
    await propose(priya, second);
    await world.live(7.2);
    expect(lettersTo(second)).toHaveLength(1);
    await openEnvelope(world.app, world.linkIn(second, '/message/'));
    expect(await readLetter(world.app, world.linkIn(second, '/message/'))).toMatchObject({
      content: 'Put the kettle on first.',
    });
    // The owner, should they live, hears of it before and after.
    expect(world.subjects(owner.email)).toEqual(
      expect.arrayContaining([
        'Sam, a message of yours may go to another address',
        'A message of yours is sent to another address',
      ]),
    );
  });

  test('gets nothing into their own mailbox on their own word: the operator decides', async () => {
    const { owner, friends } = await refusedFor(['Priya']);
    const [priya] = friends as [Friend];
    const page = await propose(priya, priya.email);
    expect(page.letters[0]?.proposal).toMatchObject({ sendsAt: null });
    await world.live(40);
    expect(lettersTo(priya.email)).toEqual([]);
    expect(world.subjects(operator)).toContain('Everkept: please decide about the address of a message');
    expect(await retryRefused(world.app, { email: owner.email, agrees: true })).toBe(1);
    await world.live(0.1);
    expect(lettersTo(priya.email)).toHaveLength(1);
    expect(await world.auditOf(owner)).toContain('release.address_operator_agreed');
  });

  test('has the address that refused tried once more meanwhile, and where it takes the letter, that is all', async () => {
    const { owner, friends } = await refusedFor(['Priya']);
    const [priya] = friends as [Friend];
    world.mailer.answer(() => ({ outcome: 'accepted' }));
    await propose(priya);
    await world.live(8);
    expect(world.subjects(old)).toContain('A message from Sam Ashworth, once more at this address');
    await openEnvelope(world.app, world.linkIn(old, '/message/'));
    expect(await readLetter(world.app, world.linkIn(old, '/message/'))).toMatchObject({
      content: 'Put the kettle on first.',
    });
    expect(lettersTo(address)).toEqual([]);
    expect((await proposalsOf(owner)).map(({ status }) => status)).toEqual(['ended']);
    expect((await world.deliveriesOf(owner)).map(({ status }) => status)).toEqual(['accepted']);
  });

  test('an outage of ours and a freeze eat nothing of that time', async () => {
    const { owner, friends } = await refusedFor(['Priya']);
    const [priya] = friends as [Friend];
    await propose(priya);
    await world.jump(10);
    await world.live(6.5);
    expect(lettersTo(address)).toEqual([]);
    await world.releases.freezeOwner(owner.email);
    await world.live(2);
    expect(lettersTo(address)).toEqual([]);
    await world.releases.resumeOwner(owner.email);
    await world.live(6.9);
    expect(lettersTo(address)).toEqual([]);
    await world.live(0.3);
    expect(lettersTo(address)).toHaveLength(1);
  });

  test.each([
    ['of everybody', () => world.releases.freeze('Look.'), () => world.releases.resume()],
    [
      'of one',
      ({ email }: Owner) => world.releases.freezeOwner(email),
      ({ email }: Owner) => world.releases.resumeOwner(email),
    ],
  ])('a freeze %s that came and went between two looks gives the whole time again', async (_, freeze, resume) => {
    const { owner, friends } = await refusedFor(['Priya']);
    const [priya] = friends as [Friend];
    await propose(priya);
    await world.live(6.5);
    await freeze(owner);
    await resume(owner);
    const sendsAt = (await letterOf(priya)).proposal?.sendsAt?.getTime() ?? 0;
    expect(Math.round((sendsAt - (await world.clock.now()).getTime()) / 3_600_000)).toBe(7 * 24);
    await world.live(6.9);
    expect(lettersTo(address)).toEqual([]);
    await world.live(0.3);
    expect(lettersTo(address)).toHaveLength(1);
  });
});

describe('another contact who never answers', () => {
  const asks = (friend: Friend) =>
    world.subjects(friend.email).filter((subject) => subject === 'Sam Ashworth: do you know this new address?');

  test('is asked three times, and is not waited for after thirty days without an outage', async () => {
    const { owner, friends } = await refusedFor(['Priya', 'Tom']);
    const [priya, tom] = friends as [Friend, Friend];
    await propose(priya);
    await world.live(15);
    await world.jump(40);
    expect(asks(tom)).toHaveLength(2);
    await world.live(14.9);
    expect(lettersTo(address)).toEqual([]);
    expect(asks(tom)).toHaveLength(3);
    await world.live(1);
    expect(lettersTo(address)).toHaveLength(1);
    expect(await world.auditOf(owner)).toContain('release.address_unanswered');
    expect(world.subjects(owner.email)).toContain('A message of yours is sent to another address');
  });

  test('has a whole window again after a freeze, with three mails of its own, the first of them at once', async () => {
    const { friends } = await refusedFor(['Priya', 'Tom']);
    const [priya, tom] = friends as [Friend, Friend];
    await propose(priya);
    await world.releases.freeze('The operator looks before the first mail has left.');
    await world.live(0.2);
    expect(asks(tom)).toEqual([]);
    await world.releases.resume();
    await world.live(0.2);
    expect(asks(tom), 'the mail that was held named another day, and is taken back').toHaveLength(1);
    await world.live(25);
    expect(asks(tom)).toHaveLength(3);
    await world.releases.freeze('The operator looks.');
    await world.live(8);
    expect(asks(tom)).toHaveLength(3);
    expect(lettersTo(address)).toEqual([]);
    await world.releases.resume();
    await world.live(0.2);
    expect(asks(tom)).toHaveLength(4);
    await world.live(29.6);
    expect(asks(tom)).toHaveLength(6);
    expect(lettersTo(address)).toEqual([]);
    await world.live(1);
    expect(lettersTo(address)).toHaveLength(1);
  });

  test('can say no during a freeze, and the proposer can withdraw it; nothing else is accepted', async () => {
    const { owner, friends } = await refusedFor(['Priya', 'Tom']);
    const [priya, tom] = friends as [Friend, Friend];
    await propose(priya);
    await world.releases.freeze('The operator looks.');
    expect(await read(tom)).toMatchObject({ isStopped: true, letters: [{ proposal: { sendsAt: null } }] });
    await expect(answer(tom, true)).rejects.toMatchObject({ type: 'CONFLICT' });
    await expect(propose(tom)).rejects.toMatchObject({ type: 'CONFLICT' });
    expect(await answer(tom, false)).toMatchObject({ letters: [{ proposal: null }] });
    await expect(propose(tom)).rejects.toMatchObject({ type: 'CONFLICT' });
    await world.releases.resume();
    await propose(priya);
    await world.releases.freezeOwner(owner.email);
    expect(await answer(priya, false)).toMatchObject({ letters: [{ proposal: null }] });
    await world.releases.resumeOwner(owner.email);
    await world.live(35);
    expect(lettersTo(address)).toEqual([]);
    expect((await proposalsOf(owner)).map(({ status }) => status)).toEqual(['refused', 'refused']);
  });

  test('can stop it with one no, and silence sends nothing into the mailbox of a contact', async () => {
    const { friends } = await refusedFor(['Priya', 'Tom']);
    const [priya, tom] = friends as [Friend, Friend];
    await propose(priya);
    await world.live(20);
    await answer(tom, false);
    const page = await propose(priya, priya.email);
    expect(page.letters[0]?.proposal).toMatchObject({ canBeAgreed: true, sendsAt: null });
    await world.live(35);
    expect(lettersTo(address)).toEqual([]);
    expect(lettersTo(priya.email)).toEqual([]);
  });
});

describe('the process ends', () => {
  test('as soon as the owner is active: links are void, waiting proposals end, sent letters are withdrawn', async () => {
    const { owner, friends } = await refusedFor(['Priya', 'Tom']);
    const [priya, tom] = friends as [Friend, Friend];
    const token = tokenOf(priya);
    await propose(priya);
    await world.showLife(owner);
    await expect(readNewAddress(world.app, token)).rejects.toMatchObject(dead);
    expect((await proposalsOf(owner)).map(({ status }) => status)).toEqual(['ended']);
    await world.live(1);
    // The mail to the other contact had not left: it is withdrawn with its link.
    expect(world.subjects(tom.email)).not.toContain('Sam Ashworth: do you know this new address?');
    expect(lettersTo(address)).toEqual([]);
  });

  test('for an address that two have agreed on, too: its unopened link dies', async () => {
    const { owner, friends } = await refusedFor(['Priya', 'Tom']);
    const [priya, tom] = friends as [Friend, Friend];
    await propose(priya);
    await answer(tom, true);
    await world.live(0.1);
    const token = world.linkIn(address, '/message/');
    await world.showLife(owner);
    await expect(readLetter(world.app, token)).rejects.toMatchObject({ type: 'NOT_FOUND' });
    expect((await world.ownersRelease.overview(owner.userId)).deliveries).toMatchObject([{ status: 'withdrawn' }]);
  });

  test('for a contact who is none any more, whose proposal counts for nothing', async () => {
    const { owner, friends } = await refusedFor(['Priya', 'Tom', 'Ann']);
    const [priya, tom, ann] = friends as [Friend, Friend, Friend];
    const token = tokenOf(priya);
    await propose(priya);
    const invitation = world.linkIn(priya.email, '/trusted-contact-accept/');
    await world.contacts.answerInvitation({ token: invitation, accept: false, origin: nowhere });
    await expect(readNewAddress(world.app, token)).rejects.toMatchObject(dead);
    expect((await letterOf(tom)).proposal).toBeNull();
    await expect(answer(tom, true)).rejects.toMatchObject({ type: 'CONFLICT' });
    await propose(tom);
    await answer(ann, true);
    expect((await proposalsOf(owner)).map(({ status }) => status).toSorted()).toEqual(['ended', 'sent']);
  });

  test('for a link that never was', async () => {
    const { friends } = await refusedFor(['Priya']);
    const [priya] = friends as [Friend];
    await expect(readNewAddress(world.app, 'nothing')).rejects.toMatchObject(dead);
    await world.db.delete(users);
    await expect(read(priya)).rejects.toMatchObject(dead);
  });
});

describe('races', () => {
  test('ten presses and two contacts at once send one letter', async () => {
    const { owner, friends } = await refusedFor(['Priya', 'Tom']);
    const [priya, tom] = friends as [Friend, Friend];
    const presses = Array.from({ length: 10 }, (_, index) => propose(index % 2 === 0 ? priya : tom));
    await Promise.allSettled(presses);
    await world.live(0.1);
    expect(lettersTo(address)).toHaveLength(1);
    expect((await proposalsOf(owner)).map(({ status }) => status)).toEqual(['sent']);
    expect(await world.deliveriesOf(owner)).toHaveLength(2);
  });

  test('two contacts who propose different addresses at once: one is there to be answered', async () => {
    const { owner, friends } = await refusedFor(['Priya', 'Tom']);
    const [priya, tom] = friends as [Friend, Friend];
    const pressed = await Promise.allSettled([propose(priya, 'one@new.example'), propose(tom, 'two@new.example')]);
    expect(pressed.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await proposalsOf(owner)).toHaveLength(1);
  });

  test('an agreement against the owner’s return: whatever comes first, nothing can be read afterwards', async () => {
    const { owner, friends } = await refusedFor(['Priya', 'Tom']);
    const [priya, tom] = friends as [Friend, Friend];
    await propose(priya);
    await Promise.allSettled([answer(tom, true), world.showLife(owner)]);
    await world.live(1);
    expect(lettersTo(address)).toEqual([]);
    expect(
      (await world.deliveriesOf(owner)).filter(({ status }) => status !== 'bounced' && status !== 'cancelled'),
    ).toEqual([]);
  });
});
