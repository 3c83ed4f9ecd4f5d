import { Readable } from 'node:stream';
import { eq, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { insertImportedDocuments } from '#server/features/documents/documents.import.ts';
import { storeFile } from '#server/features/files/files.ts';
import { createMessage } from '#server/features/messages/messages.ts';
import {
  createReleaseWorld,
  type Friend,
  nowhere,
  type Owner,
  type ReleaseWorld,
} from '#server/features/release/release.test-world.ts';
import { newToken } from '#server/platform/crypto/token.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { releaseRequests } from '#server/schema/release.tables.ts';
import { portalSchema } from '#shared/contract/release/portal.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { portalMessagesMax } from '#shared/rules/release-answers.ts';
import { confirmRelease, downloadPortalDocument, getPortal, sayNotAsked, takeBackConfirmation } from './portal.ts';

const deadLink = { type: 'NOT_FOUND', message: 'Invalid or expired access token' };
const recipient = 'nell@family.example';

const documents = [{ id: expect.any(String), name: 'My will', sizeBytes: 7, mimeType: 'text/plain' }];

let world: ReleaseWorld;
beforeAll(async () => {
  world = await createReleaseWorld();
});
afterAll(() => world.close());
afterEach(async () => {
  await world.clear();
  expect(world.logged.splice(0)).toEqual([]);
});

type Settings = Parameters<ReleaseWorld['newOwner']>[0];
type People = { owner: Owner; priya: Friend; tom: Friend };

/** Stores a document that contacts may see. */
async function storeDocument({ userId, plan, vaultKey }: Owner): Promise<void> {
  const { app, db, clock } = world;
  const vault = app.vaults.open(userId, vaultKey);
  const content = Readable.from([Buffer.from('the map')], { objectMode: false });
  const use = 'documentVault';
  const file = await storeFile(app, { plan, usedBytes: 0, vault }, use, { name: 'will.txt', content });
  const at = await clock.now();
  const about = { name: 'My will', category: 'legal', description: null, visibleToTrustedContact: true } as const;
  await insertImportedDocuments(db, { userId, vault }, [{ ...about, createdAt: at, updatedAt: at, file }]);
}

/** Sam with a document, a letter that contacts see, one that they don't, and two contacts who accepted four days ago. */
async function people(settings: Settings = {}): Promise<People> {
  const owner = await world.newOwner({ inactivityDays: 90, ...settings });
  const priya = await world.befriend(owner, 'Priya');
  const tom = await world.befriend(owner, 'Tom');
  await storeDocument(owner);
  await world.write(owner, recipient);
  const hidden = { title: 'A secret', content: 'Look under the stairs.', recipientEmail: 'hidden@a.example' };
  const rest = { category: 'personal', status: 'ready', visibleToTrustedContact: false } as const;
  await createMessage(world.app, { principal: owner, origin: nowhere, body: { ...hidden, ...rest } });
  await world.live(4);
  return { owner, priya, tom };
}

/** An early request in Priya's name, whose mail has reached her. */
async function emergency(settings: Settings = {}): Promise<People> {
  const all = await people(settings);
  await request(all.owner, all.priya);
  await world.live(0.01);
  return all;
}

/** The whole period of silence has ended, and both contacts are asked. */
async function silence(settings: Settings = {}): Promise<People> {
  const all = await people({ releaseQuorum: 2, releaseMethod: 'trusted_contact', ...settings });
  await world.live(87);
  return all;
}

const request = (owner: Owner, friend: Friend) =>
  world.releases.requestEmergency({ ownerId: owner.userId, contactId: friend.id, origin: nowhere });
const linkOf = ({ email }: Friend) => world.linkIn(email, '/trusted-contact-admin/');
const read = (token: string) => getPortal(world.app, { params: { token } });
const page = (friend: Friend) => read(linkOf(friend));
const press = (friend: Friend) => ({ params: { token: linkOf(friend) }, origin: nowhere });
const download = (friend: Friend, id = '') =>
  downloadPortalDocument(world.app, { params: { token: linkOf(friend), id } });
const answer = (friend: Friend, confirmed: boolean) =>
  confirmRelease(world.app, { ...press(friend), body: { confirmed, reason: 'I was at the funeral.' } });

describe('the page of a contact', () => {
  it('shows who asks, what happened, and visible messages only: the others are a number', async () => {
    const { owner, priya } = await silence();
    const shown = await page(priya);

    expect(shown).toMatchObject({
      user: { firstName: 'Sam', lastName: 'Ashworth', email: owner.email },
      contact: { name: 'Priya Shah', email: priya.email },
      inactivityDays: 90,
      silentDays: 91,
      awayUntil: null,
      state: 'open',
      stoppedBy: null,
      privateMessageCount: 1,
      otherContactNames: ['Tom'],
      askedNames: ['Tom'],
      quorum: 2,
      confirmations: 0,
      isEarly: false,
      waitingDays: 0,
      held: null,
      ifCancelled: {
        toldNames: ['Tom'],
        askAgainDays: 30,
        canOthersConfirm: false,
        isOwnerTold: true,
        isRequestOver: false,
      },
      canTakeBack: false,
      canSayNotAsked: false,
      outcome: null,
    });
    expect(shown.messages.map(({ title }) => title)).toEqual(['For Nell']);
    expect(JSON.stringify(shown)).not.toMatch(/A secret|hidden@/);
    expect(shown.history.map(({ what, at }) => `${what} ${dayOf(shown.lastActivityAt, at)}`)).toEqual([
      'last_activity 0',
      'first_reminder 45',
      'last_reminder 80',
      'contacts_asked 90',
    ]);
    expect(() => portalSchema.encode(shown)).not.toThrow();
  });

  it('in an emergency lists no unsent reminder, and names no contact who was not asked', async () => {
    const { priya } = await emergency({ releaseWaitingDays: 5 });
    const shown = await page(priya);
    expect(shown.history.map(({ what }) => what)).toEqual(['last_activity', 'contacts_asked']);
    expect(shown).toMatchObject({
      otherContactNames: ['Tom'],
      askedNames: [],
      isEarly: true,
      waitingDays: 5,
      ifCancelled: { toldNames: [], askAgainDays: null, isRequestOver: true },
      canSayNotAsked: true,
    });
  });

  it('says until when the owner is away, and that the wait is longer for it', async () => {
    const all = await people();
    const until = new Date((await world.clock.now()).getTime() + 30 * dayMs);
    await world.db.update(users).set({ awayUntil: until }).where(eq(users.id, all.owner.userId));
    await request(all.owner, all.priya);
    await world.live(0.01);
    expect(await page(all.priya)).toMatchObject({ awayUntil: until, waitingDays: 14 });
    expect(world.said(all.priya.email)).toMatch(/Sam told us that they are away until \d+ \w+ \d{4}\./);
  });

  it('names the stop of a confirmed release, and no missing confirmation', async () => {
    const { priya } = await silence({ releaseQuorum: 1 });
    await world.releases.freeze('The operator looks.');
    const { message } = await answer(priya, true);
    expect(message).toContain('stopped on our side');
    expect(await page(priya)).toMatchObject({
      held: { by: 'stopped', until: null },
      outcome: message,
      ifCancelled: null,
    });
    await world.releases.resume();
  });

  it('names the length of the owner’s waiting time, which nothing shortens', async () => {
    const { owner, priya, tom } = await emergency({ releaseWaitingDays: 5 });
    const { message } = await answer(priya, true);
    expect(message).toMatch(/We try to reach Sam for 5 days, until .* at the earliest/);
    await world.live(0.01);
    const daysLeft = async () => {
      const last = (await page(tom)).history.at(-1);
      expect(last).toMatchObject({ what: 'holding_until', isPast: false });
      return dayOf(await world.clock.now(), last?.at ?? new Date(0));
    };
    expect(await daysLeft()).toBe(5);

    await world.db.update(users).set({ releaseWaitingDays: 0 }).where(eq(users.id, owner.userId));
    expect(await daysLeft()).toBe(5);
    expect(await page(tom)).toMatchObject({ state: 'open', waitingDays: 5, held: { by: 'waiting_time' } });
  });
});

/** Whole days between two moments. */
function dayOf(from: Date, to: Date): number {
  return Math.round((to.getTime() - from.getTime()) / dayMs);
}

it('lists the first visible messages, and counts the others', async () => {
  const { owner, priya } = await silence();
  await world.db.execute(sql`
    insert into messages (id, user_id, title, content, status, visible_to_trusted_contact, position)
    select gen_random_uuid(), user_id, title, content, status, true, 2 from messages, generate_series(1, ${portalMessagesMax}::int)
    where user_id = ${owner.userId} and visible_to_trusted_contact`);
  const { messages, messagesLeftOut, privateMessageCount } = await page(priya);
  expect([messages.length, messages[0]?.title, messagesLeftOut, privateMessageCount]).toEqual([
    portalMessagesMax,
    expect.any(String),
    1,
    1,
  ]);
});

describe('documents', () => {
  it('are listed by name from the beginning, and downloadable only after the release', async () => {
    const { priya } = await emergency();
    const nothing = async () => {
      const shown = await page(priya);
      expect(shown).toMatchObject({ documents, documentsUntil: null });
      await expect(download(priya, shown.documents[0]?.id)).rejects.toMatchObject({
        type: 'NOT_FOUND',
      });
    };
    await nothing();
    await answer(priya, true);
    await nothing();
  });

  it('come as a page, with the number of all', async () => {
    const { owner, priya } = await emergency();
    await storeDocument(owner);
    const from = async (documentsFrom: number) => {
      const shown = await getPortal(world.app, { params: { token: linkOf(priya) }, query: { documentsFrom } });
      return [shown.documents.length, shown.documentCount, shown.documentsFrom];
    };
    expect([await from(0), await from(1), await from(2)]).toEqual([
      [2, 2, 0],
      [1, 2, 1],
      [2, 2, 0],
    ]);
  });

  it('can be downloaded from the release on for 30 days after it, and not when the owner came back', async () => {
    const { owner, priya } = await emergency();
    await answer(priya, true);
    await world.live(3.1);
    expect(dayOf(await world.clock.now(), (await page(priya)).documentsUntil ?? new Date(0))).toBe(30);
    const id = (await page(priya)).documents[0]?.id;
    expect((await download(priya, id)).name).toBe('will.txt');

    const doneAt = new Date((await world.clock.now()).getTime() - 30 * dayMs);
    await world.db.update(releaseRequests).set({ doneAt });
    await expect(download(priya, id)).rejects.toMatchObject({ type: 'NOT_FOUND' });
    await world.db.update(releaseRequests).set({ doneAt: new Date(doneAt.getTime() + dayMs) });
    expect(await download(priya, id)).toBeDefined();
    await world.showLife(owner);
    await expect(download(priya, id)).rejects.toMatchObject(deadLink);
  });
});

describe('a dead link', () => {
  it('is answered like one that never was', async () => {
    await expect(read(newToken())).rejects.toMatchObject(deadLink);
  });

  it('is what remains when the owner came back, for those who answered too', async () => {
    const { owner, priya, tom } = await silence();
    await answer(tom, true);
    await world.showLife(owner);
    await expect(page(priya)).rejects.toMatchObject(deadLink);
    await expect(page(tom)).rejects.toMatchObject(deadLink);
    await expect(takeBackConfirmation(world.app, press(tom))).rejects.toMatchObject(deadLink);
  });

  it('is what a contact has who was switched off, and one whose link a newer one replaced', async () => {
    const { owner, priya, tom } = await silence();
    const old = linkOf(priya);
    await world.live(1.1);
    await request(owner, priya);
    await world.live(0.01);
    await expect(read(old)).rejects.toMatchObject(deadLink);
    expect((await page(priya)).state).toBe('open');
    await world.contacts.answerInvitation({
      token: world.linkIn(tom.email, '/trusted-contact-accept/'),
      accept: false,
      origin: nowhere,
    });
    await expect(page(tom)).rejects.toMatchObject(deadLink);
  });
});

describe('an answer', () => {
  it('is handed on by the hash of its link, and says that another contact is needed', async () => {
    const { priya, tom } = await silence();
    expect(await answer(priya, true)).toEqual({
      ok: true,
      state: 'confirmed',
      message: 'Your answer is kept. The messages will be delivered when one more person confirms.',
    });
    expect(await page(priya)).toMatchObject({ state: 'confirmed', confirmations: 1, quorum: 2, canTakeBack: true });
    expect(await page(tom)).toMatchObject({ state: 'open', confirmations: 1 });
  });

  it('that another contact’s cancel undid is shown as stopped, and to the contact who cancelled as theirs', async () => {
    const { priya, tom } = await silence();
    await answer(priya, true);
    expect(await answer(tom, false)).toMatchObject({
      state: 'cancelled',
      message: 'Nothing is sent. We have told Sam to sign in.',
    });
    expect(await page(priya)).toMatchObject({ state: 'stopped', stoppedBy: 'no', canTakeBack: false });
    expect((await page(priya)).outcome).toContain('we ask you again in 30 days');
    expect((await page(tom)).state).toBe('cancelled');
  });

  it('that says no ends an early request: its contact sees that, and the others see that it was stopped', async () => {
    const { priya, tom } = await emergency({ releaseQuorum: 2 });
    await answer(priya, true);
    await world.live(0.01);
    expect((await answer(tom, false)).message).toContain('This request is over.');
    expect(await page(tom)).toMatchObject({ state: 'cancelled', messages: [], privateMessageCount: 0, documents: [] });
    expect(await page(priya)).toMatchObject({ state: 'stopped', stoppedBy: 'no', documents: [] });
    await expect(answer(priya, true)).rejects.toMatchObject(deadLink);
    await world.live(30);
    await expect(page(tom)).rejects.toMatchObject(deadLink);
  });
});

describe('a yes that is taken back', () => {
  it('counts no more, and says so on its page; the link says nothing else any more', async () => {
    const { owner, priya, tom } = await emergency();
    await answer(priya, true);
    await world.live(0.5);
    expect(await page(priya)).toMatchObject({ state: 'confirmed', canTakeBack: true });
    const { message } = await takeBackConfirmation(world.app, press(priya));
    expect(message).toContain('You took your confirmation back');
    expect(await page(priya)).toMatchObject({ state: 'stopped', stoppedBy: 'taken_back', outcome: message });
    await expect(answer(priya, true)).rejects.toMatchObject({ type: 'CONFLICT' });
    await world.live(4);
    expect(world.subjects(recipient)).toEqual([]);
    expect(await page(tom)).toMatchObject({ state: 'open', confirmations: 0 });
    expect(await world.stateOf(owner)).toBe('asking');
  });

  it('is refused once a letter has left, and to a contact without a yes', async () => {
    const { priya, tom } = await emergency();
    await expect(takeBackConfirmation(world.app, press(priya))).rejects.toMatchObject(deadLink);
    await answer(priya, true);
    await world.live(3.1);
    expect(world.subjects(recipient)).toHaveLength(1);
    expect((await page(priya)).canTakeBack).toBe(false);
    await expect(takeBackConfirmation(world.app, press(priya))).rejects.toMatchObject({ type: 'CONFLICT' });
    await expect(takeBackConfirmation(world.app, press(tom))).rejects.toMatchObject({
      type: expect.stringMatching(/CONF|NOT/),
    });
  });
});

describe('"I did not ask"', () => {
  it('ends the emergency that was made in a contact’s name, and is not counted against the week', async () => {
    const { owner, priya } = await emergency();
    for (let times = 0; times < 4; times += 1) {
      const { message } = await sayNotAsked(world.app, press(priya));
      expect(message).toContain('You told us that you did not ask.');
      expect(await page(priya)).toMatchObject({ state: 'stopped', stoppedBy: 'not_asked', outcome: message });
      await world.live(1.01);
      expect(await request(owner, priya)).toBeNull();
      await world.live(0.01);
    }
    expect((await page(priya)).canSayNotAsked).toBe(true);
  });

  it('is refused for a question by silence, and to a contact whom the form did not name', async () => {
    const { priya, tom } = await silence();
    await expect(sayNotAsked(world.app, press(priya))).rejects.toMatchObject(deadLink);
    await expect(sayNotAsked(world.app, press(tom))).rejects.toMatchObject(deadLink);
    expect((await page(priya)).state).toBe('open');
  });
});

describe('a request that came to nothing', () => {
  it('says after its fourteen days that too few confirmed, and how to ask again', async () => {
    const { priya } = await emergency();
    await world.live(14.5);
    expect(await page(priya)).toMatchObject({ state: 'stopped', stoppedBy: 'nobody_answered', ifCancelled: null });
    expect((await page(priya)).outcome).toContain('you can ask again with the emergency form');
  });

  it('says after a restore that it is over, and how to ask again', async () => {
    const { owner, priya } = await emergency();
    const ended = { outcome: 'begun_anew', closedAt: await world.clock.now() } as const;
    await world.db.update(releaseRequests).set(ended).where(eq(releaseRequests.userId, owner.userId));
    expect(await page(priya)).toMatchObject({ state: 'stopped', stoppedBy: 'begun_anew' });
    expect((await page(priya)).outcome).toContain('We had to go back to a backup');
  });
});
