import { extractText, getDocumentProxy } from 'unpdf';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';

let everkept: Everkept;
beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

test('a sheet is one dated page with numbers and names, without titles, addresses, notes and links that act', async () => {
  const owner = await everkept.signUp({ firstName: 'Sam' });
  await everkept.write(owner, { title: 'For Kirkmichaelbrae', recipientEmail: 'nell@family.example' });
  await everkept.write(owner, { title: 'A secret draft', status: 'draft' });
  await owner.browser.send('PUT', '/api/first-weeks', { body: { will: 'Under the stairs' } });
  const names = [
    'Priya Shah',
    '山田太郎',
    ...Array.from({ length: 8 }, (_, at) => `${'Wilhelmina '.repeat(8)}${'abcdefgh'[at]}`),
  ];
  for (const [at, name] of names.entries()) {
    const body = { name, email: `c${at}.${owner.email}` };
    expect((await owner.browser.send('POST', '/api/trusted-contacts', { body })).statusCode).toBe(201);
  }
  // As if each had accepted. Invitations leave a few at a time.
  await everkept.database.pool.query('update trusted_contacts set is_confirmed = true, confirmed_at = now()');
  const answer = await owner.browser.send('GET', '/api/sheet.pdf');
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/pdf']);
  expect((await getDocumentProxy(new Uint8Array(answer.rawPayload))).numPages).toBe(1);
  const { text } = await extractText(new Uint8Array(answer.rawPayload), { mergePages: true });
  const words = text.replace(/\s+/g, ' ');
  for (const part of [
    'A sheet to keep with the will of Sam',
    '1 letter is ready',
    '1 letter is a draft',
    'Priya Shah',
    '山田太郎',
    'Made with Everkept on',
  ])
    expect(words).toContain(part);
  for (const kept of [
    'Kirkmichaelbrae',
    'secret draft',
    'nell@',
    owner.email,
    'Under the stairs',
    '/trusted-contact',
    '/check-in',
  ])
    expect(words).not.toContain(kept);
});

test('a visitor gets no sheet', async () => {
  expect((await everkept.app.inject({ method: 'GET', url: '/api/sheet.pdf' })).statusCode).toBe(401);
});
