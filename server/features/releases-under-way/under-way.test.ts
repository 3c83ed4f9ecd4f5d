import { eq, ne } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { users } from '#server/schema/accounts.tables.ts';
import { notifications } from '#server/schema/notifications.tables.ts';
import type { UnderWay } from '#shared/contract/operator/releases.ts';
import { createBrowser } from '#tests/support/app.ts';
import { createAskedOwners } from '#tests/support/asked-owners.ts';
import { adminEmail, createEverkept, dayMs, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { waitWords } from './under-way.words.ts';

const canary = 'wren-canary';
const priya = 'priya@friends.example';
const answers: string[] = [];
let everkept: Everkept;
let administrator: Owner;

beforeAll(async () => {
  everkept = await createEverkept();
  administrator = await everkept.signUp({ email: adminEmail });
});
afterAll(() => everkept.close());

type Page = { releases: UnderWay[]; next: string | null };
async function list(query = ''): Promise<Page> {
  const answer = await administrator.browser.send('GET', `/api/admin/releases${query}`);
  expect(answer.statusCode).toBe(200);
  answers.push(answer.body);
  return answer.json();
}

/** What the release of an account waits for, as the panel says it. Days are counted from now. */
async function waitsOf(
  account: string,
  query = '',
): Promise<{ how: string; what: string[]; untils: (number | null)[] }> {
  await everkept.signIn(administrator);
  const found = (await list(query)).releases.find((release) => release.account === account);
  if (!found) throw new Error(`No release of ${account} is listed.`);
  const now = Date.parse((await administrator.browser.send('GET', '/api/admin/state')).json<{ at: string }>().at);
  const days = ({ until }: UnderWay['waits'][number]) =>
    until === null ? null : Math.round((new Date(until).getTime() - now) / dayMs);
  return { how: found.how, what: found.waits.map(({ what }) => what), untils: found.waits.map(days) };
}

async function silentOwner(releaseMethod: string): Promise<Owner> {
  const owner = await everkept.signUp({ firstName: 'Sam', lastName: 'Lee' });
  const letter = { title: `Title ${canary}`, content: `Words ${canary}`, visibleToTrustedContact: true };
  await everkept.write(owner, { ...letter, recipientEmail: 'nell@family.example' });
  await everkept.befriend(owner, { name: 'Priya Shah', email: priya });
  await everkept.signIn(owner);
  const body = { releaseMethod, inactivityDays: 90 };
  await owner.browser.send('PUT', '/api/user/release-settings', { body });
  return owner;
}

test('a release is followed from the first reminder to the last letter, with what it waits for and until when', async () => {
  const sam = await silentOwner('inactivity');
  await everkept.live(46);
  const reminded = await waitsOf(sam.email, '?stage=reminded');
  expect(reminded).toEqual({
    how: 'The owner was reminded once',
    what: ['The day of the last reminder'],
    untils: [34],
  });
  expect((await list()).releases.map(({ account }) => account)).not.toContain(sam.email);

  await everkept.live(45);
  const asking = await waitsOf(sam.email);
  expect(asking.how).toBe('Contacts are asked');
  expect(asking.what).toEqual(['Confirmations: 0 of 1, or the end of the answer time']);
  expect(asking.untils[0]).toBeGreaterThanOrEqual(5);
  expect(asking.untils[0]).toBeLessThanOrEqual(7);
  expect((await list('?stage=reminded')).releases.map(({ account }) => account)).not.toContain(sam.email);

  await everkept.releases.freezeOwner(sam.email);
  expect((await waitsOf(sam.email)).what[0]).toBe(
    `A freeze of this account. To end it: everkept release resume ${sam.email}`,
  );
  await everkept.releases.freeze('The operator has stopped releases.');
  await everkept.releases.resumeOwner(sam.email);
  expect((await waitsOf(sam.email)).what[0]).toBe('A freeze of all releases. To end it: everkept release resume');
  await everkept.releases.resume();

  await everkept.database.db
    .update(notifications)
    .set({ status: 'pending', attempts: 2, acceptedAt: null, nextAttemptAt: new Date('2100-01-01') })
    .where(eq(notifications.kind, 'release.contact_asked'));
  expect((await waitsOf(sam.email)).what[0]).toBe('Mail trouble: 1 email is still tried');

  const path = everkept.linkTo(priya, '/trusted-contact-admin/').replace('/trusted-', '/api/trusted-');
  const body = { confirmed: false, reason: 'I spoke to Sam.' };
  const answer = await createBrowser(everkept.app).send('POST', `${path}/confirm-release`, { body });
  const cancelled =
    answer.statusCode === 200
      ? answer
      : await createBrowser(everkept.app).send('POST', `${path}/cancel-release`, { body });
  expect(cancelled.statusCode).toBe(200);
  const paused = await waitsOf(sam.email);
  expect(paused).toMatchObject({ how: 'Paused by a contact’s no' });
  expect([paused.what.at(-1), paused.untils.at(-1)]).toEqual(['The pause, before contacts are asked again', 30]);
});

test('pages hold fifty accounts, each once', async () => {
  await everkept.database.db.delete(users).where(ne(users.email, adminEmail));
  const at = new Date((await administrator.browser.send('GET', '/api/admin/state')).json<{ at: string }>().at);
  const { masterKeys } = everkept;
  const crowd = { masterKeys, count: 60, name: 'crowd', contactsEach: 2, lettersEach: 1, at };
  await createAskedOwners(everkept.database.db, crowd);
  const first = await list();
  const second = await list(`?after=${first.next}`);
  expect([first.releases.length, second.releases.length, second.next]).toEqual([50, 10, null]);
  expect(new Set([...first.releases, ...second.releases].map(({ id }) => id)).size).toBe(60);
  expect(first.releases[0]).toMatchObject({ how: 'Contacts are asked' });
  expect(first.releases[0]?.waits.map(({ what }) => what)).toEqual(['Confirmations: 0 of 1, without a last day']);
});

test('a command and the panel say a wait in the same words', () => {
  expect(waitWords({ what: 'The owner’s waiting period of 3 days', until: new Date('2026-12-03T09:00:00Z') })).toBe(
    'The owner’s waiting period of 3 days, until 2026-12-03',
  );
  expect(waitWords({ what: 'A freeze of all releases', until: null })).toBe('A freeze of all releases');
});

test('the list is for the administrator alone, reads a stage that exists, and never holds a title or a word of a letter', async () => {
  const stranger = await everkept.signUp();
  expect((await stranger.browser.send('GET', '/api/admin/releases')).statusCode).toBe(403);
  expect((await administrator.browser.send('GET', '/api/admin/releases?stage=all')).statusCode).toBe(400);
  expect(answers.length).toBeGreaterThan(5);
  expect(answers.join()).not.toContain(canary);
  expect(answers.join()).not.toMatch(/Priya|nell@family/);
});
