import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { verifyByOperator } from '#server/features/administered-accounts/accounts-admin.ts';
import { buy } from '#server/features/billing/billing.test-world.ts';
import { ledgerNameOf } from '#server/platform/ledger/deletion-ledger.ts';
import { type Browser, createBrowser, newPerson, type Person } from '#tests/support/app.ts';
import { adminEmail, createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { answersToNothing, googleVouchingFor } from '#tests/support/everkept-world.ts';

/** A stranger registers another person's address, and prepares the account for the day on which that person comes. */

let everkept: Everkept;
let googleEmail = '';
let intruder: Owner;
let victim: Person;
const contact = 'intruders.friend@people.example';

beforeAll(async () => {
  everkept = await createEverkept({ google: googleVouchingFor(() => googleEmail) });
});
afterAll(() => everkept.close());

beforeEach(async () => {
  await rows('delete from users');
  everkept.mailer.clear();
  victim = newPerson({ password: 'a quiet green kettle' });
  intruder = await everkept.signUp({ email: victim.email, isVerified: false });
  await everkept.write(intruder, { recipientEmail: 'accomplice@people.example' });
  const { browser } = intruder;
  await browser.send('POST', '/api/trusted-contacts', { body: { name: 'Ida Lee', email: contact } });
  const profile = { phone: '07700 900666', releaseMethod: 'trusted_contact', inactivityDays: 365 };
  await browser.send('PUT', '/api/user-profile', { body: profile });
  await browser.send('PUT', '/api/release/preferences', { body: { quorum: 1, waitingDays: 0, answerDays: 0 } });
  await everkept.work();
});

const anybody = () => createBrowser(everkept.app);
const rows = async (statement: string, ...values: unknown[]) =>
  (await everkept.database.pool.query(statement, values)).rows;

/** The row of a passkey that answers to a key the intruder has. */
const plantPasskey = () =>
  rows(
    `insert into passkeys (id, user_id, credential_id, public_key, counter, transports, name, is_backed_up, created_at)
      values (gen_random_uuid(), $1, 'planted', '', 0, '[]', '', false, now())`,
    intruder.userId,
  );

/** Follows the mail about a taken address. */
async function resetPassword({ email, password }: Person) {
  await anybody().send('POST', '/api/register', { body: { ...victim, confirmPassword: password } });
  await anybody().send('POST', '/api/reset-password', { body: { email } });
  await everkept.work();
  const token = everkept.tokenFor(email, '/reset-password/');
  const body = { token, password, confirmPassword: password };
  const answer = await anybody().send('POST', '/api/reset-password/complete', { body });
  expect(answer.statusCode).toBe(200);
  return answer.json<{ isHandedOver: boolean; isFirstSign: boolean }>();
}

async function signIn(body: { email: string; password: string }): Promise<Browser> {
  const browser = anybody();
  const answer = await browser.send('POST', '/api/login', { body });
  expect([answer.statusCode, answer.json<{ ok: boolean }>().ok]).toEqual([200, true]);
  return browser;
}

async function comeWithGoogle(): Promise<Browser> {
  googleEmail = victim.email;
  const browser = anybody();
  await browser.send('GET', '/api/auth/google');
  const answer = await browser.send('GET', '/api/auth/google/callback');
  expect(answer.headers.location).toBe('/?handed-over=true');
  return browser;
}

describe.each([
  ['a link for a new password', async () => void (await resetPassword(victim)), () => signIn(victim)],
  ['Google', async () => undefined, comeWithGoogle],
])('a person who proves the mailbox with %s', (_, prove, enter) => {
  test('gets an empty vault, in which nothing is as the intruder left it', async () => {
    await prove();
    const browser = await enter();
    const read = async <Answer>(path: string) => (await browser.send('GET', path)).json<Answer>();
    expect(await read('/api/messages')).toEqual([]);
    expect(await read('/api/trusted-contacts')).toEqual([]);
    expect(await read('/api/user')).toMatchObject({
      emailVerified: true,
      phone: null,
      releaseMethod: 'inactivity',
      inactivityDays: 90,
    });
    expect(await read('/api/release')).toMatchObject({ quorum: 1, waitingDays: 3 });
    expect(await read<{ id: string }[]>('/api/user/sessions')).toHaveLength(1);
    const factors = await read<{ authenticator: unknown; passkeys: unknown[] }>('/api/user/second-factors');
    expect(factors).toMatchObject({ passkeys: [] });
    expect(await rows('select id from users where id = $1', intruder.userId)).toEqual([]);
  });

  test('is called by no name that the intruder typed, and no backup brings the intruder back', async () => {
    await prove();
    const browser = await enter();
    const user = (await browser.send('GET', '/api/user')).json();
    expect(user).toMatchObject({ firstName: null, lastName: null });
    expect((await everkept.ledger.names()).has(ledgerNameOf(intruder.userId))).toBe(true);
  });

  test('removes the stranger: session, password, and the contact who never hears of it', async () => {
    await prove();
    await enter();
    expect((await intruder.browser.send('GET', '/api/user')).statusCode).toBe(401);
    const { email, password } = intruder;
    expect((await anybody().send('POST', '/api/login', { body: { email, password } })).statusCode).toBe(401);
    await everkept.live(5);
    const form = { userEmail: email, contactEmail: contact, contactName: 'Ida Lee', reason: 'There was an accident.' };
    await anybody().send('POST', '/api/emergency-activate', { body: form });
    await everkept.work();
    for (const address of [contact, 'accomplice@people.example']) {
      expect(everkept.mailer.sent.filter(({ to }) => to.address === address)).toEqual([]);
    }
  });
});

test('a browser in which the intruder signed in is a stranger’s from then on, also after Google', async () => {
  await comeWithGoogle();
  const { email } = victim;
  const guess = (browser: Browser) => browser.send('POST', '/api/login', { body: { email, password: 'not the one' } });
  for (let count = 0; count < 6; count += 1) await guess(anybody());
  expect((await guess(intruder.browser)).statusCode).toBe(429);
});

test('every column that names an account hangs on it, so that no row of a table stays when the account goes', async () => {
  const columns = await rows(`
    select c.table_name || '.' || c.column_name as name, k.confdeltype as "onDelete"
    from information_schema.columns c
    join pg_attribute a on a.attrelid = format('%I', c.table_name)::regclass and a.attname = c.column_name
    left join pg_constraint k on k.conrelid = a.attrelid and k.conkey = array[a.attnum] and k.confrelid = 'users'::regclass
    where c.table_schema = 'public' and (c.column_name like '%user\\_id' or k.oid is not null)`);
  const others = columns.filter(({ onDelete }) => onDelete !== 'c').map(({ name }) => name);
  expect(columns.length - others.length).toBeGreaterThan(20);
  // Purchases, complaints and sent news stay without their owner; the last one is the position of a round over all.
  const staying = ['audit_logs', 'bulk_emails', 'complaints', 'integrity_rounds', 'payments', 'voucher_usage'];
  expect(others.map((name) => name.split('.')[0]).toSorted()).toEqual(staying);
});

const plantAuthenticator = () =>
  rows(
    "insert into authenticators (user_id, secret, created_at, confirmed_at) values ($1, '', now(), now())",
    intruder.userId,
  );

test.each([
  ['an app', plantAuthenticator, 'authenticators'],
  ['a passkey', plantPasskey, 'passkeys'],
])(
  '%s that came into the account some other way neither shuts its person out nor signs a stranger in',
  async (_, plant, table) => {
    await plant();
    expect(await rows(`select user_id from ${table}`)).toHaveLength(1);
    expect(await resetPassword(victim)).toMatchObject({ isHandedOver: true });
    await signIn(victim);
    expect(await rows(`select user_id from ${table}`)).toEqual([]);
  },
);

test.each([
  ['POST', '/api/user/second-factors/authenticator', undefined],
  ['POST', '/api/user/second-factors/authenticator/confirm', 'confirmAuthenticator'],
  ['POST', '/api/user/passkeys/options', undefined],
  ['POST', '/api/user/passkeys', 'addPasskey'],
] as const)('no factor is added before the address is verified: %s %s', async (method, path, name) => {
  const body = name && answersToNothing[name];
  const answer = await intruder.browser.send(method, path, { body });
  expect([answer.statusCode, answer.json<{ type: string }>().type]).toEqual([403, 'EMAIL_VERIFICATION_REQUIRED']);
});

describe('if a mail scanner has opened the verification link', () => {
  beforeEach(async () => {
    await anybody().send('GET', everkept.linkTo(victim.email, '/api/verify-email'));
    await everkept.signIn(intruder);
    await everkept.work();
  });
  const resetMail = () =>
    everkept.mailer.sent.findLast(
      ({ to, subject }) => to.address === victim.email && subject === 'Choose a new password',
    );

  test.each([
    ['POST', '/api/user/second-factors/authenticator', undefined],
    ['POST', '/api/user/second-factors/authenticator/confirm', 'confirmAuthenticator'],
    ['POST', '/api/user/passkeys/options', undefined],
  ] as const)('the intruder adds no factor, which would shut the mailbox out: %s %s', async (method, path, name) => {
    const body = name && answersToNothing[name];
    const answer = await intruder.browser.send(method, path, { body });
    expect([answer.statusCode, answer.json<{ message: string }>().message]).toEqual([
      409,
      expect.stringContaining('First show that the mailbox'),
    ]);
  });

  test('the mail with a link for a new password lists the account’s content, has no greeting, and has “This was not me”', async () => {
    await anybody().send('POST', '/api/reset-password', { body: { email: victim.email } });
    await everkept.work();
    const words = resetMail()?.text.replace(/\s+/g, ' ');
    expect(words).toContain('This is in it: 1 letter, 1 trusted contact, a phone number');
    expect(words).toMatch(/^Hello, /);

    const notMe = `/api${everkept.linkTo(victim.email, '/not-me/')}`;
    expect((await anybody().send('POST', notMe)).json<{ goesAt: string | null }>().goesAt).not.toBeNull();
    expect((await intruder.browser.send('GET', '/api/user')).statusCode).toBe(401);
    everkept.mailer.clear();
    await everkept.live(5);
    const form = {
      userEmail: victim.email,
      contactEmail: contact,
      contactName: 'Ida Lee',
      reason: 'There was an accident.',
    };
    await anybody().send('POST', '/api/emergency-activate', { body: form });
    await everkept.work();
    const others = everkept.mailer.sent.filter(({ to }) => to.address !== victim.email && to.address !== adminEmail);
    expect(others).toEqual([]);
  });

  test('a new password warns that the author of the content is unknown, the first time alone', async () => {
    expect(await resetPassword(victim)).toMatchObject({ isHandedOver: false, isFirstSign: true });
    expect(resetMail()?.text).toContain('/not-me/');
    expect(await resetPassword(victim)).toMatchObject({ isHandedOver: false, isFirstSign: false });
    expect(resetMail()?.text).not.toContain('/not-me/');
  });

  test('“This was not me” stops no release of an account that has been there for long, and removes none of them at once', async () => {
    await rows(
      "update users set created_at = now() - interval '200 days', last_login_at = null, last_checkin_at = first_verified_at where id = $1",
      intruder.userId,
    );
    await anybody().send('POST', '/api/reset-password', { body: { email: victim.email } });
    await everkept.work();
    const notMe = `/api${everkept.linkTo(victim.email, '/not-me/')}`;
    expect((await anybody().send('GET', notMe)).json()).toMatchObject({ removal: 'with-undo' });
    await rows("update users set last_checkin_at = now() - interval '330 days' where id = $1", intruder.userId);
    await everkept.work();
    const answer = await anybody().send('POST', notMe);
    expect([answer.statusCode, answer.json<{ message: string }>().message]).toEqual([
      409,
      expect.stringContaining('have a button that stops it'),
    ]);
  });
});

test('a vault whose mailbox was proven once keeps everything, also where an administrator doubts the address later', async () => {
  const owner = await everkept.signUp();
  await everkept.write(owner);
  await everkept.database.pool.query(
    'update users set email_verified = false, mailbox_proven_at = null where id = $1',
    [owner.userId],
  );
  const person = { ...owner, password: 'another quiet kettle' };
  expect(await resetPassword(person)).toMatchObject({ isHandedOver: false });
  const browser = await signIn(person);
  expect((await browser.send('GET', '/api/messages')).json<unknown[]>()).toHaveLength(1);
});

test.each([
  ['on the command line', async () => void (await verifyByOperator(everkept.opened, victim.email))],
  [
    'in the panel',
    async () => {
      const { browser } = await everkept.signUp({ email: adminEmail });
      const answer = await browser.send('POST', `/api/admin/verify-user/${intruder.userId}`);
      expect(answer.statusCode).toBe(200);
    },
  ],
])(
  'an operator’s word %s is no proof of the mailbox: it is asked all the same, and warned before it costs a vault',
  async (_, vouch) => {
    await vouch();
    await everkept.work();
    const [user] = await rows('select * from users where id = $1', intruder.userId);
    expect(user).toMatchObject({ email_verified: true, first_verified_at: null, mailbox_proven_at: null });
    expect(user.vouched_at).not.toBeNull();
    const asked = everkept.mailer.sent.findLast(({ to }) => to.address === victim.email);
    expect(asked?.text.replace(/\s+/g, ' ')).toContain('already accepted that the address is yours');
    await anybody().send('POST', '/api/reset-password', { body: { email: victim.email } });
    await everkept.work();
    const warned = everkept.mailer.sent.findLast(({ to }) => to.address === victim.email);
    expect(warned?.text.replace(/\s+/g, ' ')).toContain('starts with an empty vault');

    // Once the mailbox has answered, a new password costs nothing any more.
    await anybody().send('GET', everkept.linkTo(victim.email, '/api/verify-email'));
    expect(await resetPassword(victim)).toMatchObject({ isHandedOver: false });
  },
);

test('an operator’s word lets nothing that was planted outlive a new password', async () => {
  await verifyByOperator(everkept.opened, victim.email);
  await everkept.work();
  expect((await intruder.browser.send('GET', '/api/user')).json()).toMatchObject({ emailVerified: true });
  expect(await resetPassword(victim)).toMatchObject({ isHandedOver: true });
  const browser = await signIn(victim);
  expect((await browser.send('GET', '/api/messages')).json()).toEqual([]);
  expect((await browser.send('GET', '/api/trusted-contacts')).json()).toEqual([]);
  expect((await intruder.browser.send('GET', '/api/user')).statusCode).toBe(401);
});

test('Google neither opens nor empties an account that an operator has vouched for: the mailbox gets a mail with the way', async () => {
  await verifyByOperator(everkept.opened, victim.email);
  googleEmail = victim.email;
  const browser = anybody();
  await browser.send('GET', '/api/auth/google');
  const answer = await browser.send('GET', '/api/auth/google/callback');
  expect(answer.headers.location).toBe('/login?error=google_email_sent');
  await everkept.work();
  const told = everkept.mailer.sent.filter(({ to }) => to.address === victim.email).map(({ subject }) => subject);
  expect(told).toContain('We did not let Google open your account');
  expect((await intruder.browser.send('GET', '/api/messages')).json<unknown[]>()).toHaveLength(1);
});

test('an account that goes with something bought is in no ledger, or a backup would end what a provider charges for', async () => {
  await buy(everkept, anybody(), { plan: 'premium', email: victim.email });
  await resetPassword(victim);
  expect((await everkept.ledger.names()).has(ledgerNameOf(intruder.userId))).toBe(false);
  const browser = await signIn(victim);
  expect((await browser.send('GET', '/api/user')).json()).toMatchObject({ plan: 'premium' });
});

test('the verification link keeps what its owner made before, in whatever browser it is opened', async () => {
  await anybody().send('GET', everkept.linkTo(victim.email, '/api/verify-email'));
  expect((await intruder.browser.send('GET', '/api/messages')).json<unknown[]>()).toHaveLength(1);
});

test('a plan that was given or paid for stays with the address', async () => {
  await everkept.database.pool.query(`update users set plan = 'premium', plan_granted_at = now() where id = $1`, [
    intruder.userId,
  ]);
  await resetPassword(victim);
  const browser = await signIn(victim);
  expect((await browser.send('GET', '/api/user')).json()).toMatchObject({ plan: 'premium' });
});
