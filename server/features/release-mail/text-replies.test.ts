import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toInternationalPhone } from '#server/platform/sms/phone-number.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { call } from '#tests/support/everkept-world.ts';
import { signedText } from '#tests/support/signed-texts.ts';

const path = '/api/webhooks/twilio';
let everkept: Everkept;
beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());
beforeEach(async () => {
  await everkept.database.pool.query('delete from users');
  everkept.texter.clear();
});

let numbers = 0;
/** A number that no other test has, of the range that is kept for fiction. */
function newPhone(): string {
  numbers += 1;
  return `07700 900${String(100 + numbers)}`;
}

const international = (phone: string) => toInternationalPhone(phone) ?? '';

async function ownerWith(phone: string): Promise<Owner> {
  const owner = await everkept.signUp();
  await everkept.givePhone(owner, phone);
  return owner;
}

type Text = { From: string; Body: string; MessageSid?: string } & Record<string, string>;

/** Posts a text as the provider does. */
function receive(text: Text, url = path) {
  const fields = { MessageSid: `SM${randomUUID()}`, To: '+447700900000', ...text };
  return call(everkept, { method: 'POST', url, ...signedText(url, fields) });
}

const wordsOf = (answer: { body: string }) => /<Message>([^<]*)<\/Message>/.exec(answer.body)?.[1];

async function checkinsOf({ userId }: Owner): Promise<string[]> {
  const { rows } = await everkept.database.pool.query(
    `select type from checkins where user_id = $1 and type = 'sms' order by created_at`,
    [userId],
  );
  return rows.map(({ type }) => type);
}

describe('an answer that says yes', () => {
  test('is a check-in of its owner, ends an open silence or request, and is kept with the question', async () => {
    const phone = newPhone();
    const owner = await ownerWith(phone);
    await everkept.live(46);
    expect(everkept.texter.sent.at(-1)?.text).toContain('Reply YES');
    const answer = await receive({ From: international(phone), Body: ' I’M here! ' });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toContain('text/xml');
    expect(wordsOf(answer)).toContain('check-in for the vault with this number');
    expect(await checkinsOf(owner)).toEqual(['sms']);
    expect(await everkept.ownersRelease.overview(owner.userId)).toMatchObject({ state: 'watching' });
    const { rows } = await everkept.database.pool.query(
      "select response, responded_at from sms_notifications where user_id = $1 and type like 'release.%'",
      [owner.userId],
    );
    expect(rows).toEqual([{ response: expect.not.stringContaining('well'), responded_at: expect.any(Date) }]);
    const log = await everkept.database.pool.query('select action from audit_logs where user_id = $1', [owner.userId]);
    expect(log.rows.map(({ action }) => action)).toContain('user.checked_in_by_text');
  });

  test('counts once, however often the same one comes, also at the same time', async () => {
    const phone = newPhone();
    const owner = await ownerWith(phone);
    await everkept.live(46);
    const text = { From: international(phone), Body: 'YES', MessageSid: 'SM-the-same' };
    const answers = await Promise.all([1, 2, 3, 4].map(() => receive(text)));
    expect(new Set(answers.map(({ statusCode, body }) => statusCode + body)).size).toBe(1);
    expect(await checkinsOf(owner)).toEqual(['sms']);
    // A signature never expires, so a replayed call must not end a later silence.
    await everkept.live(60);
    expect((await receive(text)).statusCode).toBe(200);
    expect(await checkinsOf(owner)).toEqual(['sms']);
    expect(await everkept.ownersRelease.overview(owner.userId)).toMatchObject({ state: 'reminded' });
  });

  test('from a shared number counts for the account with an open question, and else for no account', async () => {
    const phone = newPhone();
    const one = await ownerWith(phone);
    await everkept.live(30);
    const other = await ownerWith(`0044 ${phone.slice(1)}`);
    await receive({ From: international(phone), Body: 'yes' });
    expect([await checkinsOf(one), await checkinsOf(other)]).toEqual([[], []]);
    await everkept.live(16);
    await receive({ From: international(phone), Body: 'yes' });
    expect([await checkinsOf(one), await checkinsOf(other)]).toEqual([['sms'], []]);
    // Both are heard of otherwise on one day, so that a text can be the answer again.
    for (const each of [one, other]) await everkept.signIn(each);
    await everkept.live(46);
    // Both are asked now. The link in each text shows its account, and a sender learns that it is needed.
    const text = { From: international(phone), Body: 'yes', MessageSid: 'SM-of-two' };
    expect(wordsOf(await receive(text))).toContain('this was not counted');
    expect(wordsOf(await receive(text))).toContain('this was not counted');
    expect([await checkinsOf(one), await checkinsOf(other)]).toEqual([['sms'], []]);
  });

  test('counts for its owner, although another account has the same number without proof', async () => {
    const phone = newPhone();
    const owner = await ownerWith(phone);
    await everkept.live(30);
    const stranger = await everkept.signUp();
    await stranger.browser.send('PUT', '/api/user-profile', { body: { phone } });
    await everkept.live(16);
    const answer = await receive({ From: international(phone), Body: 'yes' });
    expect(wordsOf(answer)).not.toContain('not counted');
    expect([await checkinsOf(owner), await checkinsOf(stranger)]).toEqual([['sms'], []]);
  });

  test('counts within a week of our text, and carries one silence: the next needs the button or a sign-in', async () => {
    const phone = newPhone();
    const owner = await ownerWith(phone);
    const yes = async () => wordsOf(await receive({ From: international(phone), Body: 'yes' }));
    await everkept.live(46 + 8);
    expect(await yes()).toContain('was not counted: no text of ours asked this number within the last 7 days');
    expect(await checkinsOf(owner)).toEqual([]);
    await everkept.live(80 - 54 + 1);
    expect(await yes()).toContain('This is a check-in');
    await everkept.live(46);
    expect(everkept.texter.sent.at(-1)?.text).not.toContain('Reply YES');
    expect(await yes()).toContain('a text was your answer last time');
    expect(await checkinsOf(owner)).toEqual(['sms']);
    expect(await everkept.ownersRelease.overview(owner.userId)).toMatchObject({ state: 'reminded' });
    await everkept.signIn(owner);
    await everkept.live(46);
    expect(await yes()).toContain('This is a check-in');
  });

  test('counts for no account if a contact with the same number was asked about its owner', async () => {
    const phone = newPhone();
    const owner = await ownerWith(phone);
    await everkept.befriend(owner, { name: 'Joan Reid', email: `joan-${randomUUID()}@family.example`, phone });
    await everkept.write(owner);
    await everkept.live(91);
    expect(everkept.texter.sent.map(({ text }) => text)).toContainEqual(expect.stringContaining('trusted contact of'));
    expect(await everkept.ownersRelease.overview(owner.userId)).toMatchObject({ state: 'asking' });
    const answer = await receive({ From: international(phone), Body: 'yes, all is well' });
    expect(wordsOf(answer)).toContain('this was not counted');
    expect(await checkinsOf(owner)).toEqual([]);
    expect(await everkept.ownersRelease.overview(owner.userId)).toMatchObject({ state: 'asking' });
  });

  test('tells nothing about who has an account', async () => {
    const phone = newPhone();
    await ownerWith(phone);
    for (const body of ['yes', 'stop', 'start', 'who is this?']) {
      const [known, unknown] = [
        await receive({ From: international(phone), Body: body }),
        await receive({ From: '+447700900999', Body: body }),
      ];
      expect([known.statusCode, known.body]).toEqual([unknown.statusCode, unknown.body]);
    }
  });
});

describe('STOP and START', () => {
  test('hold for every text to the number, also for one that was written before; emails go on', async () => {
    const phone = newPhone();
    const owner = await ownerWith(phone);
    expect(wordsOf(await receive({ From: international(phone), Body: 'Stop.' }))).toContain('no more texts');
    await everkept.live(46);
    expect(everkept.texter.sent).toEqual([]);
    expect(everkept.linkTo(owner.email, '/check-in/')).toBeTruthy();
    expect(await everkept.ownersRelease.overview(owner.userId)).toMatchObject({ state: 'reminded' });
    await receive({ From: international(phone), Body: 'START' });
    await everkept.live(35);
    expect(everkept.texter.sent.map(({ to }) => to)).toEqual([international(phone)]);
    const { rows } = await everkept.database.pool.query('select * from stopped_phones');
    expect(rows).toEqual([]);
  });

  test('is acted on without a word where the provider has answered it already', async () => {
    const phone = newPhone();
    const answer = await receive({ From: international(phone), Body: 'STOP', OptOutType: 'STOP' });
    expect(answer.statusCode).toBe(200);
    expect(wordsOf(answer)).toBeUndefined();
    const { rows } = await everkept.database.pool.query('select phone_key from stopped_phones');
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(phone.slice(-6));
  });
});

describe('a text without the provider’s signature', () => {
  test.each([
    [
      'nothing at all',
      (signed: ReturnType<typeof signedText>) => ({
        ...signed,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    ],
    [
      'another text',
      (signed: ReturnType<typeof signedText>) => ({ ...signed, body: signed.body.replace('no', 'yes') }),
    ],
    ['another address', (signed: ReturnType<typeof signedText>) => ({ ...signed, url: `${path}?more=1` })],
  ])('is refused with 401: %s', async (_what, change) => {
    const phone = newPhone();
    const owner = await ownerWith(phone);
    const signed = signedText(path, { From: international(phone), Body: 'no', MessageSid: `SM${randomUUID()}` });
    const answer = await call(everkept, { method: 'POST', url: path, ...change(signed) });
    expect(answer.statusCode).toBe(401);
    expect(await checkinsOf(owner)).toEqual([]);
  });

  test('is detected by the public address, whichever host the proxy speaks to', async () => {
    const phone = newPhone();
    const owner = await ownerWith(phone);
    await everkept.live(46);
    const signed = signedText(path, { From: international(phone), Body: 'ok', MessageSid: `SM${randomUUID()}` });
    const headers = { ...signed.headers, host: '10.0.0.7:3000', 'x-forwarded-host': 'elsewhere.example' };
    expect((await call(everkept, { method: 'POST', url: path, ...signed, headers })).statusCode).toBe(200);
    expect(await checkinsOf(owner)).toEqual(['sms']);
  });
});

test.each([
  ['+44 07700 900871', '+447700900871'],
  ['447700900872', '+447700900872'],
  ['\u202a07700 900873\u202c', '+447700900873'],
  ['07700/900874 (mobile)', '+447700900874'],
])('a YES from a number that its owner wrote as %j counts', async (written, From) => {
  const owner = await ownerWith(written);
  await everkept.live(46);
  expect((await receive({ From, Body: 'Yes' })).statusCode).toBe(200);
  expect(await checkinsOf(owner)).toEqual(['sms']);
});
