import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { markRestored } from '#server/features/release-health/health.ts';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';

let everkept: Everkept;
beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());
// Each test lives through the days of its own people only.
beforeEach(async () => {
  await everkept.database.pool.query('delete from users');
  await everkept.releases.resume();
});

const dayMs = 86_400_000;
let people = 0;

const mailsTo = (address: string) => everkept.mailer.sent.filter(({ to }) => to.address === address);
const subjects = (address: string) => mailsTo(address).map(({ subject }) => subject);
const said = (address: string) => mailsTo(address).at(-1)?.text.replace(/\s+/g, ' ') ?? '';
const now = async () => {
  const sql = `select clock_timestamp() + clock_offset_ms * interval '1 millisecond' as now from service_health`;
  return ((await everkept.database.pool.query(sql)).rows[0] as { now: Date }).now;
};
/** A day so many days from now, as a calendar shows it. */
const dayIn = async (days: number) => new Date((await now()).getTime() + days * dayMs).toISOString().slice(0, 10);
const read = async (address: string) => {
  const token = everkept.tokenFor(address, '/message/');
  return (await createBrowser(everkept.app).send('GET', `/api/message-delivery/${token}`)).json();
};

type Letter = { title: string; to: string; deliverOn?: unknown; announceWait?: boolean };

/** An owner with letters for people of their own; everybody's address is new. */
async function ownerWith(letters: readonly Letter[]) {
  people += 1;
  const address = (name: string) => `${name}.${people}@family.example`;
  const owner = await everkept.signUp({ firstName: 'Silas', lastName: 'Marner' });
  await everkept.database.pool.query("update users set plan = 'premium' where id = $1", [owner.userId]);
  for (const { to, ...letter } of letters) {
    const recipients = [{ name: to, relation: null, email: address(to) }];
    const body = { content: 'Be kind.', category: 'family', status: 'ready', recipients, ...letter };
    const answer = await owner.browser.send('POST', '/api/messages', { body });
    expect(answer.statusCode, answer.body).toBe(201);
  }
  await everkept.befriend(owner, { name: 'Priya Shah', email: address('priya') });
  const settings = { releaseMethod: 'inactivity', inactivityDays: 90 };
  await owner.browser.send('PUT', '/api/user/release-settings', { body: settings });
  return { owner, address };
}

/** Signs in as the owner, and answers the question who they are. */
async function answerAs(owner: Owner, take: 'back' | 'leave') {
  const browser = createBrowser(everkept.app);
  await everkept.signIn({ ...owner, browser });
  const answer = await browser.send('POST', '/api/release/answer', { body: { take } });
  expect(answer.statusCode, answer.body).toBe(200);
  return browser;
}

describe('a letter with a day of its own', () => {
  test('waits for it behind the release, and is brought by a mail of its own at eight in the morning', async () => {
    const { address } = await ownerWith([
      { title: 'At once', to: 'nell' },
      { title: 'For your birthday', to: 'nell', deliverOn: await dayIn(150) },
      { title: 'Half a year on', to: 'tom', deliverOn: { months: 6 } },
    ]);
    await everkept.live(98);
    expect(subjects(address('nell'))).toEqual(['Silas Marner wrote a message for you']);
    expect((await read(address('nell'))).letters.map(({ title }: { title: string }) => title)).toEqual(['At once']);
    expect(subjects(address('tom'))).toEqual([]);

    await everkept.live(54);
    expect(mailsTo(address('nell')).length).toBeGreaterThan(1);
    const onDay = await read(address('nell'));
    expect(onDay.title).toBe('For your birthday');
    const hour = new Date(onDay.deliveredAt).toLocaleTimeString('en-GB', {
      timeZone: 'Europe/London',
      hour: '2-digit',
    });
    expect(['08', '09']).toContain(hour);
    expect(subjects(address('tom'))).toEqual([]);

    await everkept.live(130);
    expect((await read(address('tom'))).title).toBe('Half a year on');
  });

  test('a letter whose day is past goes with the others, and one mail brings both', async () => {
    const { address } = await ownerWith([
      { title: 'At once', to: 'nell' },
      { title: 'For a day that was', to: 'nell', deliverOn: await dayIn(30) },
    ]);
    await everkept.live(98);
    expect(subjects(address('nell'))).toEqual(['Silas Marner wrote 2 messages for you']);
  });

  test('is brought once, and those of one person and day by one mail', async () => {
    const { address } = await ownerWith([
      { title: 'One', to: 'nell', deliverOn: await dayIn(130) },
      { title: 'Two', to: 'nell', deliverOn: await dayIn(130) },
    ]);
    await everkept.live(98);
    expect(subjects(address('nell'))).toEqual([]);
    await everkept.live(36);
    expect(subjects(address('nell'))).toEqual(['Silas Marner wrote 2 messages for you']);
  });

  test('is taken back with the others by its owner, and is ready again', async () => {
    const { owner, address } = await ownerWith([
      { title: 'At once', to: 'nell' },
      { title: 'Later', to: 'tom', deliverOn: await dayIn(130) },
    ]);
    await everkept.live(98);
    const browser = await answerAs(owner, 'back');
    await everkept.live(40);
    expect(subjects(address('tom'))).toEqual([]);
    await everkept.signIn({ ...owner, browser });
    const later = (await browser.send('GET', '/api/messages'))
      .json()
      .find(({ title }: { title: string }) => title === 'Later');
    expect(later).toMatchObject({ status: 'ready', recipients: [{ status: 'cancelled' }] });
  });

  test('goes on its day where its owner leaves it so', async () => {
    const { owner, address } = await ownerWith([
      { title: 'At once', to: 'nell' },
      { title: 'Later', to: 'tom', deliverOn: await dayIn(110) },
    ]);
    await everkept.live(98);
    await answerAs(owner, 'leave');
    await everkept.live(14);
    expect((await read(address('tom'))).title).toBe('Later');
  });

  test('that its owner changes after leaving it so waits no more: its words may be meant for another by now', async () => {
    const { owner, address } = await ownerWith([
      { title: 'At once', to: 'nell' },
      { title: 'Later', to: 'tom', deliverOn: await dayIn(110) },
    ]);
    await everkept.live(98);
    const browser = await answerAs(owner, 'leave');
    const all = (await browser.send('GET', '/api/messages')).json();
    const later = all.find(({ title }: { title: string }) => title === 'Later');
    const recipients = [{ name: 'Nell', relation: null, email: address('nell') }];
    const body = { title: 'For Nell alone', content: 'Not for Tom.', category: 'family', status: 'ready', recipients };
    expect((await browser.send('PUT', `/api/messages/${later.id}`, { body })).statusCode).toBe(200);
    await everkept.live(14);
    expect(subjects(address('tom'))).toEqual([]);
  });

  test('a letter whose day falls into an outage leaves with the first healthy hour', async () => {
    const { address } = await ownerWith([
      { title: 'At once', to: 'nell' },
      { title: 'Later', to: 'tom', deliverOn: await dayIn(110) },
    ]);
    await everkept.live(98);
    await everkept.jump(30);
    await everkept.work();
    expect(subjects(address('tom')), 'not in the minute in which the service is back').toEqual([]);
    await everkept.live(1 / 8);
    expect((await read(address('tom'))).title).toBe('Later');
  });

  test('waits while everything is stopped, and while the question after a sign-in is open', async () => {
    const { owner, address } = await ownerWith([
      { title: 'At once', to: 'nell' },
      { title: 'Later', to: 'tom', deliverOn: await dayIn(110) },
    ]);
    await everkept.live(98);
    const browser = createBrowser(everkept.app);
    await everkept.signIn({ ...owner, browser });
    await everkept.live(16);
    expect(subjects(address('tom'))).toEqual([]);
    await everkept.signIn({ ...owner, browser });
    const answer = await browser.send('POST', '/api/release/answer', { body: { take: 'not-me' } });
    expect(answer.statusCode, answer.body).toBe(200);
    await everkept.live(1);
    expect((await read(address('tom'))).title).toBe('Later');
  });

  test.each(['released', 'left as it is'])(
    'a letter of a release that is %s waits after a restore until its owner was notified',
    async (state) => {
      const { owner, address } = await ownerWith([
        { title: 'At once', to: 'nell' },
        { title: 'Later', to: 'tom', deliverOn: await dayIn(110) },
      ]);
      await everkept.live(98);
      if (state === 'left as it is') await answerAs(owner, 'leave');
      await everkept.live(11);
      await everkept.database.db.transaction((tx) => markRestored(tx, { backupAt: new Date() }));
      await everkept.live(0.1);
      expect(subjects(owner.email).slice(-2).toSorted()).toEqual([
        'Silas, please check in: we had to go back to older records',
        'Silas, your messages wait for you',
      ]);
      await everkept.live(2.8);
      expect(await everkept.releases.resume()).toBe('hindered');
      await everkept.live(0.2);
      expect(subjects(address('tom'))).toEqual([]);
      expect(await everkept.releases.resume()).toBe('done');
      await everkept.live(1);
      expect((await read(address('tom'))).title).toBe('Later');
    },
  );

  test('contacts are notified of its day, without its title', async () => {
    const day = await dayIn(200);
    const { address } = await ownerWith([
      { title: 'At once', to: 'nell' },
      { title: 'A secret title', to: 'tom', deliverOn: day },
    ]);
    await everkept.live(98);
    expect(said(address('priya'))).toMatch(/One letter waits until \d+ \w+ 20\d\d/);
    expect(said(address('priya'))).not.toContain('A secret title');
  });

  test('its reader is notified before if its writer allows it, and otherwise not', async () => {
    const [day, other] = [await dayIn(200), await dayIn(250)];
    const { address } = await ownerWith([
      { title: 'At once', to: 'nell' },
      { title: 'Announced', to: 'nell', deliverOn: day, announceWait: true },
      { title: 'A surprise', to: 'nell', deliverOn: other },
    ]);
    await everkept.live(98);
    const page = await read(address('nell'));
    expect(page.waitsUntil.map((at: string) => at.slice(0, 10))).toEqual([day]);
    expect(JSON.stringify(page)).not.toContain('Announced');
  });

  test('takes a day or a number of months, and nothing else', async () => {
    const owner = await everkept.signUp({ firstName: 'Silas', lastName: 'Marner' });
    const letter = { title: 'Later', content: 'Be kind.', recipientEmail: 'nell@family.example', category: 'family' };
    const answered = async (deliverOn: unknown) =>
      (await owner.browser.send('POST', '/api/messages', { body: { ...letter, deliverOn } })).statusCode;
    for (const wrong of [
      '2031-02-30',
      '4 May 2031',
      '',
      { months: 0 },
      { months: 1_201 },
      { months: 1.5 },
      {},
      12,
      true,
    ]) {
      expect(await answered(wrong), JSON.stringify(wrong)).toBe(400);
    }
    expect(await answered({ months: 1_200 })).toBe(201);
    expect(await answered('2031-05-04')).toBe(201);
    const all = (await owner.browser.send('GET', '/api/messages')).json();
    expect(all.map(({ deliverOn }: { deliverOn: unknown }) => deliverOn)).toEqual(['2031-05-04', { months: 1_200 }]);
  });
});

describe('an account that is deleted while letters wait', () => {
  const remove = (owner: Owner, letters?: 'take-back' | 'leave') =>
    owner.browser.send('DELETE', '/api/delete-account', { body: { password: owner.password, letters } });
  const rowsOf = async (owner: Owner, table: string) => {
    const column = table === 'users' ? 'id' : 'user_id';
    const found = await everkept.database.pool.query(`select 1 from ${table} where ${column} = $1`, [owner.userId]);
    return found.rows.length;
  };

  /** Released on day 97 and left so; a letter waits for day 180. */
  async function leftSo() {
    const { owner, address } = await ownerWith([
      { title: 'At once', to: 'nell' },
      { title: 'Later', to: 'tom', deliverOn: await dayIn(180) },
    ]);
    await everkept.live(98);
    return { owner: { ...owner, browser: await answerAs(owner, 'leave') }, address };
  }

  test('asks about letters with a day, and names the day', async () => {
    const { owner } = await leftSo();
    const asked = await remove(owner);
    expect(asked.statusCode).toBe(409);
    expect(asked.json().message).toMatch(/^One letter waits until .* First choose if these letters are withdrawn/);
    expect((await remove(owner, 'take-back')).statusCode).toBe(204);
  });

  test('lets each go on its day where they are left, keeps nothing else, and is gone once it was kept its days', async () => {
    const { owner, address } = await leftSo();
    expect((await remove(owner, 'leave')).statusCode).toBe(204);
    await everkept.live(40);
    await everkept.work();
    expect([
      await rowsOf(owner, 'users'),
      await rowsOf(owner, 'messages'),
      await rowsOf(owner, 'trusted_contacts'),
    ]).toEqual([1, 1, 0]);
    await everkept.live(45);
    expect((await read(address('tom'))).title).toBe('Later');
    await everkept.live(25);
    await everkept.work();
    expect((await read(address('tom'))).title, 'still kept').toBe('Later');
    await everkept.live(15);
    await everkept.work();
    expect(await rowsOf(owner, 'users')).toBe(0);
  });

  test('takes them back where that is wished, and goes after its thirty days', async () => {
    const { owner, address } = await leftSo();
    expect((await remove(owner, 'take-back')).statusCode).toBe(204);
    await everkept.live(32);
    await everkept.work();
    expect(await rowsOf(owner, 'users')).toBe(0);
    await everkept.live(60);
    expect(subjects(address('tom'))).toEqual([]);
  });
});

test('a letter that waits for its day outlives a lapsed plan, and an idle account', async () => {
  const { owner, address } = await ownerWith([
    { title: 'At once', to: 'nell' },
    ...['ann', 'ben', 'cleo', 'dan'].map((to) => ({ title: `For ${to}`, to, deliverOn: { months: 40 } })),
  ]);
  await everkept.live(98);
  await answerAs(owner, 'leave');
  const plan = "update users set plan = 'free', subscription_end = last_checkin_at where id = $1";
  await everkept.database.pool.query(plan, [owner.userId]);
  // Three years and a half, and then the days of every notice.
  await everkept.jump(1_150);
  for (const days of [1, 35, 40]) {
    await everkept.live(days);
    await everkept.work();
  }
  for (const to of ['ann', 'ben', 'cleo', 'dan']) expect((await read(address(to))).title).toBe(`For ${to}`);
});
