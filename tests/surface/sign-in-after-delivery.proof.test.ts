import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

type Released = { silas: Owner; contact: string; opened: string; unopened: string; slow: string };

/** Takes no mail until it is healed, so that one letter of each vault is still on its way. */
const slowHost = '@slow.example';

let everkept: Everkept;
const waiting: Released[] = [];

/** Everybody whose letters were delivered together, one vault for each test; one more would be too many for a day. */
beforeAll(async () => {
  everkept = await createEverkept();
  everkept.mailer.answer(({ to }) =>
    to.address.endsWith(slowHost) ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' },
  );
  for (let vault = 0; vault < 10; vault += 1) waiting.push(await prepare(vault));
  await everkept.live(98);
  for (const vault of waiting) await open(vault.opened);
});
afterAll(() => everkept.close());

async function prepare(vault: number): Promise<Released> {
  const silas = await everkept.signUp({ firstName: 'Silas', lastName: 'Marner' });
  // Three letters, and one more to be refused.
  await everkept.database.pool.query(`update users set plan = 'lifetime' where id = $1`, [silas.userId]);
  const contact = `dolly${vault}@friends.example`;
  await everkept.befriend(silas, { name: 'Dolly Winthrop', email: contact });
  const [opened, unopened] = [`eppie${vault}@family.example`, `aaron${vault}@family.example`];
  const slow = `godfrey${vault}${slowHost}`;
  for (const recipientEmail of [opened, unopened, slow]) await everkept.write(silas, { recipientEmail });
  return { silas, contact, opened, unopened, slow };
}

const take = () => {
  const vault = waiting.shift();
  if (!vault) throw new Error('Every vault is used by one test.');
  return vault;
};

const letterOf = (address: string) => everkept.tokenFor(address, '/message/');
const open = (address: string) =>
  createBrowser(everkept.app).send('POST', `/api/message-delivery/${letterOf(address)}/opened`);
const readable = async (address: string) =>
  (await createBrowser(everkept.app).send('GET', `/api/message-delivery/${letterOf(address)}`)).statusCode === 200;
const subjects = (address: string) =>
  everkept.mailer.sent.filter(({ to }) => to.address === address).map(({ subject }) => subject);

/** Signs in with the owner's password, in another browser. */
async function signIn({ silas }: Released): Promise<Owner> {
  const somebody = { ...silas, browser: createBrowser(everkept.app) };
  await everkept.signIn(somebody);
  return somebody;
}

const releaseOf = async ({ browser }: Owner) => (await browser.send('GET', '/api/release')).json();
const answer = ({ browser }: Owner, take: string) => browser.send('POST', '/api/release/answer', { body: { take } });

/** The mail server of this vault's slow recipient is well again, and no other. */
async function heal({ slow }: Released): Promise<void> {
  everkept.mailer.answer(({ to }) =>
    to.address.endsWith(slowHost) && to.address !== slow
      ? { outcome: 'temporary', replyCode: 451 }
      : { outcome: 'accepted' },
  );
  await everkept.live(0.5);
}

/** The mailbox of this vault's slow recipient is gone. */
async function refuse({ slow }: Released): Promise<void> {
  everkept.mailer.answer(({ to }) => {
    if (to.address === slow) return { outcome: 'refused', replyCode: 550 };
    if (to.address.startsWith('neighbour')) return { outcome: 'accepted' };
    return to.address.endsWith(slowHost) ? { outcome: 'temporary', replyCode: 451 } : { outcome: 'accepted' };
  });
  await everkept.live(0.5);
}

describe('after the first letter has left', () => {
  test('a widow who signs in with her husband’s password takes nothing back: the page asks, and nothing more leaves', async () => {
    const vault = take();
    const widow = await signIn(vault);
    expect(await releaseOf(widow)).toMatchObject({
      state: 'releasing',
      question: { deliveredAt: expect.any(String), held: 1, goesOnAt: expect.any(String) },
    });
    expect([await readable(vault.opened), await readable(vault.unopened)]).toEqual([true, true]);
    await heal(vault);
    expect(subjects(vault.slow), 'what had not left waits').toEqual([]);

    const answered = await answer(widow, 'not-me');
    expect(answered.statusCode).toBe(200);
    expect((await widow.browser.send('GET', '/api/auth/user')).statusCode, 'signed out').toBe(401);
    await everkept.live(0.5);
    expect(subjects(vault.slow), 'everything goes on').toEqual(['Silas Marner wrote a message for you']);
    expect([await readable(vault.opened), await readable(vault.unopened)]).toEqual([true, true]);
    expect(subjects(vault.contact).at(-1)).toBe('Silas Marner: the messages have been delivered');
    expect(subjects(vault.unopened), 'nobody is told that all is well').toHaveLength(1);
  });

  test('“I am not Silas” is no sign of life, and both are in the log', async () => {
    const vault = take();
    const lastSeen = async () => {
      const question = 'select last_checkin_at as at from users where id = $1';
      return (await everkept.database.pool.query(question, [vault.silas.userId])).rows[0].at;
    };
    const before = await lastSeen();
    await answer(await signIn(vault), 'not-me');
    expect(await lastSeen()).toEqual(before);
    const { rows: actions } = await everkept.database.pool.query(
      `select action from audit_logs where user_id = $1 and action like 'release.%' order by position desc limit 2`,
      [vault.silas.userId],
    );
    expect(actions.map(({ action }) => action)).toEqual([
      'release.signed_in_by_another',
      'release.signed_in_after_delivery',
    ]);
  });

  test('“take back” cancels unsent letters, closes unopened ones, and notifies contacts and every recipient', async () => {
    const vault = take();
    const silas = await signIn(vault);
    expect((await answer(silas, 'back')).statusCode).toBe(200);
    expect(await releaseOf(silas)).toMatchObject({ state: 'halted', question: null });
    await heal(vault);
    expect([await readable(vault.opened), await readable(vault.unopened)]).toEqual([true, false]);
    expect(subjects(vault.slow)).toEqual([]);
    expect(subjects(vault.contact).at(-1)).toBe('We have heard from Silas Marner. We have stopped the delivery');
    const told = 'We have heard from Silas Marner. Our earlier email can be ignored';
    expect([subjects(vault.opened).at(-1), subjects(vault.unopened).at(-1)]).toEqual([told, told]);
    expect((await answer(silas, 'back')).statusCode, 'it is asked once').toBe(409);
  });

  test('“leave it so” closes the release, sent letters continue, and the next silence begins', async () => {
    const vault = take();
    const silas = await signIn(vault);
    expect((await answer(silas, 'leave')).statusCode).toBe(200);
    expect(await releaseOf(silas)).toMatchObject({ state: 'watching', question: null, readyMessages: 1 });
    await heal(vault);
    expect([await readable(vault.opened), await readable(vault.unopened)]).toEqual([true, true]);
    expect(subjects(vault.slow)).toEqual(['Silas Marner wrote a message for you']);
    expect(subjects(vault.contact).at(-1)).toBe('We have heard from Silas Marner, who leaves the delivery as it is');
    expect(subjects(vault.unopened)).toHaveLength(1);
    expect((await silas.browser.send('POST', '/api/checkin')).statusCode).toBe(200);
    expect(await readable(vault.unopened), 'no later sign of life takes it back').toBe(true);
  });

  test('“I am not Silas” notifies contacts who knew of the sign-in, once, and the owner’s own address', async () => {
    const vault = take();
    const toContact = 'It was not Silas Marner who signed in';
    const toOwner = 'The person who signed in to your vault said that they are not you';
    await answer(await signIn(vault), 'not-me');
    await everkept.live(2);
    expect(subjects(vault.contact), 'who had heard of nothing').not.toContain(toContact);
    expect(subjects(vault.silas.email).filter((subject) => subject === toOwner)).toHaveLength(1);

    const widow = await signIn(vault);
    await everkept.live(2);
    await answer(widow, 'not-me');
    await answer(await signIn(vault), 'not-me');
    await everkept.live(0.5);
    expect(subjects(vault.contact).filter((subject) => subject === toContact)).toHaveLength(1);
    expect(subjects(vault.silas.email).filter((subject) => subject === toOwner)).toHaveLength(3);
    expect(await readable(vault.unopened)).toBe(true);
  });

  test('after “leave it so”, a refused letter is reported to the owner, who can correct the address', async () => {
    const vault = take();
    const silas = await signIn(vault);
    expect((await answer(silas, 'leave')).statusCode).toBe(200);
    // Its domain takes other mail, so that three days of refusals close the mailbox.
    await everkept.writeToNeighbour(vault.slow, 4);
    await refuse(vault);
    await everkept.live(3);
    expect(subjects(vault.slow)).toEqual([]);
    expect(subjects(vault.silas.email).at(-1)).toBe('A message of yours could not be delivered');
    expect(subjects(vault.contact).at(-1), 'no contact is led to a page that is closed').toBe(
      'We have heard from Silas Marner, who leaves the delivery as it is',
    );
    expect(await releaseOf(silas)).toMatchObject({ state: 'watching', readyMessages: 1 });
  });

  test('until it is answered nothing is changed in the owner’s name, and a deletion waits too', async () => {
    const vault = take();
    const [somebody, another] = [await signIn(vault), await signIn(vault)];
    const draft = { title: 'New', content: 'Words', recipientEmail: 'nell@family.example', status: 'draft' };
    const tries = [
      await somebody.browser.send('POST', '/api/messages', { body: draft }),
      await somebody.browser.send('PUT', '/api/user-profile', { body: { phone: '07700 900123' } }),
      await somebody.browser.send('DELETE', '/api/delete-account', { body: { password: vault.silas.password } }),
      await another.browser.send('POST', '/api/messages', { body: draft }),
    ];
    expect(tries.map(({ statusCode }) => statusCode)).toEqual([409, 409, 409, 409]);
    expect(tries[0]?.json().message).toMatch(/open the dashboard and tell us who you are/);
    expect(await readable(vault.unopened)).toBe(true);
    await answer(somebody, 'back');
    expect((await somebody.browser.send('POST', '/api/messages', { body: draft })).statusCode).toBe(201);
  });

  test('a check-in, by its button or behind the link of a mail, takes back as it always did', async () => {
    const [inApp, byLink] = [take(), take()];
    const silas = await signIn(inApp);
    expect((await silas.browser.send('POST', '/api/checkin')).statusCode).toBe(200);
    const token = everkept.tokenFor(byLink.silas.email, '/check-in/');
    expect((await createBrowser(everkept.app).send('POST', `/api/check-in/${token}`)).statusCode).toBe(200);
    expect([await readable(inApp.unopened), await readable(byLink.unopened)]).toEqual([false, false]);
  });

  test('unanswered, owner and contacts are notified after a day, and after 30 days without another sign-in the release continues', async () => {
    const vault = take();
    await signIn(vault);
    // No mail at all would be trouble of ours, in which no time counts.
    everkept.mailer.answer(null);
    await everkept.live(0.5);
    const [toOwner, toContact] = [
      'Somebody signed in to your vault. Was it you?',
      'Somebody signed in to the account of Silas Marner',
    ];
    expect(subjects(vault.contact), 'whoever answers soon troubles nobody').not.toContain(toContact);
    await everkept.live(1);
    expect([subjects(vault.silas.email).at(-1), subjects(vault.contact).at(-1)]).toEqual([toOwner, toContact]);
    await everkept.live(20);
    await signIn(vault);
    await everkept.live(29);
    expect(subjects(vault.slow), 'the second sign-in begins the 30 days anew').toEqual([]);
    await everkept.live(1.5);
    expect(subjects(vault.slow)).toEqual(['Silas Marner wrote a message for you']);
    expect(subjects(vault.contact).filter((subject) => subject === toContact)).toHaveLength(1);
    expect(subjects(vault.unopened).filter((subject) => subject.startsWith('We have heard'))).toEqual([]);
  });
});

test('before the first letter has left a sign-in ends everything, as it always did', async () => {
  const owner = await everkept.signUp({ firstName: 'Silas', lastName: 'Marner' });
  const contact = 'priscilla@friends.example';
  await everkept.befriend(owner, { name: 'Priscilla', email: contact });
  await everkept.write(owner, { recipientEmail: 'nobody@slow.example' });
  await everkept.live(91);
  expect(subjects(contact).at(-1)).toContain('please tell us');
  await everkept.signIn(owner);
  expect(await releaseOf(owner)).toMatchObject({ state: 'watching', question: null });
  await everkept.live(0.1);
  expect(subjects(contact).at(-1)).toBe('We have heard from Silas Marner. Nothing was sent');
});
