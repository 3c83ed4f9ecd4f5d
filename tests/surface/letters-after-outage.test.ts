import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, dayMs, type Everkept } from '#tests/support/everkept.ts';

const recipient = 'nell@family.example';

let everkept: Everkept;
beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

const readLetter = () =>
  createBrowser(everkept.app).send('GET', `/api/message-delivery/${everkept.tokenFor(recipient, '/message/')}`);
const mails = () => everkept.mailer.sent.filter(({ to }) => to.address === recipient).map(({ subject }) => subject);

test('an outage of 31 days costs a recipient neither the link nor its two reminders', async () => {
  const owner = await everkept.signUp({ firstName: 'Sam', lastName: 'Ashworth' });
  await everkept.write(owner, { recipientEmail: recipient });
  await everkept.befriend(owner, { name: 'Priya Shah', email: 'priya@friends.example' });
  const settings = { releaseMethod: 'inactivity', inactivityDays: 90 };
  await owner.browser.send('PUT', '/api/user/release-settings', { body: settings });
  await everkept.live(98);
  expect(mails()).toEqual(['Sam Ashworth wrote a message for you']);
  const before = Date.parse((await readLetter()).json().expiresAt);

  await everkept.jump(31);
  await everkept.work();
  const answer = await readLetter();
  expect(answer.statusCode).toBe(200);
  // An outage counts from the last heartbeat before it.
  expect(Date.parse(answer.json().expiresAt) - before).toBeGreaterThan(30.9 * dayMs);
  expect(mails()).toHaveLength(1);

  await everkept.live(7.5);
  expect(mails()).toHaveLength(2);
  await everkept.live(16);
  expect(mails()).toHaveLength(3);
  await everkept.live(8);
  expect((await readLetter()).statusCode).toBe(404);
  expect(mails()).toHaveLength(3);
});
