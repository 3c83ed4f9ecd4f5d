import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

const priya = 'priya@friends.example';

let everkept: Everkept;
beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

const anybody = () => createBrowser(everkept.app);
const stateOf = async ({ userId }: Owner) => (await everkept.ownersRelease.overview(userId)).state;

async function confirmEarly(owner: Owner): Promise<void> {
  const body = { userEmail: owner.email, contactEmail: priya, contactName: 'Priya', reason: 'There was an accident.' };
  expect((await anybody().send('POST', '/api/emergency-activate', { body })).statusCode).toBe(202);
  await everkept.work();
  const portal = `/api/trusted-contact-admin/${everkept.tokenFor(priya, '/trusted-contact-admin/')}`;
  const confirmed = { body: { confirmed: true, reason: 'I was at the funeral.' } };
  expect((await anybody().send('POST', `${portal}/confirm-release`, confirmed)).statusCode).toBe(200);
  await everkept.work();
  expect(await stateOf(owner)).toBe('holding');
}

const checkIn = ({ email }: Owner) => anybody().send('POST', `/api/check-in/${everkept.tokenFor(email, '/check-in/')}`);

test('a link stops once in sixty days what contacts have confirmed; the next time it takes a sign-in', async () => {
  const owner = await everkept.signUp({ firstName: 'Silas' });
  await everkept.write(owner);
  await everkept.befriend(owner, { name: 'Priya Shah', email: priya });
  await everkept.live(4);
  await confirmEarly(owner);
  expect((await checkIn(owner)).statusCode).toBe(200);
  expect(await stateOf(owner)).toBe('watching');

  await everkept.live(31);
  await confirmEarly(owner);
  const second = await checkIn(owner);
  expect([second.statusCode, second.json().message]).toEqual([403, expect.stringContaining('please sign in')]);
  expect(await stateOf(owner)).toBe('holding');
  await everkept.signIn(owner);
  expect(await stateOf(owner)).toBe('watching');

  await everkept.live(40);
  await confirmEarly(owner);
  expect((await checkIn(owner)).statusCode, 'the first one was 71 days ago').toBe(200);
});
