import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkoutToken, pay, planOf, subscribe } from '#server/features/billing/billing.test-world.ts';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';

let everkept: Everkept;
beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

const stateOf = async (token: string) =>
  (await createBrowser(everkept.app).send('GET', `/api/payments/sandbox/${token}`)).json<{ status: string }>().status;

test('a stranger who types an owner’s address, signed out, does not end the checkout that the owner has open', async () => {
  const owner = await everkept.signUp();
  const wish = { plan: 'essential' } as const;
  const mine = checkoutToken(await subscribe(owner.browser, wish));
  const stranger = createBrowser(everkept.app);
  const theirs = checkoutToken(await subscribe(stranger, { ...wish, email: owner.email }));
  expect(await stateOf(mine)).toBe('open');
  expect((await pay(everkept, mine)).statusCode).toBe(200);
  expect(await planOf(owner)).toBe('essential');
  expect(theirs).not.toBe(mine);
});

test('an owner who begins again ends what they began before, signed in or signed out', async () => {
  const owner = await everkept.signUp();
  const wish = { plan: 'essential' } as const;
  const before = checkoutToken(await subscribe(createBrowser(everkept.app), { ...wish, email: owner.email }));
  const first = checkoutToken(await subscribe(owner.browser, wish));
  const second = checkoutToken(await subscribe(owner.browser, wish));
  const states = await Promise.all([before, first, second].map(stateOf));
  expect(states.map((state) => state === 'open')).toEqual([false, false, true]);
});
