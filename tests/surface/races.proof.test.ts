import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { call, type Sent } from '#tests/support/everkept-world.ts';

let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

const ownOrigin = { 'sec-fetch-site': 'same-origin' };
const silenceDays = 91;

const count = async (table: string, where: string, value: string): Promise<number> => {
  const { rows } = await everkept.database.pool.query(
    `select count(*)::int as count from ${table} where ${where} = $1`,
    [value],
  );
  return rows[0]?.count ?? -1;
};

/** Makes one call many times in parallel. Returns the sorted statuses. */
async function atOnce(times: number, sent: Sent): Promise<number[]> {
  const calls = Array.from({ length: times }, () => call(everkept, { ...sent, headers: ownOrigin }));
  return (await Promise.all(calls)).map(({ statusCode }) => statusCode).toSorted();
}

type Life = { owner: Owner; contact: string; reader: string };

/** An owner whose one contact has been asked. */
async function asked(name: string): Promise<Life> {
  const owner = await everkept.signUp({ firstName: name });
  const [contact, reader] = [`contact.${owner.email}`, `reader.${owner.email}`];
  const settings = { body: { releaseMethod: 'trusted_contact', inactivityDays: 90 } };
  await owner.browser.send('PUT', '/api/user/release-settings', settings);
  await everkept.write(owner, { recipientEmail: reader });
  await everkept.befriend(owner, { name: 'Ada Shah', email: contact });
  return { owner, contact, reader };
}

const portalOf = (contact: string) =>
  `/api/trusted-contact-admin/${everkept.tokenFor(contact, '/trusted-contact-admin/')}/confirm-release`;
const confirmation = { confirmed: true, reason: 'I was at the funeral.' };
const mailsTo = (address: string, subject: RegExp) =>
  everkept.mailer.sent.filter(({ to, subject: words }) => to.address === address && subject.test(words)).length;

describe('a free plan', () => {
  test('holds two messages when a hundred are written at once', async () => {
    const { browser, userId } = await everkept.signUp();
    const body = { title: 'A letter', content: 'Words', recipientEmail: 'reader@people.example', status: 'ready' };
    const statuses = await atOnce(100, { method: 'POST', url: '/api/messages', cookie: browser.cookie, body });
    expect(statuses).toEqual([201, 201, ...Array.from({ length: 98 }, () => 403)]);
    expect(await count('messages', 'user_id', userId)).toBe(2);
  });
});

describe('a button that is pressed twice', () => {
  test('registers an address once', async () => {
    const email = 'twice@people.example';
    const password = 'a bag of eleven limes';
    const body = { email, password, confirmPassword: password, firstName: 'Tess', lastName: 'Wye' };
    expect(await atOnce(5, { method: 'POST', url: '/api/register', body })).toEqual([201, 201, 201, 201, 201]);
    expect(await count('users', 'email', email)).toBe(1);
    expect(await count('audit_logs', 'action', 'account.register')).toBe(await total('users'));
  });

  test('accepts an invitation once', async () => {
    const owner = await everkept.signUp();
    const email = `contact.${owner.email}`;
    await owner.browser.send('POST', '/api/trusted-contacts', { body: { name: 'Ben Okri', email } });
    await everkept.work();
    const url = `/api/trusted-contact-invitation/${everkept.tokenFor(email, '/trusted-contact-accept/')}`;
    expect(await atOnce(5, { method: 'POST', url, body: { accept: true } })).toEqual([200, 200, 200, 200, 200]);
    await everkept.work();
    expect(mailsTo(owner.email, /has agreed/)).toBe(1);
  });

  test('sends an invitation again, and only the newest link lives', async () => {
    const owner = await everkept.signUp();
    const email = `contact.${owner.email}`;
    const added = await owner.browser.send('POST', '/api/trusted-contacts', { body: { name: 'Ben Okri', email } });
    await everkept.work();
    const url = `/api/trusted-contacts/${added.json<{ id: string }>().id}/resend-invitation`;
    expect(await atOnce(2, { method: 'POST', url, cookie: owner.browser.cookie })).toEqual([200, 200]);
    await everkept.work();
    // The first of the two was taken back before it left.
    expect(mailsTo(email, /trusted contact/)).toBe(2);
    const tokens = everkept.mailer.sent
      .filter(({ to }) => to.address === email)
      .map(({ text }) => /trusted-contact-accept\/([\w-]+)/.exec(text)?.[1]);
    const answers = [];
    for (const token of tokens) {
      answers.push(
        (await call(everkept, { method: 'GET', url: `/api/trusted-contact-invitation/${token}` })).statusCode,
      );
    }
    expect(answers).toEqual([404, 200]);
  });

  test('sets a new password once', async () => {
    const owner = await everkept.signUp();
    await owner.browser.send('POST', '/api/reset-password', { body: { email: owner.email } });
    await everkept.work();
    const token = everkept.tokenFor(owner.email, '/reset-password/');
    const password = 'a bag of eleven limes';
    const body = { token, password, confirmPassword: password };
    const statuses = await atOnce(5, { method: 'POST', url: '/api/reset-password/complete', body });
    expect(statuses).toEqual([200, 404, 404, 404, 404]);
    await everkept.work();
    expect(mailsTo(owner.email, /password/i)).toBe(2);
  });

  test('stops a release once', async () => {
    const { owner, contact } = await asked('Stella');
    await everkept.live(silenceDays);
    const before = await count('release_requests', 'user_id', owner.userId);
    await everkept.signIn(owner);
    const { cookie } = owner.browser;
    expect(await atOnce(5, { method: 'POST', url: '/api/release/stop', cookie })).toEqual([200, 200, 200, 200, 200]);
    await everkept.work();
    expect(await count('release_requests', 'user_id', owner.userId)).toBe(before);
    expect(mailsTo(contact, /Nothing was sent/)).toBe(1);
  });

  test('checks in once with a link', async () => {
    const { owner } = await asked('Cora');
    await everkept.live(46);
    const url = `/api/check-in/${everkept.tokenFor(owner.email, '/check-in/')}`;
    expect(await atOnce(5, { method: 'POST', url })).toEqual([200, 409, 409, 409, 409]);
  });
});

describe('another address for a letter that was refused', () => {
  test('is agreed with ten times at once by one contact while the other says no: one of them is heard', async () => {
    const { owner, contact } = await asked('Agnes');
    await owner.browser.send('PUT', '/api/release/preferences', {
      body: { quorum: 1, waitingDays: 0, answerDays: 7 },
    });
    const [other, third] = [`other.${owner.email}`, `third.${owner.email}`];
    for (const email of [other, third]) await everkept.befriend(owner, { name: 'Ben Okri', email });
    const refusing = `refusing.${owner.email}`;
    await everkept.write(owner, { recipientEmail: refusing, visibleToTrustedContact: true });
    everkept.mailer.answer(({ to }) =>
      to.address === refusing ? { outcome: 'refused', replyCode: 550 } : { outcome: 'accepted' },
    );
    await everkept.live(silenceDays);
    await call(everkept, { method: 'POST', url: portalOf(contact), headers: ownOrigin, body: confirmation });
    await everkept.live(5);
    everkept.mailer.answer(null);

    const of = (email: string) => `/api/new-address/${everkept.tokenFor(email, '/new-address/')}`;
    const page = await call(everkept, { method: 'GET', url: of(contact) });
    const letterId = page.json<{ letters: { id: string }[] }>().letters[0]?.id ?? '';
    const address = `found.${owner.email}`;
    const proposed = { letterId, address, reason: 'We wrote to each other last week.' };
    expect(await atOnce(5, { method: 'POST', url: `${of(contact)}/proposals`, body: proposed })).toEqual([
      200, 200, 200, 200, 200,
    ]);
    await Promise.all([
      atOnce(10, { method: 'POST', url: `${of(other)}/answers`, body: { letterId, address, agrees: true } }),
      atOnce(1, { method: 'POST', url: `${of(third)}/answers`, body: { letterId, address, agrees: false } }),
    ]);
    await everkept.work();
    const proposals = await statesOf('address_proposals', 'status', owner);
    expect(proposals).toEqual([expect.stringMatching(/^(sent|refused)$/)]);
    expect(mailsTo(address, /./)).toBe(proposals[0] === 'sent' ? 1 : 0);
    expect(mailsTo(owner.email, /may go to another address/)).toBe(1);
  });
});

describe('a portal link', () => {
  test('takes one decision when it is pressed fifty times at once', async () => {
    const { owner, contact, reader } = await asked('Petra');
    await everkept.live(silenceDays);
    const statuses = await atOnce(50, { method: 'POST', url: portalOf(contact), body: confirmation });
    expect(statuses).toEqual([200, ...Array.from({ length: 49 }, () => 409)]);
    await everkept.work();
    expect(await count('message_deliveries', 'user_id', owner.userId)).toBe(1);
    expect(everkept.mailer.sent.filter(({ to }) => to.address === reader)).toHaveLength(1);
  });

  test('takes yes or no, and not both', async () => {
    const { owner, contact, reader } = await asked('Noor');
    await everkept.live(silenceDays);
    const url = portalOf(contact);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        call(everkept, {
          method: 'POST',
          url,
          headers: ownOrigin,
          body: { ...confirmation, confirmed: index % 2 === 0 },
        }),
      ),
    );
    const taken = answers
      .filter(({ statusCode }) => statusCode === 200)
      .map((answer) => answer.json<{ state: string }>().state);
    expect(taken).toHaveLength(1);
    await everkept.work();
    const sent = everkept.mailer.sent.filter(({ to }) => to.address === reader).length;
    expect(sent).toBe(taken[0] === 'confirmed' ? 1 : 0);
    expect(await count('message_deliveries', 'user_id', owner.userId)).toBe(sent);
  });
});

async function statesOf(table: string, column: string, { userId }: Owner): Promise<string[]> {
  const { rows } = await everkept.database.pool.query(`select ${column} as state from ${table} where user_id = $1`, [
    userId,
  ]);
  return rows.map(({ state }) => state);
}

async function total(table: string): Promise<number> {
  const { rows } = await everkept.database.pool.query(`select count(*)::int as count from ${table}`);
  return rows[0]?.count ?? -1;
}
