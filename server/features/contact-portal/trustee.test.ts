import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { users } from '#server/schema/accounts.tables.ts';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, dumpRows, type Everkept, type Owner } from '#tests/support/everkept.ts';

let everkept: Everkept;
let sam: Owner;
let priya: Owner;
let contactId: string;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

/** Sam, with two letters ready and a draft, and Priya, who said yes and has an account. */
beforeEach(async () => {
  // Removes earlier owners, so that no test simulates their time.
  await everkept.database.db.delete(users);
  everkept.mailer.clear();
  sam = await everkept.signUp({ firstName: 'Sam' });
  priya = await everkept.signUp({ firstName: 'Priya' });
  await everkept.database.db.update(users).set({ plan: 'premium' }).where(eq(users.id, sam.userId));
  await everkept.write(sam, { title: 'A secret title' });
  await everkept.write(sam, { recipientEmail: `tom.${sam.email}` });
  await everkept.write(sam, { status: 'draft' });
  contactId = await befriend(priya, 'Sister');
});

async function befriend(friend: Owner, relationship: string): Promise<string> {
  const id = await everkept.befriend(sam, { name: `${friend.firstName} Shah`, email: friend.email });
  const body = { name: `${friend.firstName} Shah`, email: friend.email, relationship };
  await sam.browser.send('PUT', `/api/trusted-contacts/${id}`, { body });
  return id;
}

const relationships = (of: Owner) => of.browser.send('GET', '/api/trustee/relationships');
const summary = (of: Owner, owner = sam) => of.browser.send('GET', `/api/trustee/messages?ownerUserId=${owner.userId}`);
const trigger = (by: Owner, owner = sam) => by.browser.send('POST', `/api/trustee/trigger-release/${owner.userId}`);
const isTrustee = async (who: Owner) =>
  (await who.browser.send('GET', '/api/user')).json<{ isTrustedContactAccount: boolean }>().isTrustedContactAccount;
const mailsTo = (address: string) =>
  everkept.mailer.sent.filter(({ to }) => to.address === address).map(({ subject }) => subject);

/** Sam has chosen that nothing waits for them. */
const goesAtOnce = () =>
  everkept.database.db.update(users).set({ releaseWaitingDays: 0 }).where(eq(users.id, sam.userId));

/** Moves past the days in which a new contact does not count, and signs in again. */
async function settle(...trustees: Owner[]) {
  await everkept.live(4);
  for (const each of trustees) await everkept.signIn(each);
}

describe('a trustee', () => {
  test('sees the owners whose trustee they are, with the owner’s word for them', async () => {
    expect(await isTrustee(priya)).toBe(true);
    expect((await relationships(priya)).json()).toEqual([
      {
        id: expect.any(String),
        ownerUserId: sam.userId,
        ownerFirstName: 'Sam',
        ownerLastName: 'Ashworth',
        ownerEmail: '',
        trustedContactRelationship: 'Sister',
        isActive: true,
        createdAt: expect.any(String),
      },
    ]);
    expect((await relationships(sam)).json()).toEqual([]);
  });

  test.each([
    ['another spelling at Google', 'p.shah@googlemail.com', 'pshah+home@gmail.com', true],
    ['a tag at a provider that may give it to another person', 'pshah+x@post.example', 'pshah@post.example', false],
    ['the address without its tag at such a provider', 'pshah@post.example', 'pshah+x@post.example', false],
  ])('by %s: contact %s, account %s: %s', async (_, email, accountEmail, isFound) => {
    const contact = { name: 'P. Shah', email };
    await everkept.befriend(sam, contact);
    const after = await everkept.signUp({ email: accountEmail });
    expect([await isTrustee(after), (await relationships(after)).json().length]).toEqual([isFound, isFound ? 1 : 0]);

    const other = await everkept.signUp({ firstName: 'Kim' });
    await everkept.befriend(other, contact);
    expect((await relationships(after)).json()).toHaveLength(isFound ? 2 : 0);
  });

  test('sees counts and no title, by the id named or bare', async () => {
    const answer = await summary(priya);
    expect(answer.json()).toEqual([
      {
        messageCount: 3,
        readyCount: 2,
        release: { state: 'none', quorum: 1, missing: 1, waitsUntil: null, canWithdraw: false, canSayAlive: false },
        triggerFrom: expect.any(String),
        awayUntil: null,
      },
    ]);
    const bare = await priya.browser.send('GET', `/api/trustee/messages?${sam.userId}`);
    expect(bare.json()).toEqual([{ ...answer.json<object[]>()[0], triggerFrom: expect.any(String) }]);
    expect(bare.body).not.toMatch(/secret|@/);
  });

  test('gets 400 for a query that names no owner, or two', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const nobody = ['', '?nobody', '?ownerUserId=', '?ownerUserId=1', '?__proto__', `?${one}0`, `?${one}=1`];
    for (const query of [...nobody, `?${one}&${other}`, `?ownerUserId=${one}&ownerUserId=${other}`]) {
      const answer = await priya.browser.send('GET', `/api/trustee/messages${query}`);
      expect([query, answer.statusCode]).toEqual([query, 400]);
    }
  });

  test('polling the page shows no activity, keeps no session awake and changes no row', async () => {
    const before = await dumpRows(everkept.database, { except: ['rate_limits'] });
    await everkept.jump(0.01);
    for (let times = 0; times < 3; times += 1) {
      await relationships(priya);
      await summary(priya);
    }
    const clockless = (rows: string[]) => rows.filter((row) => !row.includes('service_health'));
    expect(clockless(await dumpRows(everkept.database, { except: ['rate_limits'] }))).toEqual(clockless(before));
  });
});

describe('everybody else', () => {
  test('is refused: visitor, unverified, stranger, trustee of another, the owner', async () => {
    const other = await everkept.signUp({ firstName: 'Olive' });
    const otherTrustee = await everkept.signUp({ firstName: 'Tess' });
    await everkept.befriend(other, { name: 'Tess Reed', email: otherTrustee.email });
    const unverified = await everkept.signUp({ isVerified: false });
    const visitor = { ...sam, browser: createBrowser(everkept.app) };
    await settle(otherTrustee, unverified, sam, other);

    const codes = async (who: Owner) => [(await summary(who)).statusCode, (await trigger(who)).statusCode];
    expect(await codes(visitor)).toEqual([401, 401]);
    expect(await codes(unverified)).toEqual([404, 403]);
    for (const each of [otherTrustee, sam, other]) expect(await codes(each)).toEqual([404, 404]);
    expect(mailsTo(sam.email).filter((subject) => /released|delivered/.test(subject))).toEqual([]);
  });

  test('is whom a contact becomes who was removed, switched off, moved to another address, or left', async () => {
    const body = { name: 'Priya Shah', email: priya.email, relationship: 'Sister' };
    const token = everkept.tokenFor(priya.email, '/trusted-contact-accept/');
    const losses = [
      () => sam.browser.send('PUT', `/api/trusted-contacts/${contactId}`, { body: { ...body, isActive: false } }),
      () =>
        createBrowser(everkept.app).send('POST', `/api/trusted-contact-invitation/${token}`, {
          body: { accept: false },
        }),
      () =>
        sam.browser.send('PUT', `/api/trusted-contacts/${contactId}`, {
          body: { ...body, email: `new.${priya.email}` },
        }),
    ];
    await settle(sam, priya);
    for (const lose of losses) {
      expect((await lose()).statusCode).toBe(200);
      expect([(await summary(priya)).statusCode, (await trigger(priya)).statusCode]).toEqual([404, 404]);
      expect(await isTrustee(priya)).toBe(false);
      expect((await relationships(priya)).json()).toMatchObject([
        { ownerUserId: sam.userId, isActive: false, trustedContactRelationship: null },
      ]);
    }
    expect((await sam.browser.send('DELETE', `/api/trusted-contacts/${contactId}`)).statusCode).toBe(204);
    expect([(await summary(priya)).statusCode, (await trigger(priya)).statusCode]).toEqual([404, 404]);
    expect((await relationships(priya)).json()).toEqual([]);
  });
});

describe('triggering a release', () => {
  test('is refused for 72 hours after the role was accepted, and told from when it is possible', async () => {
    const refused = await trigger(priya);
    expect([refused.statusCode, refused.json()]).toMatchObject([409, { type: 'CONFLICT' }]);
    expect(refused.json<{ message: string }>().message).toContain('72 hours');
    await settle(priya);
    expect((await summary(priya)).json()).toMatchObject([{ triggerFrom: null }]);
    expect((await trigger(priya)).statusCode).toBe(200);
  });

  test('asks for the password where the sign-in is older than ten minutes, and takes no wrong one', async () => {
    await settle(priya);
    await everkept.jump(0.01);
    const stale = await trigger(priya);
    expect([stale.statusCode, stale.json()]).toMatchObject([403, { type: 'REAUTHENTICATION_REQUIRED' }]);
    const wrong = await priya.browser.send('POST', '/api/user/reauthenticate', {
      body: { password: 'something else' },
    });
    expect([wrong.statusCode, wrong.json()]).toMatchObject([400, { issues: [{ path: 'password' }] }]);
    expect((await trigger(priya)).statusCode).toBe(403);

    const earlier = priya.browser.cookie;
    const right = await priya.browser.send('POST', '/api/user/reauthenticate', { body: { password: priya.password } });
    expect(right.json()).toEqual({ ok: true });
    expect((await trigger(priya)).statusCode).toBe(200);
    priya.browser.cookie = earlier;
    expect((await relationships(priya)).statusCode).toBe(401);
  });

  test('sends every ready message, notifies the owner, and says so', async () => {
    await goesAtOnce();
    await settle(priya);
    const answer = await trigger(priya);
    // Even an owner who wants no days is notified before anything is sent.
    expect(answer.json()).toMatchObject({ ok: true, released: false });
    expect(answer.json<{ message: string }>().message).toContain('Nothing is sent before our email has told Sam.');
    // Once it has, the days are over a beat later, of which there are none.
    await everkept.live(5 / 1_440);
    expect(mailsTo(`tom.${sam.email}`)).toHaveLength(1);
    expect(mailsTo(sam.email)).toContain('Sam, somebody asked for your messages to be released');
    expect((await summary(priya)).json()).toMatchObject([
      { messageCount: 3, readyCount: 0, release: { state: 'released', missing: 0 } },
    ]);
    expect([(await trigger(priya)).statusCode]).toEqual([409]);
  });

  test('pressed twice at once acts once', async () => {
    await settle(priya);
    const answers = await Promise.all([trigger(priya), trigger(priya), trigger(priya)]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409, 409]);
    await everkept.live(3.1);
    expect(mailsTo(`tom.${sam.email}`)).toHaveLength(1);
  });

  test('waits for the others where the owner wants two, and says so', async () => {
    const tom = await everkept.signUp({ firstName: 'Tom' });
    await befriend(tom, 'Brother');
    await everkept.database.db.update(users).set({ releaseQuorum: 2 }).where(eq(users.id, sam.userId));
    await settle(priya, tom);
    expect((await trigger(priya)).json()).toEqual({
      ok: true,
      released: false,
      message:
        'Nothing is sent yet. The messages are delivered when one more trusted contact confirms. We have asked them. Then we try to reach Sam for 3 days first.',
    });
    expect((await summary(priya)).json()).toMatchObject([
      { readyCount: 2, release: { state: 'waiting_for_others', quorum: 2, missing: 1 } },
    ]);
    expect((await summary(tom)).json()).toMatchObject([{ release: { state: 'none', missing: 2 } }]);
    expect((await trigger(priya)).statusCode).toBe(409);
    expect((await trigger(tom)).json()).toMatchObject({ released: false });
    expect((await summary(tom)).json()).toMatchObject([{ release: { state: 'waiting_time', missing: 0 } }]);
  });

  test('waits for the owner’s waiting time, says so, and the owner’s link stops it', async () => {
    await settle(priya);
    expect((await trigger(priya)).json()).toMatchObject({
      released: false,
      message: expect.stringMatching(/^We try to reach Sam until .* at the earliest\. Then the letters go\./),
    });
    await everkept.work();
    const [{ release }] = (await summary(priya)).json<[{ release: { state: string; waitsUntil: string } }]>();
    expect(release.state).toBe('waiting_time');
    expect(Date.parse(release.waitsUntil)).toBeGreaterThan(Date.now());

    const link = everkept.linkTo(sam.email, '/check-in/').replace('/check-in/', '/api/check-in/');
    expect((await createBrowser(everkept.app).send('POST', link)).statusCode).toBe(200);
    await everkept.live(5);
    expect(mailsTo(`tom.${sam.email}`)).toEqual([]);
    expect((await summary(priya)).json()).toMatchObject([{ readyCount: 2, release: { state: 'none' } }]);
  });

  test('is refused in plain words where nothing is ready', async () => {
    await everkept.database.pool.query("update messages set status = 'draft' where user_id = $1", [sam.userId]);
    await settle(priya);
    const answer = await trigger(priya);
    expect([answer.statusCode, answer.json()]).toMatchObject([
      409,
      { message: 'Sam has no message that is ready to be sent.' },
    ]);
  });
});

describe('withdrawing a confirmation', () => {
  const withdraw = (by: Owner) => by.browser.send('POST', `/api/trustee/withdraw-confirmation/${sam.userId}`);
  const stateOf = async () => (await summary(priya)).json<[{ release: object }]>()[0].release;

  test('ends the wait, sends nothing, and leaves the trustee free to confirm again', async () => {
    await settle(priya);
    expect((await trigger(priya)).statusCode).toBe(200);
    expect(await stateOf()).toMatchObject({ state: 'waiting_time', canWithdraw: true });
    const answer = await withdraw(priya);
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      { ok: true, message: 'Your confirmation is withdrawn. It no longer counts.' },
    ]);
    expect(await stateOf()).toMatchObject({ state: 'none', canWithdraw: false });
    await everkept.live(5);
    expect(mailsTo(`tom.${sam.email}`)).toEqual([]);
    await everkept.signIn(priya);
    expect((await trigger(priya)).statusCode).toBe(200);
    await everkept.live(3.1);
    expect(mailsTo(`tom.${sam.email}`)).toHaveLength(1);
    expect(await stateOf()).toMatchObject({ state: 'released', canWithdraw: false });
    expect((await withdraw(priya)).statusCode, 'a letter has left').toBe(409);
  });

  test('needs a confirmation and the role', async () => {
    const stranger = await everkept.signUp({ firstName: 'Olive' });
    await settle(priya, stranger);
    expect([(await withdraw(priya)).statusCode, (await withdraw(stranger)).statusCode]).toEqual([409, 404]);
  });
});
