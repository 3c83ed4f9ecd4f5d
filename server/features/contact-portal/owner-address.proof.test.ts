import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createMessage } from '#server/features/messages/messages.ts';
import {
  createReleaseWorld,
  dayMs,
  type Friend,
  nowhere,
  type Owner,
  type ReleaseWorld,
} from '#server/features/release/release.test-world.ts';
import { unreachedDays } from '#server/features/release-core/model.rules.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { givenAddresses } from '#server/schema/new-address.tables.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import { giveOwnerAddress } from './owner-address.ts';
import { getPortal } from './portal.ts';

const reader = 'nell@family.example';
const unseenReader = 'ravi@family.example';
const other = 'sam.new@elsewhere.example';
const conflict = (message: RegExp) => ({ type: 'CONFLICT', message: expect.stringMatching(message) });
const invalid = (message: RegExp) => ({ type: 'VALIDATION', message: expect.stringMatching(message) });
const answerDays = 7;
const invitedAtOnce = 3;
const secondDay = 1.1;

let world: ReleaseWorld;
beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());
afterEach(async () => {
  await world.clear();
  expect(world.logged.splice(0)).toEqual([]);
});

type Scene = { owner: Owner; friends: [Friend, ...Friend[]] };

/** Sam has no phone, and their mailbox closed before the first reminder. Their contacts have just been asked. */
async function unreached(
  { method = 'inactivity' }: { method?: 'inactivity' | 'trusted_contact' } = {},
  names: [string, ...string[]] = ['Priya'],
): Promise<Scene> {
  const owner = await world.newOwner({ inactivityDays: 90, releaseMethod: method });
  await world.write(owner, reader);
  const hidden = { title: 'A secret', content: 'Look under the stairs.', recipientEmail: unseenReader };
  const rest = { category: 'personal', status: 'ready', visibleToTrustedContact: false } as const;
  await createMessage(world.app, { principal: owner, origin: nowhere, body: { ...hidden, ...rest } });
  const friends: Friend[] = [];
  for (const name of names) {
    // An account invites three people on its first day.
    if (friends.length === invitedAtOnce) await world.live(secondDay);
    const signedIn = { ...owner, authenticatedAt: await world.clock.now() };
    friends.push(await world.befriend(signedIn, name));
  }
  world.mailer.answer(({ to }) =>
    to.address === owner.email ? { outcome: 'refused', replyCode: 550 } : { outcome: 'accepted' },
  );
  await silence(owner);
  expect(await world.noticeOf(owner, 'first_reminder')).toMatchObject({ emailOutcome: 'tried' });
  expect(await world.noticeOf(owner, 'last_reminder')).toMatchObject({ emailOutcome: 'tried' });
  return { owner, friends: friends as Scene['friends'] };
}

/** From the last activity to the question, while other mailboxes of the owner's domain accept our mail. */
async function silence(owner: Owner): Promise<void> {
  await world.live(44.9);
  await world.writeToNeighbour(owner.email, 4);
  await world.live(35);
  await world.writeToNeighbour(owner.email, 4);
  await world.live(13);
}

const dayOf = (at: Date | null) => at?.toISOString().slice(0, 10);
const linkOf = ({ email }: Friend) => world.linkIn(email, '/trusted-contact-admin/');
const give = (friend: Friend, address: string) =>
  giveOwnerAddress(world.app, { params: { token: linkOf(friend) }, body: { address }, origin: nowhere });
const page = (friend: Friend) => getPortal(world.app, { params: { token: linkOf(friend) } });
const mailsToOther = () => world.db.select().from(notifications).where(eq(notifications.kind, 'release.other-address'));
const given = (owner: Owner) => world.db.select().from(givenAddresses).where(eq(givenAddresses.userId, owner.userId));

describe('an owner whose provider refuses our mail by policy', () => {
  it('is not released by silence, and neither the contact’s email nor their page names a day', async () => {
    const owner = await world.newOwner({ inactivityDays: 90, releaseMethod: 'inactivity' });
    await world.write(owner, reader);
    const priya = await world.befriend(owner, 'Priya');
    world.mailer.answer(({ to }) =>
      to.address === owner.email ? { outcome: 'temporary', replyCode: 550, isTrouble: true } : { outcome: 'accepted' },
    );
    await world.live(91);
    expect(world.said(priya.email)).toContain(
      'nothing is delivered while we still try to deliver our reminders to Sam.',
    );
    expect(world.said(priya.email)).not.toMatch(/If nobody answers (before|within)/);
    expect((await page(priya)).goAloneAt).toBeNull();
    await world.live(31);
    expect(world.said(priya.email)).not.toMatch(/If nobody answers (before|within)/);
    expect((await page(priya)).goAloneAt).toBeNull();
    await world.live(40);
    expect(world.subjects(priya.email).filter((subject) => subject.includes('later than we wrote'))).toEqual([]);
    expect(world.subjects(reader)).toEqual([]);

    world.mailer.answer(null);
    await world.live(8);
    const goes = (await page(priya)).goAloneAt;
    const daysLeft = ((goes?.getTime() ?? 0) - (await world.clock.now()).getTime()) / dayMs;
    await world.live(daysLeft - 0.2);
    expect(world.subjects(reader)).toEqual([]);
    await world.live(0.4);
    expect(world.subjects(reader)).toHaveLength(1);
  });
});

describe('an owner whom no reminder reached', () => {
  it('is written to once at the address that a contact gave, and nothing is released sooner', async () => {
    const { owner, friends } = await unreached();
    const [priya] = friends;
    expect(world.said(priya.email)).toMatch(
      /^Hello Priya, Our emails do not reach Sam Ashworth\. Do you know another email address of Sam\?/,
    );
    expect((await page(priya)).otherAddress).toBe('asked');
    const foreseen = (await page(priya)).goAloneAt;

    expect(await give(priya, other)).toEqual({ ok: true, message: expect.stringContaining('We send one email there') });
    const after = await page(priya);
    expect(after).toMatchObject({ otherAddress: 'given', state: 'open' });
    expect(dayOf(after.goAloneAt)).toBe(dayOf(foreseen));
    await world.live(0.1);
    expect(world.subjects(other)).toEqual(['We cannot reach Sam Ashworth']);
    expect(await world.auditOf(owner)).toContain('release.other_address_given');
    expect(JSON.stringify(await world.db.select().from(auditLogs))).not.toContain(other);

    await world.live(answerDays + unreachedDays - 1);
    expect(world.subjects(reader)).toEqual([]);
    expect(world.subjects(other), 'no second mail comes').toHaveLength(1);
    await world.live(1.5);
    expect(world.subjects(reader)).toHaveLength(1);
  });

  it('reads on their return which contact gave which address', async () => {
    const { owner, friends } = await unreached();
    await give(friends[0], other);
    await world.live(0.1);
    await world.showLife(owner, 'login');
    const { cameBack } = await world.ownersRelease.overview(owner.userId);
    expect(cameBack?.givenAddresses).toEqual([{ byName: 'Priya', address: other }]);
    await expect(give(friends[0], other)).rejects.toMatchObject({ type: 'NOT_FOUND' });
  });

  it.each([
    ['the owner comes back', ({ owner }: Scene) => world.showLife(owner, 'login')],
    ['a contact confirms and the letters go', ({ friends }: Scene) => world.answer(friends[0], true)],
  ])('gets no mail there if %s before it leaves', async (_, happens) => {
    const scene = await unreached();
    await give(scene.friends[0], other);
    await happens(scene);
    await world.live(1);
    expect((await mailsToOther()).map(({ status }) => status)).toEqual(['cancelled']);
    expect(world.subjects(other)).toEqual([]);
  });

  it('gets the mail there after a freeze, and not during it', async () => {
    const { owner, friends } = await unreached();
    await world.releases.freezeOwner(owner.email);
    await give(friends[0], other);
    await world.live(3);
    expect(world.subjects(other)).toEqual([]);
    await world.releases.resumeOwner(owner.email);
    await world.live(0.1);
    expect(world.subjects(other)).toHaveLength(1);
  });

  it('is asked about again every 30 days, first by the address', async () => {
    const { friends } = await unreached({ method: 'trusted_contact' });
    const [priya] = friends;
    await give(priya, other);
    world.mailer.clear();
    await world.live(31);
    expect(world.said(priya.email)).toMatch(/^Hello Priya, Our emails do not reach Sam Ashworth\./);
    expect(await page(priya)).toMatchObject({ otherAddress: 'given' });
  });

  it('is asked about while a contact’s no pauses the release', async () => {
    const { friends } = await unreached({}, ['Priya', 'Tom']);
    const [priya, tom] = friends as [Friend, Friend];
    await world.answer(priya, false);
    expect(await page(priya)).toMatchObject({ state: 'cancelled', otherAddress: 'asked' });
    await give(tom, other);
    await world.live(0.1);
    expect(world.subjects(other)).toHaveLength(1);
  });
});

describe('a contact with bad intent', () => {
  it('gives one address, and all contacts three, however many requests come in parallel', async () => {
    const { owner, friends } = await unreached({}, ['Priya', 'Tom', 'Ann', 'Joe']);
    const presses = Array.from({ length: 100 }, (_, number) =>
      give(friends[number % 4] as Friend, `sam.${number}@elsewhere.example`),
    );
    const results = await Promise.allSettled(presses);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ type: 'CONFLICT' });
    }
    const rows = await given(owner);
    expect(new Set(rows.map(({ contactId }) => contactId)).size).toBe(3);
    expect(rows).toHaveLength(3);
    await world.live(0.1);
    expect(await mailsToOther()).toHaveLength(3);
    const states = await Promise.all(friends.map(async (friend) => (await page(friend)).otherAddress));
    expect(states.sort()).toEqual(['enough', 'given', 'given', 'given']);
  });

  it('gets the same answer for a second press, and a refusal for a second address', async () => {
    const { owner, friends } = await unreached();
    const [priya] = friends;
    expect(await give(priya, other)).toEqual(await give(priya, other));
    await expect(give(priya, 'sam@third.example')).rejects.toMatchObject(conflict(/already given us an address/));
    expect(await given(owner)).toHaveLength(1);
  });

  it.each([
    ['the owner’s own address', (owner: Owner) => owner.email, /already write to this address of Sam/],
    ['another spelling of it', (owner: Owner) => owner.email.replace('@', '+again@'), /already write to this address/],
    ['their own address', (_: Owner, [priya]: Friend[]) => priya?.email ?? '', /address of another person/],
    ['the address of another contact', (_: Owner, [, tom]: Friend[]) => tom?.email ?? '', /address of another person/],
    ['the address of a reader whom they see', () => reader, /address of another person/],
  ])('cannot give %s', async (_, addressOf, sentence) => {
    const { owner, friends } = await unreached({}, ['Priya', 'Tom']);
    await expect(give(friends[0], addressOf(owner, friends))).rejects.toMatchObject(invalid(sentence));
    expect(await given(owner)).toEqual([]);
    expect(await mailsToOther()).toEqual([]);
  });

  it('does not learn that an address is of a reader whom they do not see, and no mail goes there', async () => {
    const { owner, friends } = await unreached({}, ['Priya', 'Tom']);
    const [priya, tom] = friends as [Friend, Friend];
    expect(await give(priya, unseenReader)).toEqual(await give(tom, other));
    expect(await given(owner)).toHaveLength(2);
    await world.live(0.1);
    expect(world.subjects(unseenReader)).toEqual([]);
    expect((await page(priya)).otherAddress).toBe('given');
  });

  it('cannot have a stranger mailed again, by another spelling or a later silence', async () => {
    const { owner, friends } = await unreached({}, ['Priya', 'Tom']);
    const [priya, tom] = friends as [Friend, Friend];
    await give(priya, other);
    const known = conflict(/only once/);
    await expect(give(tom, other.replace('@', '+1@'))).rejects.toMatchObject(known);
    await world.live(0.1);
    await world.showLife(owner, 'login');
    await silence(owner);
    await expect(give(tom, other)).rejects.toMatchObject(known);
    expect(world.subjects(other)).toHaveLength(1);
  });

  it('cannot give an address if a reminder arrived, nor in an early request', async () => {
    const owner = await world.newOwner({ inactivityDays: 90 });
    const priya = await world.befriend(owner, 'Priya');
    await world.write(owner, reader);
    await world.live(4);
    await world.releases.requestEmergency({ ownerId: owner.userId, contactId: priya.id, origin: nowhere });
    await world.live(0.1);
    expect((await page(priya)).otherAddress).toBeNull();
    await expect(give(priya, other)).rejects.toMatchObject(conflict(/do not need another address/));
    await world.showLife(owner);
    await world.live(90.5);
    expect((await page(priya)).otherAddress).toBeNull();
    await expect(give(priya, other)).rejects.toMatchObject(conflict(/do not need another address/));
  });
});
