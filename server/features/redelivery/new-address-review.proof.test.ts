import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createReleaseWorld,
  type Friend,
  nowhere,
  type Owner,
  type ReleaseWorld,
} from '#server/features/release/release.test-world.ts';
import { firstMailboxesMax } from '#server/features/release-core/emergency.rules.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { releaseRequests } from '#server/schema/release.tables.ts';
import { answerByLink, proposeByLink, readNewAddress } from './new-address.ts';

const operator = 'operator@everkept.example';
const operatorSubject = 'Everkept: a message to a new address waits until you look';
const reason = 'She wrote to me from it last week.';

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

type Life = { owner: Owner; priya: Friend; tom: Friend };

/** An early release of a free account to this number of mailboxes, all of which refused their letter. */
async function refusedBy(readers: number, plan: 'free' | 'lifetime' = 'free'): Promise<Life> {
  const owner = await world.newOwner({ releaseMethod: 'trusted_contact' });
  const priya = await world.befriend(owner, 'Priya');
  const tom = await world.befriend(owner, 'Tom');
  for (let reader = 0; reader < readers; reader += 1) await world.write(owner, `reader${reader}@old.example`);
  const account = { plan, createdAt: new Date(0) };
  await world.db.update(users).set(account).where(eq(users.id, owner.userId));
  await world.live(4);
  const request = { ownerId: owner.userId, contactId: priya.id, origin: nowhere };
  expect(await world.releases.requestEmergency(request)).toBeNull();
  await world.live(0.1);
  await world.answer(priya, true);
  await world.live(5);
  return { owner, priya, tom };
}

const tokenOf = ({ email }: Friend) => world.linkIn(email, '/new-address/');
const lettersOf = async (friend: Friend) => (await readNewAddress(world.app, tokenOf(friend))).letters;
const newAddress = (reader: number) => `reader${reader}@new.example`;

async function letterTo(friend: Friend, reader: number) {
  const letter = (await lettersOf(friend)).find(
    ({ recipientEmail }) => recipientEmail === `reader${reader}@old.example`,
  );
  if (!letter) throw new Error('This letter is not shown.');
  return letter;
}
async function propose(friend: Friend, reader: number) {
  const { id: letterId } = await letterTo(friend, reader);
  const address = newAddress(reader);
  return proposeByLink(world.app, { token: tokenOf(friend), letterId, address, reason, origin: nowhere });
}
async function agree(friend: Friend, reader: number) {
  const { id: letterId } = await letterTo(friend, reader);
  const press = { token: tokenOf(friend), letterId, address: newAddress(reader), agrees: true, origin: nowhere };
  return answerByLink(world.app, press);
}
const arrived = () =>
  world.mailer.sent
    .filter(({ to, text }) => to.address.endsWith('@new.example') && text.includes('/message/'))
    .map(({ to }) => to.address);
const reviews = async () => (await world.releases.freezes()).earlyReviews;
const operatorMails = () => world.subjects(operator).filter((subject) => subject === operatorSubject);

describe('a new address beyond the mailboxes that an early release of a free account may write to', () => {
  test('waits for the operator though two contacts agree, and goes once the operator allows it', async () => {
    const { owner, priya, tom } = await refusedBy(firstMailboxesMax);
    await propose(priya, 0);
    await propose(priya, 1);
    await world.live(0.1);
    expect(operatorMails(), 'one email for the release').toHaveLength(1);
    expect(world.said(operator)).toContain(`everkept release resume ${owner.email}`);
    expect(world.said(tom.email)).toContain('we check this release before anything is sent there');
    expect(world.said(owner.email)).toContain('We check it first');
    expect((await letterTo(tom, 0)).proposal).toMatchObject({ canBeAgreed: true, isUnderReview: true, sendsAt: null });

    await agree(tom, 0);
    const shown = { canBeAgreed: false, isUnderReview: true, sendsAt: null };
    expect((await letterTo(tom, 0)).proposal).toMatchObject(shown);
    await agree(tom, 0);
    await world.live(40);
    expect([arrived(), await reviews()]).toEqual([[], [owner.email]]);
    expect(await world.auditOf(owner)).toContain('release.address_under_review');

    expect(await world.releases.resumeOwner(owner.email)).toBe('done');
    await world.live(0.1);
    expect(arrived()).toContain(newAddress(0));
    expect([await reviews(), operatorMails().length]).toEqual([[], 1]);
    await propose(priya, 2);
    await agree(tom, 2);
    await world.live(0.1);
    expect(arrived(), 'the review holds for this release').toContain(newAddress(2));
  });

  test('is counted when it is sent, so proposals made below the limit do not pass it together', async () => {
    const { owner, priya, tom } = await refusedBy(firstMailboxesMax - 1);
    for (const reader of [0, 1, 2]) await propose(priya, reader);
    expect(operatorMails()).toEqual([]);
    await Promise.all([0, 1, 2].map((reader) => agree(tom, reader)));
    await world.live(1);
    expect(arrived()).toHaveLength(1);
    expect([await reviews(), operatorMails().length]).toEqual([[owner.email], 1]);
  });

  test('waits also if no other contact answers, until the operator allows it', async () => {
    const { owner, priya } = await refusedBy(firstMailboxesMax);
    await propose(priya, 0);
    await world.live(45);
    expect(arrived()).toEqual([]);
    await world.releases.resumeOwner(owner.email);
    await world.live(0.1);
    expect(arrived()).toEqual([newAddress(0)]);
  });

  test('can still be refused by a contact while it waits', async () => {
    const { owner, priya, tom } = await refusedBy(firstMailboxesMax);
    await propose(priya, 0);
    const { id: letterId } = await letterTo(tom, 0);
    const press = { token: tokenOf(tom), letterId, address: newAddress(0), agrees: false, origin: nowhere };
    await agree(tom, 0);
    await answerByLink(world.app, press);
    await world.releases.resumeOwner(owner.email);
    await world.live(1);
    expect(arrived()).toEqual([]);
  });
});

test.each([
  ['of an account with a plan', 'lifetime', 'emergency'],
  ['by silence', 'free', 'silence'],
] as const)('a new address in a release %s needs no review', async (_, plan, cause) => {
  const { owner, priya, tom } = await refusedBy(firstMailboxesMax, plan);
  if (cause === 'silence') {
    await world.db.update(releaseRequests).set({ cause }).where(eq(releaseRequests.userId, owner.userId));
  }
  await propose(priya, 0);
  await agree(tom, 0);
  await world.live(0.1);
  expect([arrived(), operatorMails()]).toEqual([[newAddress(0)], []]);
});
