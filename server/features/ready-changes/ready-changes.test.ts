import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { activateEmergency } from '#server/features/contact-portal/emergency.ts';
import { requestDeletion } from '#server/features/deletion/deletion.ts';
import { readRecipients } from '#server/features/messages/addresses.ts';
import { createMessage, updateMessage } from '#shared/contract/messages.ts';
import { createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { sendForm } from '#tests/support/forms.ts';
import { sendDueReadyChanges } from './ready-changes.ts';

let everkept: Everkept;
let owner: Owner;
beforeAll(async () => {
  everkept = await createEverkept({ hasDailyTasks: true });
});
beforeEach(async () => {
  owner = await everkept.signUp();
  await everkept.database.pool.query("update users set plan = 'lifetime' where id = $1", [owner.userId]);
  everkept.mailer.clear();
});
afterAll(() => everkept.close());

const title = 'The key of the boat';
const content = 'It hangs behind the clock.';
const letter = (given: Record<string, unknown> = {}) => ({
  ...{ title, content, category: 'personal', status: 'ready' },
  ...{ recipients: [{ name: 'Nell', relation: null, email: 'nell@family.example' }] },
  ...given,
});
const create = async (given = {}) => {
  const answer = await owner.browser.send('POST', createMessage.path, { body: letter(given) });
  expect(answer.statusCode).toBe(201);
  return answer.json<{ id: string }>().id;
};
const update = async (id: string, given = {}) => {
  const path = updateMessage.path.replace(':id', id);
  expect((await owner.browser.send('PUT', path, { body: letter(given) })).statusCode).toBe(200);
};
const act = async (method: 'POST' | 'DELETE', path: string) => {
  expect((await owner.browser.send(method, path)).statusCode).toBeLessThan(300);
};
const remove = (id: string) => act('DELETE', `/api/messages/${id}`);
const deletedPath = (id: string) => `/api/recently-deleted/message/${id}`;
const sendDue = () => sendDueReadyChanges(everkept.opened, readRecipients);
/** Emails about ready messages to this owner, after everything due was sent. */
async function mails() {
  await everkept.work();
  return everkept.mailer.sent.filter(({ to, text }) => to.address === owner.email && /ready to be sent/.test(text));
}
/** Sends due mail, and returns the one email as one line. */
async function mailOfTheDay(): Promise<string> {
  await sendDue();
  const [mail, ...more] = await mails();
  expect(more).toEqual([]);
  return `${mail?.subject} ${mail?.text}`.replace(/\s+/g, ' ');
}
/** Emails all changes until now to the owner, and clears the list of mails. */
async function settle() {
  await sendDue();
  await mails();
  everkept.mailer.clear();
  await everkept.jump(1);
  await everkept.signIn(owner);
}

describe('the daily email about ready messages', () => {
  test('counts each kind of change, and names added readers and devices, without titles or words', async () => {
    const kept = await create();
    const gone = await create();
    const drafted = await create();
    const seen = await create();
    await settle();
    await create();
    await update(kept, { content: 'It lies under the stone.', deliverOn: '2090-05-04' });
    await update(seen, {
      visibleToTrustedContact: true,
      recipients: [{ name: 'Nell', relation: null, email: 'mallory@elsewhere.example' }],
    });
    await update(drafted, { status: 'draft' });
    await remove(gone);
    const text = await mailOfTheDay();
    expect(text).toMatch(/^The readers of your ready messages changed/);
    for (const line of [
      '1 message became ready:',
      '1 message has other readers:',
      '1 message has other words:',
      '1 message has another day:',
      '1 message is now shown to trusted contacts, or no longer:',
      '1 message was changed back to a draft:',
      '1 message was deleted:',
    ])
      expect(text).toContain(line);
    expect(text).toContain('2 readers were added to ready messages: - Nell, mallory@elsewhere.example - Nell, nell@');
    expect(text).toMatch(/Devices: \w+/);
    expect(text).not.toContain(title);
    expect(text).not.toMatch(/clock|stone/);
    const html = everkept.mailer.sent.at(-1)?.html ?? '';
    expect(html).not.toMatch(/clock|stone|boat/);
  });

  test('reports restored and permanently deleted letters', async () => {
    const [back, gone] = [await create(), await create()];
    await remove(back);
    await remove(gone);
    await settle();
    await act('POST', `${deletedPath(back)}/restore`);
    await act('DELETE', deletedPath(gone));
    const text = await mailOfTheDay();
    expect(text).toMatch(/^Ready messages were deleted from your account/);
    expect(text).toContain('1 message was restored:');
    expect(text).toContain('1 message was deleted for good:');
    expect(text).not.toMatch(/reader/);
  });

  test('reports a new file', async () => {
    const id = await create();
    await settle();
    const { recipients: _, ...fields } = letter();
    const form = {
      fields: { ...fields, recipientEmail: 'nell@family.example' },
      file: { name: 'map.txt', content: Buffer.from('North.') },
    };
    const visitor = { app: everkept.app, cookie: owner.browser.cookie };
    const path = `/api/messages/${id}/with-attachment`;
    expect((await sendForm(visitor, ['PUT', path], form)).statusCode).toBe(200);
    expect(await mailOfTheDay()).toContain('1 message has other files:');
  });

  test('reports ready messages from an import', async () => {
    await create();
    const file = await owner.browser.send('POST', '/api/export-data', { body: { format: 'json' } });
    const [{ id }] = (await owner.browser.send('GET', '/api/messages')).json<[{ id: string }]>();
    await remove(id);
    await settle();
    const visitor = { app: everkept.app, cookie: owner.browser.cookie };
    const fields = { preview: 'false', asReady: 'true' };
    const upload = { fields, file: { name: 'export.json', content: file.rawPayload } };
    expect((await sendForm(visitor, ['POST', '/api/import-data'], upload)).statusCode).toBeLessThan(300);
    expect(await mailOfTheDay()).toContain('1 message came with an import:');
  });

  test('reports neither drafts, nor a new place or category', async () => {
    const ready = await create();
    await settle();
    const draft = await create({ status: 'draft' });
    await update(draft, { status: 'draft', content: 'Other words.' });
    await remove(draft);
    await act('POST', `${deletedPath(draft)}/restore`);
    await update(ready, { position: 7, category: 'family' });
    await owner.browser.send('POST', '/api/checkin');
    await sendDue();
    expect(await mails()).toEqual([]);
  });

  test('is one for a hundred changes of a day, and counts messages, not saves', async () => {
    const id = await create();
    await settle();
    for (let save = 0; save < 98; save += 1) await update(id, { content: `Version ${save}.` });
    await create();
    await create();
    const text = await mailOfTheDay();
    expect(text).toContain('1 message has other words:');
    expect(text).toContain('2 messages became ready:');
  });

  test('lists at most twenty new readers, and counts the rest', async () => {
    const reader = (place: number) => ({ name: null, relation: null, email: `r${place}@family.example` });
    await create({ recipients: Array.from({ length: 15 }, (_, place) => reader(place)) });
    await create({ recipients: Array.from({ length: 15 }, (_, place) => reader(20 + place)) });
    const text = await mailOfTheDay();
    expect(text).toContain('30 readers were added');
    expect(text.match(/r\d+@family\.example/g)).toHaveLength(20);
    expect(text).toContain('10 more, not listed here');
  });

  test('counts a new reader who was taken out again, without the address', async () => {
    const id = await create();
    await settle();
    await update(id, { recipients: [{ name: 'Mal', relation: null, email: 'mal@elsewhere.example' }] });
    await update(id);
    expect(await mailOfTheDay()).toContain('were added to ready messages');
    expect(everkept.mailer.sent.at(-1)?.text).not.toContain('mal@elsewhere.example');
  });
});

describe('once a day', () => {
  test('a day with changes is followed by one email, a day without by none, and later changes by the next', async () => {
    const id = await create();
    await everkept.live(2);
    expect(await mails()).toHaveLength(1);
    await everkept.live(3);
    expect(await mails()).toHaveLength(1);
    await everkept.signIn(owner);
    await remove(id);
    await everkept.live(2);
    const sent = await mails();
    expect(sent).toHaveLength(2);
    expect(sent[1]?.text).toContain('1 message was deleted');
    expect(sent[1]?.text).not.toContain('became ready');
  });

  test('a change right after an email waits for the next day and is not lost', async () => {
    const id = await create();
    await sendDue();
    await update(id, { content: 'Other words.' });
    await sendDue();
    expect(await mails()).toHaveLength(1);
    await everkept.jump(1);
    await sendDue();
    const sent = await mails();
    expect(sent).toHaveLength(2);
    expect(sent[1]?.text).toContain('1 message has other words');
    expect(sent[1]?.text).not.toContain('became ready');
  });

  test('five workers in parallel send one email', async () => {
    await create();
    await Promise.all(Array.from({ length: 5 }, sendDue));
    expect(await mails()).toHaveLength(1);
  });

  test('more owners than a page holds are all emailed in one round', async () => {
    const { pool } = everkept.database;
    await create();
    const copied = `insert into users (id, email, password, email_verified, created_at, updated_at)
      select gen_random_uuid(), 'many' || n || '@family.example', password, true, created_at, updated_at
      from users, generate_series(1, 120) n where users.id = $1 returning id`;
    const { rows } = await pool.query<{ id: string }>(copied, [owner.userId]);
    const ids = rows.map(({ id }) => id);
    await pool.query('insert into ready_changes (user_id, since) select unnest($1::uuid[]), now()', [ids]);
    await sendDue();
    const { rows: left } = await pool.query('select 1 from ready_changes where since is not null');
    expect(left).toEqual([]);
    await pool.query('delete from users where id = any($1)', [ids]);
    expect(await mails()).toHaveLength(1);
  });

  test('the failure of one owner leaves their changes for later and does not stop the others', async () => {
    const { pool } = everkept.database;
    await create();
    const broken = owner;
    owner = await everkept.signUp();
    await create();
    const spoil = `update audit_logs set details = $2 where user_id = $1 and details ? 'ready'`;
    await pool.query(spoil, [broken.userId, { ready: ['imported'], readyMessages: 'many' }]);
    await expect(sendDue()).rejects.toThrow('1 owners could not be emailed.');
    expect(await mails()).toHaveLength(1);
    await pool.query(spoil, [broken.userId, { ready: ['imported'], readyMessages: 3 }]);
    owner = broken;
    expect(await mailOfTheDay()).toContain('3 messages came with an import');
  });
});

describe('an owner', () => {
  test('with an unverified address is emailed once it is verified', async () => {
    const { pool } = everkept.database;
    await create();
    const verified = 'update users set email_verified = $2 where id = $1';
    await pool.query(verified, [owner.userId, false]);
    await sendDue();
    expect(await mails()).toEqual([]);
    await pool.query(verified, [owner.userId, true]);
    expect(await mailOfTheDay()).toContain('1 message became ready');
  });

  test('with an open early release is emailed: an attacker may have caused it', async () => {
    await create();
    await everkept.befriend(owner, { name: 'Ada', email: `ada.${owner.email}` });
    await everkept.jump(4);
    await everkept.signIn(owner);
    await create();
    const request = { contactName: 'Ada', reason: 'An accident.', userEmail: owner.email };
    const origin = { ipAddress: null, userAgent: null };
    const body = { ...request, contactEmail: `ada.${owner.email}` };
    await activateEmergency(everkept.opened, { principal: null, origin, body });
    expect(await mailOfTheDay()).toContain('2 messages became ready');
  });

  test('with a pending deletion is emailed once the deletion is undone', async () => {
    await create();
    const { database } = everkept;
    await database.db.transaction((tx) =>
      requestDeletion(everkept.opened, tx, { userId: owner.userId, cause: 'owner' }),
    );
    await sendDue();
    expect(await mails()).toEqual([]);
    await everkept.signIn(owner);
    await act('POST', '/api/user/restore');
    expect(await mailOfTheDay()).toContain('1 message became ready');
  });
});
