import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addPasskey } from '#server/features/sessions/second-factors/second-factors.test-world.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { trusteeRelationships } from '#server/schema/contacts.tables.ts';
import { createBrowser } from '#tests/support/app.ts';
import { adminEmail, createEverkept, dayMs, type Everkept, type Owner } from '#tests/support/everkept.ts';

let everkept: Everkept;
let sam: Owner;
/** Signed in to an account that was opened with the address of Sam's contact, by a stranger or by the contact. */
let caller: Owner;

/** Contact's address, new for each test because registrations per address and hour are limited. */
let priya: string;
let rounds = 0;
const ownPassword = 'nine pears on a shelf';

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

beforeEach(async () => {
  await everkept.database.db.delete(users);
  everkept.mailer.clear();
  rounds += 1;
  priya = `priya${rounds}@company.example`;
  sam = await everkept.signUp({ firstName: 'Sam' });
  await everkept.write(sam);
  await everkept.befriend(sam, { name: 'Priya Shah', email: priya });
  await everkept.live(4);
  caller = await everkept.signUp({ email: priya, isVerified: false });
});

/** A browser without the account's session, such as a scanner's. */
const elsewhere = () => createBrowser(everkept.app);
const verificationLink = () => everkept.linkTo(priya, '/api/verify-email');
const relationships = async ({ browser }: Owner) =>
  (await browser.send('GET', '/api/trustee/relationships')).json<{ ownerUserId: string }[]>();
const trigger = async ({ browser }: Owner) => {
  const answer = await browser.send('POST', `/api/trustee/trigger-release/${sam.userId}`);
  return [answer.statusCode, answer.json<{ message: string }>().message] as const;
};
const triggerFrom = async ({ browser }: Owner) => {
  const answer = await browser.send('GET', `/api/trustee/messages?ownerUserId=${sam.userId}`);
  return answer.json<[{ triggerFrom: string | null }]>()[0].triggerFrom;
};
const isProven = async ({ browser }: Owner) =>
  (await browser.send('GET', '/api/user')).json<{ isMailboxProven: boolean }>().isMailboxProven;
const subjectsTo = (address: string) =>
  everkept.mailer.sent.filter(({ to }) => to.address === address).map(({ subject }) => subject);

async function settle(): Promise<void> {
  await everkept.jump(4);
  await everkept.signIn(caller);
}

async function reset(browser = elsewhere()): Promise<Owner> {
  await browser.send('POST', '/api/reset-password', { body: { email: priya } });
  await everkept.work();
  const token = everkept.tokenFor(priya, '/reset-password/');
  const body = { token, password: ownPassword, confirmPassword: ownPassword };
  expect((await browser.send('POST', '/api/reset-password/complete', { body })).statusCode).toBe(200);
  return { ...caller, browser, password: ownPassword };
}

async function askForLink(): Promise<string> {
  expect((await caller.browser.send('POST', '/api/user/mailbox-proof')).statusCode).toBe(200);
  await everkept.work();
  return everkept.tokenFor(priya, '/confirm-mailbox/');
}

const prove = async ({ browser }: Pick<Owner, 'browser'>, token: string) =>
  (await browser.send('POST', '/api/user/mailbox-proof/confirm', { body: { token } })).statusCode;

test('a damaged vault of the owner keeps the contact from nothing that is theirs', async () => {
  await everkept.database.db.execute(sql`
    update vault_keys set wrapped_key = set_byte(wrapped_key, 20, get_byte(wrapped_key, 20) # 1)
    where user_id = ${sam.userId}`);
  const own = await reset();
  await everkept.signIn(own);
  expect(await relationships(own)).toMatchObject([{ ownerUserId: sam.userId }]);
});

describe('an account that a stranger opened with the address of a contact', () => {
  test('has no power once a mail scanner, or the contact, has opened the link', async () => {
    await elsewhere().send('GET', verificationLink());
    await everkept.work();
    expect((await caller.browser.send('GET', '/api/user')).json()).toMatchObject({
      emailVerified: true,
      isMailboxProven: false,
      isTrustedContactAccount: false,
    });
    await settle();
    expect(await relationships(caller)).toEqual([]);
    expect((await trigger(caller))[0]).toBe(404);
    expect(subjectsTo(priya)).toContain('One step to being a trustee');
    expect(subjectsTo(sam.email).filter((subject) => subject.includes('trustee'))).toEqual([]);
  });

  test('gets none by a link that it asks for: who reads it has no session, and who has one does not read it', async () => {
    await elsewhere().send('GET', verificationLink());
    const token = await askForLink();
    const another = await everkept.signUp();
    expect([await prove({ browser: elsewhere() }, token), await prove(another, token)]).toEqual([401, 404]);
    await elsewhere().send('GET', `/api/verify-email?token=${token}`);
    await another.browser.send('GET', `/api/verify-email?token=${token}`);
    expect(await isProven(caller)).toBe(false);
    expect(await relationships(caller)).toEqual([]);
  });

  test('becomes the contact’s own with a new password, which shuts the stranger out', async () => {
    await elsewhere().send('GET', verificationLink());
    const own = await reset();
    expect((await caller.browser.send('GET', '/api/user')).statusCode).toBe(401);
    const body = { email: priya, password: caller.password };
    expect((await elsewhere().send('POST', '/api/login', { body })).statusCode).toBe(401);
    await everkept.signIn(own);
    expect(await relationships(own)).toMatchObject([{ ownerUserId: sam.userId }]);
  });

  test('but has no trustee after a new password if the stranger has left a passkey', async () => {
    await elsewhere().send('GET', verificationLink());
    // Before a factor asked for the proof, a stranger could add one as soon as a scanner had opened the link.
    await everkept.database.pool.query(
      `insert into passkeys (id, user_id, credential_id, public_key, counter, transports, name, is_backed_up, created_at)
        values (gen_random_uuid(), $1, 'planted', '', 0, '[]', '', false, now())`,
      [caller.userId],
    );
    await reset();
    const [row] = await everkept.database.db.select().from(users).where(eq(users.email, priya));
    expect(row).toMatchObject({ emailVerified: true, mailboxProvenAt: null, isTrustedContactAccount: false });
  });

  test('releases nothing by a relationship from before either; it is only seen', async () => {
    await caller.browser.send('GET', verificationLink());
    await everkept.database.db.update(users).set({ mailboxProvenAt: null }).where(eq(users.email, priya));
    await settle();
    expect(await relationships(caller)).toMatchObject([{ ownerUserId: sam.userId }]);
    expect(await trigger(caller)).toEqual([409, expect.stringContaining('First show that the mailbox')]);
  });
});

describe('a contact who opens an account', () => {
  test('is trustee once the link is opened where they registered, also behind a scanner', async () => {
    await elsewhere().send('GET', verificationLink());
    caller.browser.cookie = null;
    const opened = await caller.browser.send('GET', verificationLink());
    expect(opened.headers.location).toBe('/?verified=true');
    await everkept.signIn(caller);
    await everkept.work();
    expect(await isProven(caller)).toBe(true);
    expect(await relationships(caller)).toMatchObject([{ ownerUserId: sam.userId }]);
    expect(subjectsTo(priya)).toContain('You are now a trustee of Sam Ashworth');
    expect(subjectsTo(priya)).not.toContain('One step to being a trustee');
    expect(subjectsTo(sam.email)).toContain('Priya Shah is now your trustee');
  });

  test("or at a sign-in; not with another account's session, or with a forged mark", async () => {
    const { browser } = await everkept.signUp();
    browser.others.set('everkept-registered', 'x'.repeat(43));
    await browser.send('GET', verificationLink());
    expect(await isProven(caller)).toBe(false);
    caller.browser.others.clear();
    await caller.browser.send('GET', verificationLink());
    expect(await isProven(caller)).toBe(true);
  });

  test('or with a press behind the link that they asked for, within a day', async () => {
    await elsewhere().send('GET', verificationLink());
    const old = await askForLink();
    await everkept.jump(1);
    expect(await prove(caller, old)).toBe(404);
    const token = await askForLink();
    expect(await isProven(caller)).toBe(false);
    expect([await prove(caller, token), await prove(caller, token)]).toEqual([200, 200]);
    expect(await relationships(caller)).toMatchObject([{ ownerUserId: sam.userId }]);
  });

  test('can release nothing for 72 hours from then, however long ago they said yes', async () => {
    await caller.browser.send('GET', verificationLink());
    expect(await triggerFrom(caller)).not.toBeNull();
    expect(await trigger(caller)).toEqual([409, expect.stringContaining('72 hours after you became a trustee')]);
    await settle();
    expect(await triggerFrom(caller)).toBeNull();
    expect((await trigger(caller))[0]).toBe(200);
  });

  test('waits where the proof is young, and where the relationship is', async () => {
    const { db } = everkept.database;
    await caller.browser.send('GET', verificationLink());
    const [row] = await db.select().from(users).where(eq(users.email, priya));
    const young = row?.mailboxProvenAt ?? new Date(Number.NaN);
    const old = new Date(young.getTime() - 30 * dayMs);
    const statuses: number[] = [];
    for (const [provenAt, since] of [
      [young, old],
      [old, young],
      [old, old],
    ] as const) {
      await db.update(users).set({ mailboxProvenAt: provenAt }).where(eq(users.email, priya));
      await db.update(trusteeRelationships).set({ createdAt: since });
      statuses.push((await trigger(caller))[0]);
    }
    expect(statuses).toEqual([409, 409, 200]);
  });
});

test('the administrator’s address opens nothing for its registrant until they prove that they read its mail', async () => {
  const operator = await everkept.signUp({ email: adminEmail, isVerified: false });
  const read = async () => (await operator.browser.send('GET', '/api/admin/users-temp')).statusCode;
  await elsewhere().send('GET', everkept.linkTo(adminEmail, '/api/verify-email'));
  expect(await read()).toBe(403);
  expect((await operator.browser.send('GET', '/api/user')).json()).toMatchObject({ isAdministrator: false });
  await operator.browser.send('GET', everkept.linkTo(adminEmail, '/api/verify-email'));
  await addPasskey(operator.browser);
  expect(await read()).toBe(200);
});
