import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import { longDate } from '#server/platform/mail/mail-day.ts';
import { createEverkept, dayMs, type Everkept, type Owner } from '#tests/support/everkept.ts';

const tom = 'tom@friends.example';
const nell = 'nell@family.example';
let everkept: Everkept;
let owner: Owner;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

/** Owner with a letter and a contact, after 79 days without activity. */
beforeEach(async () => {
  owner = await everkept.signUp({ firstName: 'Silas' });
  await everkept.write(owner, { recipientEmail: nell });
  await everkept.befriend(owner, { name: 'Tom Lee', email: tom });
  const body = { releaseMethod: 'inactivity', inactivityDays: 90 };
  await owner.browser.send('PUT', '/api/user/release-settings', { body });
  await everkept.live(79);
  // Mails of the daily tasks leave before the reminder.
  await everkept.work();
  everkept.mailer.clear();
});

const lastTo = (address: string) => {
  const mail = everkept.mailer.sent.filter(({ to }) => to.address === address).at(-1);
  return { subject: mail?.subject ?? '', html: mail?.html ?? '', text: mail?.text.replace(/\s+/g, ' ') ?? '' };
};
const now = async () => (await createDatabaseClock(everkept.database.db, { testClock: true }).now()).getTime();
const dayIn = (fromMs: number, days: number) => longDate(new Date(fromMs + days * dayMs));

test('a reminder that waits through an outage of two weeks names days that lie ahead when it leaves', async () => {
  // The server is gone between writing the last reminder and handing it over.
  await everkept.jump(1.1);
  await everkept.releases.sweep();
  await everkept.jump(15);
  const leftAtMs = await now();
  await everkept.work();

  const { subject, html, text } = lastTo(owner.email);
  const askDay = dayIn(leftAtMs, 10);
  expect(subject).toBe(`Check in before ${askDay}, or we will ask Tom`);
  for (const words of [html, text]) {
    expect(words).toContain(`On ${askDay} we will ask`);
    expect(words).toContain(`If nobody answers before ${dayIn(leftAtMs, 17)}, your letter goes.`);
  }

  await everkept.live(9.9);
  expect(everkept.mailer.sent.filter(({ to }) => to.address === tom)).toEqual([]);
  await everkept.live(7);
  expect(lastTo(tom).subject).not.toBe('');
  expect(everkept.mailer.sent.filter(({ to }) => to.address === nell)).toEqual([]);
  await everkept.live(1);
  expect(everkept.mailer.sent.filter(({ to }) => to.address === nell)).toHaveLength(1);
});

test('a reminder that leaves when it was written names the days of the timeline', async () => {
  const silentSinceMs = (await now()) - 79 * dayMs;
  await everkept.live(2);
  expect(lastTo(owner.email).subject).toMatch(
    new RegExp(`^Check in before (${dayIn(silentSinceMs, 90)}|${dayIn(silentSinceMs, 91)}), or we will ask Tom$`),
  );
});

test('the first reminder names the day of the delivery, as the last one does', async () => {
  const other = await everkept.signUp({ firstName: 'Ines' });
  await everkept.write(other, { recipientEmail: 'kit@family.example' });
  const body = { releaseMethod: 'inactivity', inactivityDays: 90 };
  await other.browser.send('PUT', '/api/user/release-settings', { body });
  const silentSinceMs = await now();
  await everkept.live(46);
  expect(lastTo(other.email).text).toMatch(
    new RegExp(`from you before (${dayIn(silentSinceMs, 97)}|${dayIn(silentSinceMs, 98)}), your letter goes`),
  );
});
