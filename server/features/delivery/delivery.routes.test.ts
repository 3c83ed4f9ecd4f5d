import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { roundsFor } from '#server/features/release/rounds.test-world.ts';
import { advanceTestClock } from '#server/features/release/test-clock.ts';
import { sessionLookup } from '#server/features/sessions/principal.ts';
import { buildHttpApp } from '#server/http-app.ts';
import { newToken } from '#server/platform/crypto/token.ts';
import { registerReactions } from '#server/reactions.ts';
import { registerRoutes } from '#server/routes.ts';
import { messageDeliveries } from '#server/schema/delivery.tables.ts';
import { createBrowser, newPerson } from '#tests/support/app.ts';
import { openTestApp } from '#tests/support/installation/open-test-app.ts';
import { testBaseUrl } from '#tests/support/installation/test-settings.ts';

const dayMs = 86_400_000;
const letter = {
  title: 'For Nell, when it is time',
  content: 'Dear Nell,\n\nPut the kettle on first.',
  recipientEmail: 'nell@ashworth.example',
  category: 'personal',
  status: 'ready',
  visibleToTrustedContact: true,
};

let world: Awaited<ReturnType<typeof createWholeWorld>>;

beforeAll(async () => {
  world = await createWholeWorld();
});
afterAll(() => world.close());
beforeEach(() => {
  world.mailer.clear();
  world.mailer.answer(null);
});

/** The product as it is put together for its users, with memory doors and a clock that the test moves. */
async function createWholeWorld() {
  const { app: opened, database, mailer } = await openTestApp({ environment: { TEST_CLOCK: '1' } });
  const { db, clock, limits } = opened;
  registerReactions(opened);
  const app = await buildHttpApp({
    // However busy the machine is with other tests.
    shedding: { eventLoopDelayMaxMs: 0, callsInProgressMax: 0 },
    baseUrl: testBaseUrl,
    trustProxy: ['127.0.0.1'],
    log: { level: 'silent' },
    sessions: sessionLookup(opened),
    limits,
    readiness: async () => ({ database: { ok: true } }),
    registerRoutes: (api) => registerRoutes(api, opened),
  });

  /** Simulates days as the running worker would. Without any, does the work that is due now. */
  const rounds = roundsFor(opened);
  const live = (days: number) => advanceTestClock({ app: opened, rounds, hasDailyTasks: false, ms: days * dayMs });

  return {
    app,
    db,
    clock,
    hashToken: opened.serviceKeys.hashToken,
    mailer,
    live,
    settle: () => live(0),
    linkTo(address: string, path: string): string {
      const mail = mailer.sent.findLast(({ to, text }) => to.address === address && text.includes(path));
      const token = /^[\w-]+/.exec(mail?.text.split(path)[1] ?? '')?.[0];
      if (!token) throw new Error(`No mail to ${address} holds a link to ${path}.`);
      return token;
    },
    /** As a browser posts a form without fields. */
    press: (url: string, site = 'same-origin') =>
      app.inject({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': site },
        payload: '',
      }),
    close: async () => {
      await app.close();
      await database.close();
    },
  };
}

/** An owner with one letter and one confirmed contact. */
async function prepare(name: string) {
  const person = newPerson({ email: `${name}@owner.example` });
  const contactEmail = `${name}@contact.example`;
  const recipientEmail = `${name}@recipient.example`;
  const owner = createBrowser(world.app);
  await owner.send('POST', '/api/register', { body: { ...person, confirmPassword: person.password } });
  await world.settle();
  const verification = world.linkTo(person.email, '/api/verify-email?token=');
  await owner.send('GET', `/api/verify-email?token=${verification}`);
  await owner.send('POST', '/api/login', { body: { email: person.email, password: person.password } });
  const message = await owner.send('POST', '/api/messages', { body: { ...letter, recipientEmail } });
  expect(message.statusCode).toBe(201);
  const contact = { name: 'Priya Shah', email: contactEmail, phone: null, relationship: null, isActive: true };
  expect((await owner.send('POST', '/api/trusted-contacts', { body: contact })).statusCode).toBe(201);
  await world.settle();
  const stranger = createBrowser(world.app);
  const invitation = world.linkTo(contactEmail, '/trusted-contact-accept/');
  await stranger.send('POST', `/api/trusted-contact-invitation/${invitation}`, { body: { accept: true } });
  return { owner, person, stranger, contactEmail, recipientEmail };
}

describe('from silence to the letter', () => {
  it('the contact confirms and the recipient reads; the owner’s return leaves opened letters', async () => {
    const { owner, person, stranger, contactEmail, recipientEmail } = await prepare('whole');
    await world.live(91);

    const portalToken = world.linkTo(contactEmail, '/trusted-contact-admin/');
    const portal = await stranger.send('GET', `/api/trusted-contact-admin/${portalToken}`);
    expect(portal.json()).toMatchObject({ state: 'open', quorum: 1, confirmations: 0, privateMessageCount: 0 });
    expect(portal.json().messages).toMatchObject([{ title: letter.title, recipientEmail }]);
    expect(portal.headers).toMatchObject({ 'x-robots-tag': 'noindex, nofollow', 'cache-control': 'no-store' });

    const path = `/api/trusted-contact-admin/${portalToken}/confirm-release`;
    const empty = await stranger.send('POST', path, { body: { confirmed: true, reason: '   ' } });
    expect([empty.statusCode, empty.json().type]).toEqual([400, 'VALIDATION']);
    const answers = await Promise.all(
      [1, 2].map(() => stranger.send('POST', path, { body: { confirmed: true, reason: 'Sam died.' } })),
    );
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409]);
    expect(answers.find(({ statusCode }) => statusCode === 200)?.json()).toEqual({
      ok: true,
      state: 'confirmed',
      message: 'The messages will be delivered within minutes.',
    });

    await world.settle();
    const token = world.linkTo(recipientEmail, '/message/');
    expect(world.mailer.sent.filter(({ to }) => to.address === recipientEmail)).toHaveLength(1);
    const read = await stranger.send('GET', `/api/message-delivery/${token}`);
    expect(read.json()).toMatchObject({ title: letter.title, content: '', senderName: 'Sam Ashworth' });
    expect(read.headers).toMatchObject({ 'x-robots-tag': 'noindex, nofollow', 'cache-control': 'no-store' });
    expect((await rowOf(token)).accessedAt).toBeNull();
    const press = await world.press(`/message/${token}`);
    expect([press.statusCode, press.headers.location]).toEqual([303, `/message/${token}?open`]);
    expect((await rowOf(token)).accessedAt).not.toBeNull();
    const opened = await stranger.send('GET', `/api/message-delivery/${token}`);
    expect(opened.json()).toMatchObject({ title: letter.title, content: letter.content });
    expect((await stranger.send('GET', `/api/trusted-contact-admin/${portalToken}`)).json().state).toBe('confirmed');

    await owner.send('POST', '/api/login', { body: { email: person.email, password: person.password } });
    expect((await stranger.send('GET', `/api/message-delivery/${token}`)).statusCode).toBe(200);
    expect((await owner.send('GET', '/api/messages')).json()).toMatchObject([{ status: 'delivered' }]);
  });

  it('the owner who comes back makes an unread letter’s link and the contact’s link die at once', async () => {
    const { owner, person, stranger, contactEmail, recipientEmail } = await prepare('back');
    // Another letter is not sent yet when the owner returns, so the release has not ended.
    world.mailer.answer(({ to }) =>
      to.address === 'slow@recipient.example' ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' },
    );
    const slow = { ...letter, recipientEmail: 'slow@recipient.example' };
    expect((await owner.send('POST', '/api/messages', { body: slow })).statusCode).toBe(201);
    await world.live(91);
    const portalToken = world.linkTo(contactEmail, '/trusted-contact-admin/');
    await stranger.send('POST', `/api/trusted-contact-admin/${portalToken}/confirm-release`, {
      body: { confirmed: true, reason: 'Sam died.' },
    });
    await world.settle();
    const token = world.linkTo(recipientEmail, '/message/');
    expect((await stranger.send('GET', `/api/message-delivery/${token}`)).statusCode).toBe(200);

    const login = await owner.send('POST', '/api/login', { body: { email: person.email, password: person.password } });
    expect(login.statusCode).toBe(200);
    expect((await owner.send('POST', '/api/release/answer', { body: { take: 'back' } })).statusCode).toBe(200);
    const gone = await stranger.send('GET', `/api/message-delivery/${token}`);
    const unknown = await stranger.send('GET', `/api/message-delivery/${newToken()}`);
    expect([gone.statusCode, gone.body]).toEqual([404, unknown.body]);
    const portal = await stranger.send('GET', `/api/trusted-contact-admin/${portalToken}`);
    expect([portal.statusCode, portal.json().message]).toEqual([404, 'Invalid or expired access token']);
    const renewals = await Promise.all(
      [token, newToken()].map((each) => stranger.send('POST', `/api/message-delivery/${each}/renew`)),
    );
    expect(renewals.map(({ statusCode, body }) => [statusCode, body])).toEqual([
      [200, renewals[1]?.body],
      [200, renewals[1]?.body],
    ]);

    world.mailer.answer(null);
    world.mailer.clear();
    await world.live(2);
    const after = world.mailer.sent.filter(({ to }) => to.address.endsWith('@recipient.example'));
    expect(after.map(({ to, subject }) => [to.address, subject.split('.')[0]])).toEqual([
      [recipientEmail, 'We have heard from Sam Ashworth'],
    ]);
  });
});

describe('a letter that was not opened', () => {
  it('is brought to mind twice by mail with the same link, expires, and comes back on request', async () => {
    const { stranger, recipientEmail } = await prepare('unopened');
    await world.live(98);
    await world.settle();
    const token = world.linkTo(recipientEmail, '/message/');
    const mails = () => world.mailer.sent.filter(({ to }) => to.address === recipientEmail);
    await world.live(31);
    expect(mails()).toHaveLength(3);
    expect(new Set(mails().map(({ text }) => /\/message\/([\w-]{43})/.exec(text)?.[1]))).toEqual(new Set([token]));
    expect(new Set(mails().map(({ messageId }) => messageId)).size).toBe(3);
    expect((await stranger.send('GET', `/api/message-delivery/${token}`)).statusCode).toBe(404);

    await stranger.send('POST', `/api/message-delivery/${token}/renew`);
    await stranger.send('POST', `/api/message-delivery/${token}/renew`);
    await world.settle();
    expect(mails()).toHaveLength(4);
    expect((await stranger.send('GET', `/api/message-delivery/${token}`)).statusCode).toBe(200);
    const { expiresAt } = await rowOf(token);
    const keptMs = expiresAt.getTime() - (await world.clock.now()).getTime();
    expect(Math.round(keptMs / dayMs)).toBe(30);
  });
});

async function rowOf(token: string) {
  const [row] = await world.db
    .select()
    .from(messageDeliveries)
    .where(eq(messageDeliveries.deliveryToken, world.hashToken(token)));
  if (!row) throw new Error('There is no such delivery.');
  return row;
}

describe('the press on the envelope', () => {
  it('with an invalid link leads back to its page, which says so', async () => {
    const token = newToken();
    const press = await world.press(`/message/${token}`);
    expect([press.statusCode, press.headers.location]).toEqual([303, `/message/${token}?open`]);
  });

  it('is taken from our own page alone', async () => {
    expect((await world.press(`/message/${newToken()}`, 'cross-site')).statusCode).toBe(403);
  });
});
