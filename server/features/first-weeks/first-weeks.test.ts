import { randomUUID } from 'node:crypto';
import { extractText } from 'unpdf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FirstWeeks, type FirstWeeksPage, neverSaved } from '#shared/contract/vault/first-weeks.ts';
import { createBrowser } from '#tests/support/app.ts';
import { createEverkept, dumpRows, type Everkept, type Owner } from '#tests/support/everkept.ts';

let everkept: Everkept;
beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

const notes = { nation: 'scotland', will: 'In the safe of Kirkmichaelbrae', pets: 'Biscuit goes to Łucja — 猫も' };

const read = async (owner: Owner) => (await owner.browser.send('GET', '/api/first-weeks')).json<FirstWeeks>();
const save = (owner: Owner, body: object, key?: string) =>
  owner.browser.send('PUT', '/api/first-weeks', { body, headers: key ? { 'idempotency-key': key } : {} });

describe('notes for the first weeks', () => {
  test('are empty at first, are saved together, and are sealed', async () => {
    const owner = await everkept.signUp();
    const before = await read(owner);
    expect(before).toMatchObject({ nation: null, will: null, version: neverSaved, updatedAt: null });
    const saved = await save(owner, { ...notes, gp: '  ', version: before.version });
    expect([saved.statusCode, saved.json()]).toEqual([
      200,
      { ...before, ...notes, version: expect.any(String), updatedAt: expect.any(String) },
    ]);
    expect(await read(owner)).toEqual(saved.json());
    const rows = await dumpRows(everkept.database);
    expect(rows.filter((row) => row.includes('Kirkmichaelbrae') || row.includes('Biscuit'))).toEqual([]);
    // A field that is left out becomes empty.
    expect((await save(owner, { gp: 'Dr Lind' })).json()).toMatchObject({ gp: 'Dr Lind', will: null, nation: null });
  });

  test('are in the activity log without their words, as a sign of life', async () => {
    const owner = await everkept.signUp();
    await save(owner, notes);
    const log = await owner.browser.send('GET', '/api/user/activity');
    expect(log.body).toContain('You changed your page for the first weeks');
    expect(log.body).not.toContain('Kirkmichaelbrae');
  });

  test('that another window saved are not overwritten, and both versions come back', async () => {
    const owner = await everkept.signUp();
    const { version } = await read(owner);
    const first = (await save(owner, { will: 'In the safe', version })).json<FirstWeeks>();
    const refused = await save(owner, { will: 'In the drawer', version });
    expect(refused.statusCode).toBe(409);
    expect(refused.json()).toMatchObject({
      type: 'CHANGED_ELSEWHERE',
      message: expect.stringContaining('This page was changed in another window'),
      stored: first,
    });
    expect((await read(owner)).will).toBe('In the safe');
    expect((await save(owner, { will: 'In the drawer', version: first.version })).statusCode).toBe(200);
  });

  test('with the key of a save that is stored are answered and not saved again', async () => {
    const owner = await everkept.signUp();
    const { version } = await read(owner);
    const key = randomUUID();
    const tries = [await save(owner, { ...notes, version }, key), await save(owner, { ...notes, version }, key)];
    expect(tries.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    expect(tries[1]?.json()).toEqual(tries[0]?.json());
  });

  test('are saved once by one hundred saves from one version in parallel', async () => {
    const owner = await everkept.signUp();
    const { version } = await read(owner);
    const saves = Array.from({ length: 100 }, (_, number) => save(owner, { will: `Place ${number}`, version }));
    const statuses = (await Promise.all(saves)).map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(99);
  });

  test.each([
    ['too long', { will: 'a'.repeat(2_001) }],
    ['of another nation', { nation: 'france' }],
    ['no text', { will: ['In the safe'] }],
  ])('%s are refused', async (_, body) => {
    const owner = await everkept.signUp();
    expect((await save(owner, body)).statusCode).toBe(400);
  });

  test('that are damaged are empty and marked, and the page has its steps', async () => {
    const owner = await everkept.signUp();
    await save(owner, notes);
    await everkept.database.pool.query('update first_weeks set notes = $1 where user_id = $2', ['x', owner.userId]);
    expect(await read(owner)).toMatchObject({ will: null, isDamaged: true });
    const page = (await owner.browser.send('GET', '/api/first-weeks/page')).json<FirstWeeksPage>();
    expect([page.isDamaged, page.parts.length]).toEqual([true, 4]);
    expect((await save(owner, { will: 'In the safe' })).json()).not.toHaveProperty('isDamaged');
  });
});

describe('a contact who is to see the page', () => {
  const contact = (owner: Owner) => ({ name: 'Priya Shah', email: `priya.${owner.email}` });
  const stale = (owner: Owner) =>
    everkept.database.pool.query(
      "update sessions set authenticated_at = now() - interval '1 hour' where user_id = $1",
      [owner.userId],
    );

  test('is chosen with a fresh sign-in, and taken off without', async () => {
    const owner = await everkept.signUp();
    const id = await everkept.befriend(owner, contact(owner));
    const path = `/api/trusted-contacts/${id}`;
    const change = (seesFirstWeeks?: boolean) =>
      owner.browser.send('PUT', path, { body: { ...contact(owner), seesFirstWeeks } });
    expect((await change(true)).json()).toMatchObject({ seesFirstWeeks: true });
    await stale(owner);
    expect((await change()).json()).toMatchObject({ seesFirstWeeks: true });
    expect((await change(false)).json()).toMatchObject({ seesFirstWeeks: false });
    const refused = await change(true);
    expect([refused.statusCode, refused.json()]).toEqual([
      403,
      expect.objectContaining({ type: 'REAUTHENTICATION_REQUIRED' }),
    ]);
    const log = await owner.browser.send('GET', '/api/user/activity');
    expect(log.body).toContain('who now sees your page for the first weeks');
    expect(log.body).toContain('who no longer sees your page for the first weeks');
  });

  test('is not chosen by a new address', async () => {
    const owner = await everkept.signUp();
    const id = await everkept.befriend(owner, { ...contact(owner), seesFirstWeeks: true });
    const moved = { ...contact(owner), email: `other.${owner.email}` };
    const answer = await owner.browser.send('PUT', `/api/trusted-contacts/${id}`, { body: moved });
    expect(answer.json()).toMatchObject({ seesFirstWeeks: false });
  });
});

describe('after the release', () => {
  async function released() {
    const owner = await everkept.signUp({ firstName: 'Sam' });
    await owner.browser.send('PUT', '/api/user/release-settings', {
      body: { releaseMethod: 'trusted_contact', inactivityDays: 90 },
    });
    await everkept.write(owner);
    await save(owner, notes);
    const ownPage = (await owner.browser.send('GET', '/api/first-weeks/page')).json<FirstWeeksPage>();
    const [priya, tom] = [`priya.${owner.email}`, `tom.${owner.email}`];
    await everkept.befriend(owner, { name: 'Priya Shah', email: priya, seesFirstWeeks: true });
    await everkept.befriend(owner, { name: 'Tom Lee', email: tom });
    await everkept.live(91);
    const linkOf = (email: string) =>
      `/api/trusted-contact-admin/${everkept.tokenFor(email, '/trusted-contact-admin/')}`;
    const [chosen, other] = [linkOf(priya), linkOf(tom)] as const;
    const get = (path: string) => createBrowser(everkept.app).send('GET', path);
    const before = [await get(`${chosen}/first-weeks`), await get(`${chosen}/first-weeks.pdf`)];
    expect(before.map(({ statusCode }) => statusCode)).toEqual([404, 404]);
    expect((await get(chosen)).json()).toMatchObject({ hasFirstWeeks: false });
    const body = { confirmed: true, reason: 'I was at the funeral.' };
    await createBrowser(everkept.app).send('POST', `${chosen}/confirm-release`, { body });
    await everkept.work();
    return { owner, ownPage, chosen, other, get };
  }

  test('the chosen contact reads exactly the page of the owner, and saves it, as long as documents', async () => {
    const { ownPage, chosen, other, get } = await released();
    expect((await get(chosen)).json()).toMatchObject({ hasFirstWeeks: true, documentsUntil: expect.any(String) });
    const page = await get(`${chosen}/first-weeks`);
    expect(page.headers['x-robots-tag']).toContain('noindex');
    const { contactName, ...seen } = page.json<FirstWeeksPage & { contactName: string }>();
    expect(contactName).toBe('Priya Shah');
    expect(seen).toEqual(ownPage);
    const noted = seen.parts.flatMap(({ steps }) => steps.flatMap((step) => step.notes.map(({ words }) => words)));
    expect(noted).toEqual([notes.pets, notes.will]);
    const pdf = await get(`${chosen}/first-weeks.pdf`);
    expect([pdf.statusCode, pdf.headers['content-type']]).toEqual([200, 'application/pdf']);
    const { text } = await extractText(new Uint8Array(pdf.rawPayload), { mergePages: true });
    const words = text.replace(/\s+/g, ' ');
    for (const part of ['The first weeks, from Sam', 'Kirkmichaelbrae', 'Łucja', '猫', 'Register within 8 days'])
      expect(words).toContain(part);
    expect(words).toMatch(/nrscotland\.gov\.uk.*compared with/);

    expect((await get(other)).json()).toMatchObject({ hasFirstWeeks: false });
    const refused = [await get(`${other}/first-weeks`), await get(`${other}/first-weeks.pdf`)];
    expect(refused.map(({ statusCode }) => statusCode)).toEqual([404, 404]);

    await everkept.live(29);
    expect((await get(`${chosen}/first-weeks`)).statusCode).toBe(200);
    await everkept.live(2);
    const late = [await get(`${chosen}/first-weeks`), await get(`${chosen}/first-weeks.pdf`)];
    expect(late.map(({ statusCode }) => statusCode)).toEqual([404, 404]);
  });

  test('nothing is there any more once the owner is back', async () => {
    const { owner, chosen, get } = await released();
    expect((await get(`${chosen}/first-weeks`)).statusCode).toBe(200);
    await everkept.signIn(owner);
    await owner.browser.send('POST', '/api/release/answer', { body: { take: 'back' } });
    const page = (await owner.browser.send('GET', '/api/first-weeks/page')).json<FirstWeeksPage>();
    expect(page.ownerFirstName).toBe('Sam');
    expect((await get(`${chosen}/first-weeks`)).statusCode).toBe(404);
  });
});
