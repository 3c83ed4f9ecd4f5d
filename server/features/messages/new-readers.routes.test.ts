import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMessage, createMessageWithAttachment, listMessages, updateMessage } from '#shared/contract/messages.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { samples, sendForm } from '#tests/support/forms.ts';

const mum = 'mum@example.org';
const stranger = 'mallory@elsewhere.example';

let everkept: Everkept;
beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

const letter = (recipientEmail: string, status: 'draft' | 'ready' = 'ready') => ({
  title: 'For later',
  content: 'Look after the boat.',
  recipientEmail,
  category: 'personal',
  status,
});
type Body = ReturnType<typeof letter>;
const create = ({ browser }: Owner, body: Body) => browser.send('POST', createMessage.path, { body });
const update = ({ browser }: Owner, id: string, body: Body) =>
  browser.send('PUT', updateMessage.path.replace(':id', id), { body });
const stored = async ({ browser }: Owner) => (await browser.send('GET', listMessages.path)).json();
const stale = (owner: Owner) =>
  everkept.database.pool.query(
    `update sessions set authenticated_at = authenticated_at - interval '11 minutes' where user_id = $1`,
    [owner.userId],
  );
const age = (owner: Owner) =>
  everkept.database.pool.query(`update users set created_at = created_at - interval '25 hours' where id = $1`, [
    owner.userId,
  ]);
const setStatus = (id: string, status: string) =>
  everkept.database.pool.query('update messages set status = $2 where id = $1', [id, status]);

/** An owner of a paid plan, registered more than a day ago, with a ready letter to their mother and a session left open. */
async function settledOwner(): Promise<{ owner: Owner; id: string }> {
  const owner = await everkept.signUp();
  await everkept.database.pool.query(`update users set plan = 'lifetime' where id = $1`, [owner.userId]);
  const id = (await create(owner, letter(mum))).json().id;
  await age(owner);
  await stale(owner);
  return { owner, id };
}

async function expectRefused(owner: Owner, act: () => ReturnType<typeof create>): Promise<void> {
  const before = await stored(owner);
  const answer = await act();
  expect([answer.statusCode, answer.json().type]).toEqual([403, 'REAUTHENTICATION_REQUIRED']);
  expect(await stored(owner)).toEqual(before);
}

describe('a session left open for more than ten minutes', () => {
  test('gives a ready letter no reader that no ready letter had', async () => {
    const { owner, id } = await settledOwner();
    await expectRefused(owner, () => update(owner, id, letter(stranger)));
    await expectRefused(owner, () => update(owner, id, letter('mum@example.com')));
  });

  test('writes no ready letter to such a reader', async () => {
    const { owner } = await settledOwner();
    await expectRefused(owner, () => create(owner, letter(stranger)));
  });

  test('uploads no ready letter to such a reader, and keeps no file of it', async () => {
    const { owner } = await settledOwner();
    const kept = everkept.store.files.size;
    const form = { fields: letter(stranger), file: { name: 'plan.pdf', content: samples.pdf } };
    const visitor = { app: everkept.app, cookie: owner.browser.cookie };
    await expectRefused(owner, () => sendForm(visitor, ['POST', createMessageWithAttachment.path], form));
    expect(everkept.store.files.size).toBe(kept);
  });

  test('makes no draft to such a reader ready, and drafts do not make a reader known', async () => {
    const { owner } = await settledOwner();
    const draft = await create(owner, letter(stranger, 'draft'));
    expect(draft.statusCode).toBe(201);
    await expectRefused(owner, () => update(owner, draft.json().id, letter(stranger)));
    await expectRefused(owner, () => create(owner, letter(stranger)));
  });

  test('changes and writes letters to known readers in any spelling, also of a delivered letter', async () => {
    const { owner, id } = await settledOwner();
    expect((await update(owner, id, { ...letter(mum), content: 'And the cat.' })).statusCode).toBe(200);
    expect((await update(owner, id, letter('Mum+letters@example.org'))).statusCode).toBe(200);
    await setStatus(id, 'delivered');
    const draft = await create(owner, letter(mum, 'draft'));
    expect((await update(owner, draft.json().id, letter(mum))).statusCode).toBe(200);
    expect((await create(owner, letter(mum))).statusCode).toBe(201);
  });

  test('writes to the new reader after the password was given again', async () => {
    const { owner, id } = await settledOwner();
    const { password } = owner;
    expect((await owner.browser.send('POST', '/api/user/reauthenticate', { body: { password } })).statusCode).toBe(200);
    expect((await update(owner, id, letter(stranger))).statusCode).toBe(200);
    await stale(owner);
    expect((await create(owner, letter(stranger))).statusCode).toBe(201);
  });

  test('saves the first ready letter of a newcomer, and asks for the second reader or after a day', async () => {
    const newcomer = await everkept.signUp();
    await stale(newcomer);
    expect((await create(newcomer, letter(mum))).statusCode).toBe(201);
    await expectRefused(newcomer, () => create(newcomer, letter(stranger)));

    const late = await everkept.signUp();
    await age(late);
    await stale(late);
    await expectRefused(late, () => create(late, letter(mum)));
  });
});

test('of a hundred calls in parallel in a session left open, none redirects a letter', async () => {
  const { owner, id } = await settledOwner();
  const calls = Array.from({ length: 50 }, (_, index) => [
    create(owner, letter(stranger, index % 2 === 0 ? 'draft' : 'ready')),
    update(owner, id, letter(stranger)),
  ]).flat();
  const answers = await Promise.all(calls);
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toEqual([]);
  const ready = (await stored(owner)).filter(({ status }: Body) => status === 'ready');
  expect(ready.map(({ recipientEmail }: Body) => recipientEmail)).toEqual([mum]);
});
