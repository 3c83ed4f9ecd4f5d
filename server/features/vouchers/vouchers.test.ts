import { eq, inArray } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  billingOf,
  buy,
  checkoutToken,
  ownerByRow,
  pay,
  planOf,
  subjectsTo,
  subscribe,
} from '#server/features/billing/billing.test-world.ts';
import { createVoucher, disableVoucherCode, type NewVoucherCode } from '#server/features/vouchers/vouchers.ts';
import { newToken } from '#server/platform/crypto/token.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { voucherCodes, voucherUsage } from '#server/schema/vouchers.tables.ts';
import { dayMs } from '#shared/rules/inactivity.ts';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';

let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

const always = { maxUses: null, validFrom: null, validUntil: null };

function create(code: string, given: Partial<NewVoucherCode> = {}) {
  const voucher = { code, discountType: 'percentage' as const, discountValue: 20, ...always, ...given };
  return createVoucher(everkept.opened, voucher);
}

const look = (code: string, browser = createBrowser(everkept.app)) =>
  browser.send('POST', '/api/vouchers/validate', { body: { code } });

async function uses(code: string): Promise<{ current: number; spent: number }> {
  const { db } = everkept.database;
  const [voucher] = await db.select().from(voucherCodes).where(eq(voucherCodes.code, code));
  const rows = await db
    .select()
    .from(voucherUsage)
    .where(eq(voucherUsage.voucherCodeId, voucher?.id ?? ''));
  return { current: voucher?.currentUses ?? -1, spent: rows.filter(({ usedAt }) => usedAt).length };
}

test('a code is accepted in any case and with spaces, and the answer has its discount', async () => {
  await create('SPRING20');
  expect((await look(' spr ing20 ')).json()).toEqual({
    code: 'SPRING20',
    discountType: 'percentage',
    discountValue: 20,
  });
  expect(await uses('SPRING20')).toEqual({ current: 0, spent: 0 });
});

test('refusals have a sentence as reason', async () => {
  const hour = 3_600_000;
  await create('EARLY', { validFrom: new Date(Date.now() + hour) });
  await create('LATE', { validUntil: new Date(Date.now() - hour) });
  await create('NONE', { maxUses: 0 });
  await create('OFF');
  await disableVoucherCode(everkept.opened, 'OFF');
  const refusals = await Promise.all(['EARLY', 'LATE', 'NONE', 'OFF', 'UNHEARD'].map((code) => look(code)));
  expect(refusals.map((answer) => [answer.statusCode, answer.json<{ message: string }>().message])).toEqual([
    [409, 'This voucher code is not active yet.'],
    [409, 'This voucher code has expired.'],
    [409, 'This voucher code has already been used.'],
    [404, 'This voucher code is not valid.'],
    [404, 'This voucher code is not valid.'],
  ]);
});

test('a percentage is taken off to the penny, holds for every payment, and is used once it is paid', async () => {
  await create('TENTH', { discountValue: 12.5 });
  const owner = await everkept.signUp();
  const wish = { plan: 'essential', voucherCode: 'tenth', finalPrice: 4.37 } as const;
  const token = checkoutToken(await subscribe(owner.browser, wish));
  expect(await uses('TENTH')).toEqual({ current: 0, spent: 0 });
  await pay(everkept, token);
  expect(await uses('TENTH')).toEqual({ current: 1, spent: 1 });
  expect(await billingOf(owner)).toMatchObject({ pricePence: 437, payments: [{ amountPence: 437 }] });
  expect((await look('TENTH', owner.browser)).json()).toMatchObject({
    message: 'This voucher code has already been used.',
  });
});

test('a free plan begins immediately without a provider, for a visitor when the account is there', async () => {
  await create('GIFT', { discountType: 'free', discountValue: 100 });
  const owner = await everkept.signUp();
  const answer = await subscribe(owner.browser, { plan: 'premium', voucherCode: 'GIFT', finalPrice: 0 });
  expect(answer.json()).toEqual({ message: 'You are on the Premium plan now. There is nothing to pay.' });
  expect(await billingOf(owner)).toMatchObject({
    plan: 'premium',
    provider: 'voucher',
    nextPaymentAt: null,
    payments: [],
  });

  const email = 'gifted@people.example';
  const visitor = createBrowser(everkept.app);
  const wish = { plan: 'lifetime', voucherCode: 'GIFT', finalPrice: 0 } as const;
  expect((await subscribe(visitor, wish)).json()).toMatchObject({
    message: 'Please enter your email address to proceed.',
  });
  await subscribe(visitor, { ...wish, email });
  const gifted = await everkept.signUp({ email });
  expect(await planOf(gifted)).toBe('lifetime');
});

test('a code reveals to a visitor if an address has used it, and not if the address has an account', async () => {
  await create('OPEN', { discountType: 'free', discountValue: 100 });
  const wish = { plan: 'essential', voucherCode: 'OPEN', finalPrice: 0 } as const;
  const used = await everkept.signUp();
  await subscribe(used.browser, wish);
  const other = await everkept.signUp();
  const asVisitor = async (email: string) => (await subscribe(createBrowser(everkept.app), { ...wish, email })).json();
  expect(await asVisitor(used.email)).toMatchObject({ message: 'This voucher code has already been used.' });
  expect(await asVisitor(other.email)).toEqual(await asVisitor('unheard.of@people.example'));
});

test('a change of plan uses a voucher, once for a person, and within its number of uses', async () => {
  await create('MOVEUP', { maxUses: 1 });
  const [first, second] = [await everkept.signUp(), await everkept.signUp()];
  for (const { browser } of [first, second]) await buy(everkept, browser, { plan: 'essential' });
  const wish = { plan: 'premium', voucherCode: 'MOVEUP', finalPrice: 7.99 } as const;
  const changed = await subscribe(first.browser, wish);
  expect(changed.json()).toEqual({ message: 'Your plan is changing to Premium.' });
  expect(await billingOf(first)).toMatchObject({ plan: 'premium', pricePence: 799, can: { change: true } });
  expect(await uses('MOVEUP')).toEqual({ current: 1, spent: 1 });
  const used = { message: 'This voucher code has already been used.' };
  expect((await subscribe(second.browser, wish)).json()).toMatchObject(used);
  const again = { plan: 'essential', voucherCode: 'MOVEUP', finalPrice: 3.99 } as const;
  expect((await subscribe(first.browser, again)).json()).toMatchObject(used);
  expect([await planOf(first), await planOf(second)]).toEqual(['premium', 'essential']);
  expect(await uses('MOVEUP')).toEqual({ current: 1, spent: 1 });
});

test('a plan that is paid for becomes cheaper with a voucher, and not dearer with another', async () => {
  await create('FIFTH');
  await create('TENTHS', { discountValue: 10 });
  const owner = await everkept.signUp();
  await buy(everkept, owner.browser, { plan: 'essential' });
  const fifth = await subscribe(owner.browser, { plan: 'essential', voucherCode: 'FIFTH', finalPrice: 3.99 });
  expect(fifth.statusCode).toBe(200);
  expect(await billingOf(owner)).toMatchObject({ plan: 'essential', pricePence: 399 });
  const tenth = await subscribe(owner.browser, { plan: 'essential', voucherCode: 'TENTHS', finalPrice: 4.49 });
  expect([tenth.statusCode, (await billingOf(owner)).pricePence]).toEqual([409, 399]);
  expect(await uses('TENTHS')).toEqual({ current: 0, spent: 0 });
});

test('uses that the voucher itself has counted stay used, even without their rows', async () => {
  await create('HANDEDOUT', { maxUses: 2 });
  await everkept.database.pool.query(`update voucher_codes set current_uses = 1 where code = 'HANDEDOUT'`);
  const [first, second] = [await everkept.signUp(), await everkept.signUp()];
  const wish = { plan: 'essential', voucherCode: 'HANDEDOUT', finalPrice: 3.99 } as const;
  await pay(everkept, checkoutToken(await subscribe(first.browser, wish)));
  expect(await uses('HANDEDOUT')).toEqual({ current: 2, spent: 1 });
  const message = 'This voucher code has already been used.';
  expect((await look('HANDEDOUT')).json()).toMatchObject({ message });
  expect((await subscribe(second.browser, wish)).json()).toMatchObject({ message });
});

test('an unpaid checkout returns its use, and until then reserves it for its own person', async () => {
  await create('LASTONE', { maxUses: 1 });
  const [first, second] = [await everkept.signUp(), await everkept.signUp()];
  const wish = { plan: 'essential', voucherCode: 'LASTONE', finalPrice: 3.99 } as const;
  expect((await subscribe(first.browser, wish)).statusCode).toBe(200);
  expect((await subscribe(second.browser, wish)).statusCode).toBe(409);
  // A returning buyer finds the reserved use.
  expect((await subscribe(first.browser, wish)).statusCode).toBe(200);
  await everkept.jump(1);
  await everkept.signIn(second);
  const token = checkoutToken(await subscribe(second.browser, wish));
  await pay(everkept, token);
  expect(await planOf(second)).toBe('essential');
  expect(await uses('LASTONE')).toEqual({ current: 1, spent: 1 });
});

/** Accounts that wait for their verification, with the path of each link. By SQL, since passwords are slow by design. */
async function unverified(emails: readonly string[]): Promise<string[]> {
  return Promise.all(
    emails.map(async (email) => {
      const { userId } = await ownerByRow(everkept);
      const token = newToken();
      const emailVerificationExpires = new Date(Date.now() + 30 * dayMs);
      const emailVerificationToken = everkept.hashToken(token);
      await everkept.database.db
        .update(users)
        .set({ email, emailVerified: false, emailVerificationToken, emailVerificationExpires })
        .where(eq(users.id, userId));
      return `/api/verify-email?token=${token}`;
    }),
  );
}

const made = (count: number, at: string) => Array.from({ length: count }, (_, index) => `p${index}@${at}.example`);

describe('a voucher that leaves nothing to pay', () => {
  const wish = { plan: 'essential', finalPrice: 0 } as const;
  const ask = (voucherCode: string, emails: readonly string[]) =>
    Promise.all(emails.map((email) => subscribe(createBrowser(everkept.app), { ...wish, voucherCode, email })));
  const subjects = (address: string) => subjectsTo(everkept, address).filter((subject) => /voucher/i.test(subject));

  test('is not used up by a hundred unverified addresses', async () => {
    await create('DRAINED', { discountType: 'free', maxUses: 2 });
    const answers = await ask('DRAINED', made(100, 'drain'));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    expect(await uses('DRAINED')).toEqual({ current: 0, spent: 0 });
    const owner = await everkept.signUp();
    await subscribe(owner.browser, { ...wish, voucherCode: 'DRAINED' });
    expect(await planOf(owner)).toBe('essential');
    expect(await uses('DRAINED')).toEqual({ current: 1, spent: 1 });
  });

  test('is used exactly as often as it may be when a hundred addresses are verified in parallel', async () => {
    await create('HUNDRED', { discountType: 'free', maxUses: 5 });
    const emails = made(100, 'hundred');
    await ask('HUNDRED', emails);
    const links = await unverified(emails);
    const answers = await Promise.all(links.map((link) => createBrowser(everkept.app).send('GET', link)));
    expect(answers.filter(({ headers }) => headers.location !== '/?verified=true').map(({ body }) => body)).toEqual([]);
    const rows = await everkept.database.db.select().from(users).where(inArray(users.email, emails));
    expect(rows.every(({ emailVerified }) => emailVerified)).toBe(true);
    expect(rows.filter(({ plan }) => plan === 'essential')).toHaveLength(5);
    expect(rows.filter(({ plan }) => plan === 'free')).toHaveLength(95);
    expect(await uses('HUNDRED')).toEqual({ current: 5, spent: 5 });
  });

  test('is used when an owner who was signed in before verifies, and says so on the page until then', async () => {
    await create('LATER', { discountType: 'free', maxUses: 1 });
    const owner = await everkept.signUp({ isVerified: false });
    const answer = await subscribe(owner.browser, { ...wish, voucherCode: 'LATER' });
    expect(answer.json<{ message: string }>().message).toMatch(/^Confirm your email address to use the voucher\./);
    expect([await planOf(owner), await uses('LATER')]).toEqual(['free', { current: 0, spent: 0 }]);
    await owner.browser.send('GET', everkept.linkTo(owner.email, '/api/verify-email'));
    expect([await planOf(owner), await uses('LATER')]).toEqual(['essential', { current: 1, spent: 1 }]);
  });

  test.each([
    ['has no use left', async () => void (await buyWith('GONE'))],
    ['was disabled', () => disableVoucherCode(everkept.opened, 'GONE-OFF')],
  ])('leaves the owner on the Free plan and emails them if it %s when they verify', async (reason, spoil) => {
    const code = reason === 'was disabled' ? 'GONE-OFF' : 'GONE';
    await create(code, { discountType: 'free', maxUses: 1 });
    const owner = await everkept.signUp({ isVerified: false });
    await subscribe(owner.browser, { ...wish, voucherCode: code });
    await spoil();
    await owner.browser.send('GET', everkept.linkTo(owner.email, '/api/verify-email'));
    await everkept.work();
    expect(await planOf(owner)).toBe('free');
    expect(subjects(owner.email)).toEqual(['Your voucher for Essential had no use left']);
  });

  test('still waits after a stranger begins other checkouts with its address', async () => {
    await create('WAITS', { discountType: 'free' });
    await create('OTHERS', { discountType: 'free' });
    const email = 'waits@people.example';
    const stranger = createBrowser(everkept.app);
    await subscribe(createBrowser(everkept.app), { plan: 'premium', voucherCode: 'WAITS', finalPrice: 0, email });
    expect((await subscribe(stranger, { plan: 'essential', email })).statusCode).toBe(200);
    for (const voucherCode of ['OTHERS', 'WAITS']) await subscribe(stranger, { ...wish, voucherCode, email });
    const owner = await everkept.signUp({ email });
    expect([await planOf(owner), await uses('WAITS'), await uses('OTHERS')]).toEqual([
      'premium',
      { current: 1, spent: 1 },
      { current: 0, spent: 0 },
    ]);
  });

  test('is used for a verified address at the next sign-in of its owner, and not before', async () => {
    await create('KNOWN', { discountType: 'free', maxUses: 1 });
    const owner = await everkept.signUp();
    await ask('KNOWN', [owner.email]);
    expect([await planOf(owner), await uses('KNOWN')]).toEqual(['free', { current: 0, spent: 0 }]);
    expect((await look('KNOWN')).statusCode).toBe(200);
    await everkept.signIn(owner);
    expect([await planOf(owner), await uses('KNOWN')]).toEqual(['essential', { current: 1, spent: 1 }]);
  });

  test('changes nothing for an owner who pays already, if a stranger types their address', async () => {
    await create('PUSHED', { discountType: 'free' });
    const owner = await everkept.signUp();
    await buy(everkept, owner.browser, { plan: 'essential' });
    const stranger = createBrowser(everkept.app);
    await subscribe(stranger, { plan: 'premium', voucherCode: 'PUSHED', finalPrice: 0, email: owner.email });
    await everkept.signIn(owner);
    expect([await planOf(owner), await uses('PUSHED')]).toEqual(['essential', { current: 0, spent: 0 }]);
  });

  test('sends one email to a mailbox, even if a visitor types its address often', async () => {
    await create('OFTEN', { discountType: 'free' });
    const email = 'often@people.example';
    for (let count = 0; count < 3; count += 1) await ask('OFTEN', [email]);
    await everkept.work();
    expect(subjects(email)).toEqual(['Confirm your address to use your voucher for Essential']);
  });

  async function buyWith(voucherCode: string) {
    const other = await everkept.signUp();
    await subscribe(other.browser, { ...wish, voucherCode });
  }
});

test('a paid voucher with five uses is used exactly five times by a hundred visitors in parallel', async () => {
  await create('FIVE', { maxUses: 5 });
  const answers = await Promise.all(
    made(100, 'paid').map(async (email) => {
      const wish = { plan: 'essential', voucherCode: 'FIVE', finalPrice: 3.99, email } as const;
      const answer = await subscribe(createBrowser(everkept.app), wish);
      if (answer.statusCode === 200) await pay(everkept, checkoutToken(answer));
      return answer.statusCode;
    }),
  );
  expect(answers.filter((status) => status === 200)).toHaveLength(5);
  // A busy service may ask some to come back.
  const refused = answers.filter((status) => status !== 200);
  expect(refused.filter((status) => status !== 409 && status !== 503)).toEqual([]);
  expect(await uses('FIVE')).toEqual({ current: 5, spent: 5 });
});
