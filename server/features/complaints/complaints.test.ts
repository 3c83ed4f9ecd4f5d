import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expiring } from '#server/features/retention/expiry.repository.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { auditLogs } from '#server/schema/audit.tables.ts';
import { complaints } from '#server/schema/complaints.tables.ts';
import { type Complaint, complaintsPerPage } from '#shared/contract/complaints.ts';
import { nameLengthMax } from '#shared/contract/fields.ts';
import { complaintWordsLengthMax } from '#shared/rules/retention.ts';
import { adminEmail, createEverkept, dayMs, dumpRows, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { call } from '#tests/support/everkept-world.ts';

let everkept: Everkept;
let administrator: Owner;
let sam: Owner;

beforeAll(async () => {
  everkept = await createEverkept({ hasDailyTasks: true });
  administrator = await everkept.signUp({ email: adminEmail });
  sam = await everkept.signUp({ firstName: 'Sam' });
});
afterAll(() => everkept.close());
beforeEach(async () => {
  await everkept.work();
  await everkept.database.db.delete(complaints);
  everkept.mailer.clear();
  everkept.mailer.answer(null);
});

const headers = { 'sec-fetch-site': 'same-origin' };
const form = { name: 'Nell Ames', email: 'nell@family.example', words: 'You wrote to my old address again.' };
let people = 0;

/** From another place on the network each time, and to another mailbox unless one is given. */
function complain(given: Partial<typeof form> = {}, cookie: string | null = null) {
  people += 1;
  const body = { ...form, email: `nell.${people}@family.example`, ...given };
  return call(everkept, { method: 'POST', url: '/api/complaints', headers, body, cookie });
}
const ask = (method: string, url: string, { browser: { cookie } } = administrator) =>
  call(everkept, { method, url, cookie, headers });
const list = async () => (await ask('GET', '/api/admin/complaints')).json<Complaint[]>();
const mailsTo = (address: string) => everkept.mailer.sent.filter(({ to }) => to.address === address);
const rows = () => everkept.database.db.select().from(complaints);

describe('a complaint', () => {
  test('needs no account, is sealed, and is acknowledged by a mail without text from the sender', async () => {
    const answer = await complain(form);
    const { reference } = answer.json<{ reference: string }>();
    expect([answer.statusCode, reference]).toEqual([202, expect.stringMatching(/^EK-[0-9A-F]{8}$/)]);
    const [waiting] = await list();
    expect(waiting).toMatchObject({ ...form, reference, acknowledgedAt: null, receiptFailedAt: null, closedAt: null });
    const days = (Date.parse(waiting?.acknowledgeBy ?? '') - Date.parse(waiting?.receivedAt ?? '')) / 86_400_000;
    expect(days).toBe(30);
    expect((await dumpRows(everkept.database)).join('\n')).not.toContain(form.words);

    await everkept.work();
    const [receipt] = mailsTo(form.email);
    expect(receipt?.subject).toBe(`We have your complaint, ${reference}`);
    expect(`${receipt?.text}${receipt?.html}`).not.toMatch(/Nell|old address/);
    expect((await list())[0]?.acknowledgedAt).not.toBeNull();
  });

  test('is told to whoever runs the service, once an hour, without a word of it', async () => {
    for (let count = 0; count < 2; count += 1) await complain();
    await everkept.work();
    const told = mailsTo(adminEmail).filter(({ subject }) => subject.includes('complaint'));
    expect(told.length).toBeLessThanOrEqual(1);
    expect(told.map(({ text }) => text).join()).not.toContain('old address');
    const { rows: kept } = await everkept.database.pool.query(
      "select 1 from notifications where kind = 'operator.complaint'",
    );
    expect(kept.length).toBeGreaterThan(0);
  });

  test('whose receipt comes back is marked, so that its writer is told in another way', async () => {
    everkept.mailer.answer(({ to }) =>
      to.address.startsWith('gone') ? { outcome: 'refused', replyCode: 550 } : { outcome: 'accepted' },
    );
    await complain({ email: 'gone@family.example' });
    for (let day = 0; day < 6 && !(await rows())[0]?.receiptFailedAt; day += 1) await everkept.live(1);
    await everkept.signIn(administrator);
    expect((await list())[0]).toMatchObject({ acknowledgedAt: null, receiptFailedAt: expect.any(String) });
  });

  test('of somebody signed in is in their log and their export, and outlives their account', async () => {
    const leaver = await everkept.signUp();
    await complain({ words: 'Please stop the reminders.' }, leaver.browser.cookie);
    const log = await everkept.database.db
      .select({ action: auditLogs.action })
      .from(auditLogs)
      .where(sql`${auditLogs.userId} = ${leaver.userId} and ${auditLogs.action} = 'complaint.receive'`);
    expect(log).toHaveLength(1);
    const given = await leaver.browser.send('POST', '/api/export-data', { body: { format: 'json' } });
    expect(given.json()).toMatchObject({ complaints: [{ name: form.name, words: 'Please stop the reminders.' }] });
    await everkept.database.db.delete(users).where(eq(users.id, leaver.userId));
    expect(await list()).toMatchObject([{ words: 'Please stop the reminders.' }]);
    expect(await rows()).toMatchObject([{ userId: null }]);
  });

  test.each([
    ['no name', { name: ' ' }, 'Please enter your name'],
    ['a name that is too long', { name: 'n'.repeat(nameLengthMax + 1) }, 'Please keep this to 100 characters'],
    ['no address', { email: 'nell' }, 'Please enter a valid email address'],
    ['hardly a word', { words: '  Bad.    ' }, 'Please tell us what is wrong (at least 10 characters)'],
    ['too many words', { words: 'w'.repeat(complaintWordsLengthMax + 1) }, 'Please keep this to 5,000 characters'],
  ])('with %s is refused, and nothing is kept', async (_, given, message) => {
    const answer = await complain(given);
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { issues: [{ message }] }]);
    expect(await rows()).toEqual([]);
  });

  test('comes five times an hour from one place, and writes to a mailbox three times a day', async () => {
    const send = (email: string, place: string) =>
      call(everkept, {
        method: 'POST',
        url: '/api/complaints',
        headers: { ...headers, 'x-forwarded-for': place },
        body: { ...form, email },
      });
    const fromOne = [];
    for (let count = 0; count < 6; count += 1)
      fromOne.push((await send(`p${count}@one.example`, '10.99.0.1')).statusCode);
    expect(fromOne).toEqual([202, 202, 202, 202, 202, 429]);
    const toOne = [];
    for (let count = 0; count < 4; count += 1)
      toOne.push((await send('one@two.example', `10.99.1.${count}`)).statusCode);
    expect(toOne).toEqual([202, 202, 202, 429]);
  });
});

test('forty complaints a day come from one network, whichever of its addresses sends them', async () => {
  const statuses: number[] = [];
  for (let count = 0; count < 41; count += 1) {
    const answer = await call(everkept, {
      method: 'POST',
      url: '/api/complaints',
      headers: { ...headers, 'x-forwarded-for': `10.98.7.${count}` },
      body: { ...form, email: `net${count}@family.example` },
    });
    statuses.push(answer.statusCode);
  }
  expect(statuses.filter((status) => status === 202)).toHaveLength(40);
  expect(statuses.at(-1)).toBe(429);
});

describe('the administrator', () => {
  test('lists open complaints first, and notes an answer once', async () => {
    await complain({ words: 'The first of two complaints.' });
    await complain({ words: 'The second of two complaints.' });
    const [second] = await list();
    const url = `/api/admin/complaints/${second?.id}/close`;
    const closed = (await ask('POST', url)).json<Complaint>();
    expect(closed).toMatchObject({ words: 'The second of two complaints.', closedAt: expect.any(String) });
    expect((await ask('POST', url)).json()).toEqual(closed);
    expect((await list()).map(({ words }) => words)).toEqual([
      'The first of two complaints.',
      'The second of two complaints.',
    ]);
    const acts = await everkept.database.db
      .select({ resourceId: auditLogs.resourceId })
      .from(auditLogs)
      .where(eq(auditLogs.action, 'admin.complaint_close'));
    expect(acts).toEqual([{ resourceId: second?.id }]);
    expect((await ask('POST', url.replace(/[0-9a-f]{4}\/close$/, '0000/close'))).statusCode).toBe(404);
  });

  test('reads every complaint page by page: a flood from one network hides no real one', async () => {
    await complain({ words: 'The real complaint, which came first.' });
    const payload = Buffer.from('flood');
    const flood = Array.from({ length: 2 * complaintsPerPage }, (_, index) => {
      const id = crypto.randomUUID();
      const receivedAt = new Date(Date.now() + dayMs + Math.floor(index / 3));
      return { id, payload, receivedAt, closedAt: index < complaintsPerPage ? receivedAt : null };
    });
    await everkept.database.db.insert(complaints).values(flood);
    const pages: Complaint[][] = [];
    let after = '';
    do {
      const page = (await ask('GET', `/api/admin/complaints${after}`)).json<Complaint[]>();
      pages.push(page);
      after = `?after=${page.at(-1)?.id}`;
    } while (pages.at(-1)?.length === complaintsPerPage);
    const read = pages.flat();
    expect(pages.map((page) => page.length)).toEqual([complaintsPerPage, complaintsPerPage, 1]);
    expect(new Set(read.map(({ id }) => id)).size).toBe(flood.length + 1);
    const firstAnswered = read.findIndex(({ closedAt }) => closedAt !== null);
    expect(read.findIndex(({ words }) => words.startsWith('The real complaint'))).toBe(firstAnswered - 1);
    const gone = await ask('GET', `/api/admin/complaints?after=${crypto.randomUUID()}`);
    expect([gone.statusCode, gone.json<{ message: string }>().message]).toEqual([
      404,
      'The list has changed. Begin again with the first page.',
    ]);
  });

  test('alone reads them', async () => {
    await complain();
    const answer = await ask('GET', '/api/admin/complaints', sam);
    expect([403, 404]).toContain(answer.statusCode);
    expect(answer.body).not.toContain('old address');
  });

  test('sees that one was damaged, and the others with it', async () => {
    await complain();
    await everkept.database.db.update(complaints).set({ payload: Buffer.from('damaged') });
    await complain();
    expect(await list()).toMatchObject([{ words: form.words }, { name: 'This could not be opened', isDamaged: true }]);
  });
});

test('it is forgotten two years after it was answered, and kept while it is open', async () => {
  await complain();
  await complain();
  const [closed] = await rows();
  const longAgo = new Date('2020-02-29T12:00:00Z');
  await everkept.database.db.update(complaints).set({ receivedAt: longAgo });
  await everkept.database.db
    .update(complaints)
    .set({ closedAt: longAgo })
    .where(eq(complaints.id, closed?.id ?? ''));
  const others = { security: longAgo, payments: longAgo, mails: longAgo, texts: longAgo, newsStopped: longAgo };
  const limits = { ...others, deleted: longAgo, staged: longAgo, now: longAgo };
  expect(await expiring.complaints(everkept.database.db, { ...limits, complaints: longAgo }, 10)).toBe(0);
  const after = new Date(longAgo.getTime() + 1);
  expect(await expiring.complaints(everkept.database.db, { ...limits, complaints: after }, 10)).toBe(1);
  expect(await rows()).toHaveLength(1);
});
