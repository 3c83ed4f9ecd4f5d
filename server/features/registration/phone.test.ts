import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, dumpRows, type Everkept, type Owner } from '#tests/support/everkept.ts';

const minute = 1 / 1440;
let everkept: Everkept;
let owner: Owner;
let numbers = 0;
let phone: string;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());
beforeEach(async () => {
  everkept.texter.clear();
  numbers += 1;
  phone = `07700 900${100 + numbers}`;
  owner = await everkept.signUp();
});

const save = (number: string | null, who = owner) =>
  who.browser.send('PUT', '/api/user-profile', { body: { phone: number } });
const verify = (code: string, who = owner) => who.browser.send('POST', '/api/user/phone/verify', { body: { code } });
const resend = (who = owner) => who.browser.send('POST', '/api/user/phone/resend');
const isProven = async (who = owner) => (await who.browser.send('GET', '/api/user')).json().isPhoneProven;
/** The code of the newest text. */
async function codeSent(): Promise<string> {
  await everkept.work();
  return everkept.texter.sent.at(-1)?.text.match(/\b\d{6}\b/)?.[0] ?? '';
}
const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describe('a phone number', () => {
  test('counts from the moment its code was typed: before, no reminder goes there', async () => {
    expect((await save(phone)).json()).toMatchObject({ phone, isPhoneProven: false });
    const code = await codeSent();
    expect(everkept.texter.sent).toMatchObject([{ text: expect.stringContaining('10 minutes') }]);
    await everkept.live(46);
    expect(everkept.texter.sent).toHaveLength(1);

    await everkept.signIn(owner);
    expect((await resend()).statusCode).toBe(200);
    expect((await verify(code)).statusCode).toBe(400);
    const proven = await verify(await codeSent());
    expect([proven.statusCode, proven.json()]).toMatchObject([200, { phone, isPhoneProven: true }]);
    await everkept.live(46);
    expect(everkept.texter.sent.at(-1)?.text).toContain('we have not heard from you');
  });

  test('is unproven after a change, and keeps its proof if only the spelling changes', async () => {
    await everkept.givePhone(owner, phone);
    expect(await isProven()).toBe(true);
    expect((await save(`+44 ${phone.slice(1)}`)).json()).toMatchObject({ isPhoneProven: true });
    expect((await save('07700 900999')).json()).toMatchObject({ isPhoneProven: false });
    expect((await save(phone)).json()).toMatchObject({ isPhoneProven: false });
  });

  test('is not proven by the code of the number before, nor by another account’s', async () => {
    await save(phone);
    const before = await codeSent();
    await save('07700 900998');
    expect((await verify(before)).statusCode).toBe(400);
    const stranger = await everkept.signUp();
    await save('07700 900998', stranger);
    expect((await verify(await codeSent())).statusCode).toBe(400);
    expect([await isProven(), await isProven(stranger)]).toEqual([false, false]);
  });

  test('is refused after ten minutes, and after five wrong codes, even if the sixth is right', async () => {
    await save(phone);
    const late = await codeSent();
    await everkept.jump(11 * minute);
    expect((await verify(late)).json().message).toBe('That code has expired. Ask for a new one.');
    await resend();
    const code = await codeSent();
    const wrong = await Promise.all(Array.from({ length: 5 }, () => verify(other(code))));
    expect(wrong.map(({ statusCode }) => statusCode)).toEqual([400, 400, 400, 400, 400]);
    expect((await verify(code)).json().message).toBe('That code has expired. Ask for a new one.');
    expect(await isProven()).toBe(false);
  });

  test('is sent three texts a day, from all accounts together, and is still saved', async () => {
    await save(phone);
    for (const status of [200, 200, 429]) expect((await resend()).statusCode).toBe(status);
    const stranger = await everkept.signUp();
    expect((await save(phone, stranger)).json()).toMatchObject({ phone, isPhoneProven: false });
    expect((await resend(stranger)).statusCode).toBe(429);
    await everkept.work();
    expect(everkept.texter.sent).toHaveLength(3);
  });

  test('is sent no code for an account that names one number after another', async () => {
    for (let count = 0; count < 8; count += 1) await save(`07700 9018${10 + count}`);
    await everkept.work();
    expect(everkept.texter.sent).toHaveLength(6);
  });

  test('is texted nothing before the email address is verified', async () => {
    const unverified = await everkept.signUp({ isVerified: false });
    expect((await save(phone, unverified)).statusCode).toBe(200);
    const answers = [await resend(unverified), await verify('123456', unverified)];
    expect(answers.map((answer) => answer.json().type)).toEqual(Array(2).fill('EMAIL_VERIFICATION_REQUIRED'));
    await everkept.work();
    expect(everkept.texter.sent).toEqual([]);
    await unverified.browser.send('GET', everkept.linkTo(unverified.email, '/api/verify-email'));
    expect((await resend(unverified)).statusCode).toBe(200);
    expect((await verify(await codeSent(), unverified)).json()).toMatchObject({ isPhoneProven: true });
  });

  test.each([['12 34'], ['letters'], ['']])('rejects the code “%s”', async (code) => {
    await save(phone);
    expect((await verify(code)).statusCode).toBe(400);
  });

  test.each([
    [21614, 'landline', /may be a landline/],
    [21610, 'stopped', /Text START from it/],
    [21211, 'refused', /does not accept this number/],
  ] as const)(
    'that the text service refuses with %d says so on the page that waits',
    async (replyCode, trouble, words) => {
      const profile = async () => (await owner.browser.send('GET', '/api/user-profile')).json();
      expect((await save(phone)).json()).toMatchObject({ phoneTrouble: null });
      everkept.texter.answer(() => ({ outcome: 'refused', replyCode }));
      await everkept.work();
      everkept.texter.answer(null);
      expect(await profile()).toMatchObject({ phone, isPhoneProven: false, phoneTrouble: trouble });
      const typed = await verify('123456');
      expect([typed.statusCode, typed.json().message]).toEqual([400, expect.stringMatching(words)]);

      expect((await save('07700 900997')).json(), 'another number').toMatchObject({ phoneTrouble: null });
      expect((await save(phone)).json(), 'a new code to it').toMatchObject({ phoneTrouble: null });
      expect((await verify(await codeSent())).json()).toMatchObject({ isPhoneProven: true, phoneTrouble: null });
    },
  );

  test.each([
    ['020 7946 0018', 'We can’t text a landline. Please enter a mobile number, such as 07700 900123'],
    ['0800 123 4567', 'This number can’t get texts. Please enter a mobile number, such as 07700 900123'],
    ['07700 90012', expect.stringContaining('This is not a complete phone number.')],
    ['call me', 'Please enter a phone number, such as 07700 900123'],
  ])('written as %j is refused with the reason, here and for a contact', async (written, message) => {
    await save(phone);
    const contact = { name: 'Ann', email: 'ann@friends.example', phone: written };
    const answers = [await save(written), await owner.browser.send('POST', '/api/trusted-contacts', { body: contact })];
    for (const answer of answers) {
      expect([answer.statusCode, answer.json().issues]).toEqual([400, [{ path: 'phone', message }]]);
    }
    expect((await owner.browser.send('GET', '/api/user')).json()).toMatchObject({ phone });
  });

  test('explains the refusal if there is no number, or it is proven already', async () => {
    expect((await resend()).statusCode).toBe(409);
    expect((await verify('123456')).statusCode).toBe(400);
    await everkept.givePhone(owner, phone);
    expect((await resend()).statusCode).toBe(409);
  });

  test('rejects a signed-out visitor', async () => {
    const answer = await createBrowser(everkept.app).send('POST', '/api/user/phone/resend');
    expect(answer.statusCode).toBe(401);
  });

  test('may be proven by two people who share it', async () => {
    const partner = await everkept.signUp();
    await everkept.givePhone(owner, phone);
    await everkept.givePhone(partner, phone);
    expect([await isProven(), await isProven(partner)]).toEqual([true, true]);
  });

  test('has its code nowhere in the clear: in no row and no line of the log', async () => {
    await save(phone);
    const code = await codeSent();
    await verify(other(code));
    const rows = await dumpRows(everkept.database);
    expect(rows.filter((row) => new RegExp(`(?<![\\w-])${code}(?![\\w-])`).test(row))).toEqual([]);
    expect(everkept.log.filter((line) => line.includes(`"${code}"`))).toEqual([]);
  });
});
