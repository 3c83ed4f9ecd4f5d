import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createEverkept, dumpRows, type Everkept, type Owner } from '#tests/support/everkept.ts';

let everkept: Everkept;
beforeAll(async () => {
  everkept = await createEverkept({ hasDailyTasks: true });
});
afterAll(() => everkept.close());
beforeEach(async () => {
  await everkept.database.pool.query('delete from users');
});

async function prepared(): Promise<Owner & { priya: string }> {
  const owner = await everkept.signUp({ firstName: 'Sam', lastName: 'Ashworth' });
  const priya = `priya.${owner.email}`;
  await everkept.befriend(owner, { name: 'Priya Shah', email: priya });
  await everkept.write(owner, { title: 'For Nell', recipientEmail: 'nell@family.example' });
  await everkept.write(owner, { title: 'Not yet', recipientEmail: 'tom@family.example', status: 'draft' });
  everkept.mailer.clear();
  return { ...owner, priya };
}

const rehearse = async (owner: Owner) => (await owner.browser.send('GET', '/api/release/rehearsal')).json();
const send = (owner: Owner) => owner.browser.send('POST', '/api/release/rehearsal/send');

describe('the rehearsal', () => {
  test('names the dates, the people, each letter with its recipient, and every email in its order', async () => {
    const owner = await prepared();
    const shown = await rehearse(owner);
    expect(shown).toMatchObject({
      quorum: 1,
      contacts: [{ name: 'Priya Shah', email: owner.priya }],
      letters: [{ title: 'For Nell', recipientEmail: 'nell@family.example' }],
      otherMessages: 1,
      mailsLeftOut: 0,
    });
    type Shown = { step: string; at: string | null; to: { email: string }; subject: string; text: string };
    const mails: Shown[] = shown.mails;
    expect(mails.map(({ step, to }) => [step, to.email])).toEqual([
      ['first_reminder', owner.email],
      ['last_reminder', owner.email],
      ['contact_asked', owner.priya],
      ['owner_asked', owner.email],
      ['owner_releasing', owner.email],
      ['letter', 'nell@family.example'],
      ['contact_released', owner.priya],
    ]);
    const days = mails.map(({ at }) => Math.round((Date.parse(at ?? '') - Date.now()) / 86_400_000));
    expect(days).toEqual([45, 80, 90, 90, 97, 97, 97]);
    expect(mails[0]?.subject).toContain('for 45 days');
    expect(mails.map(({ text }) => text).join()).not.toContain('Put the kettle on first.');
  });

  test('lists a hundred letters, and counts the others', async () => {
    const owner = await prepared();
    await everkept.database.pool.query(
      `insert into messages (id, user_id, title, content, status, position)
       select gen_random_uuid(), user_id, title, content, status, 2 from messages, generate_series(1, 101)
       where status = 'ready' and user_id = (select id from users where email = $1)`,
      [owner.email],
    );
    const { letters, copies, lettersLeftOut } = await rehearse(owner);
    expect([letters.length, letters[0].title, copies, lettersLeftOut]).toEqual([100, 'For Nell', 1, 2]);
  });

  test('writes one mail a person, which says how many letters are for them', async () => {
    const owner = await prepared();
    await everkept.database.pool.query("update users set plan = 'premium' where email = $1", [owner.email]);
    const nell = { name: null, email: 'nell@family.example' };
    const recipients = [nell, { name: 'Tom', relation: 'my brother', email: 'tom@family.example' }];
    const body = { title: 'For both', content: 'Be kind.', recipients, status: 'ready' };
    expect((await owner.browser.send('POST', '/api/messages', { body })).statusCode).toBe(201);
    const { letters, mails, copies, lettersLeftOut } = await rehearse(owner);
    expect(letters.map(({ title }: { title: string }) => title)).toEqual(['For Nell', 'For both']);
    expect([copies, lettersLeftOut]).toEqual([3, 0]);
    const written = mails.filter(({ step }: { step: string }) => step === 'letter');
    expect(written.map(({ to, subject }: { to: { email: string }; subject: string }) => [to.email, subject])).toEqual([
      ['nell@family.example', expect.stringContaining('wrote 2 messages for you')],
      ['tom@family.example', expect.stringContaining('wrote a message for you')],
    ]);
    expect(written[1].text).toMatch(/^Hello Tom,/);
  });

  test('has a letter with a day of its own on that day, by a mail of its own', async () => {
    const owner = await prepared();
    await everkept.database.pool.query("update users set plan = 'premium' where email = $1", [owner.email]);
    for (const [title, deliverOn] of [
      ['Half a year on', { months: 6 }],
      ['For a birthday', '2131-05-04'],
      ['A day that is past', '2020-05-04'],
    ]) {
      const body = { title, content: 'Be kind.', recipientEmail: 'nell@family.example', status: 'ready', deliverOn };
      expect((await owner.browser.send('POST', '/api/messages', { body })).statusCode).toBe(201);
    }
    const { mails } = await rehearse(owner);
    const letters = mails.filter(({ step }: { step: string }) => step === 'letter' || step === 'own_day');
    expect(letters.map(({ step, subject }: { step: string; subject: string }) => [step, subject])).toEqual([
      ['letter', expect.stringContaining('wrote 2 messages for you')],
      ['own_day', expect.stringContaining('wrote a message for you')],
      ['own_day', expect.stringContaining('wrote a message for you')],
    ]);
    expect(letters.at(-1).at).toBe('2131-05-04T07:00:00.000Z');
    const overview = (await owner.browser.send('GET', '/api/release')).json();
    expect(overview).toMatchObject({ readyLetters: 4, laterLetters: 2 });
  });

  test('has no date for letters that wait for people, unless they have one of their own', async () => {
    const owner = await prepared();
    await everkept.database.pool.query("update users set plan = 'premium' where email = $1", [owner.email]);
    for (const deliverOn of [{ months: 6 }, '2131-05-04']) {
      const letter = { title: 'Later', content: 'Be kind.', recipientEmail: 'nell@family.example', status: 'ready' };
      await owner.browser.send('POST', '/api/messages', { body: { ...letter, deliverOn } });
    }
    const body = { releaseMethod: 'trusted_contact', inactivityDays: 90 };
    await owner.browser.send('PUT', '/api/user/release-settings', { body });
    const { mails } = await rehearse(owner);
    expect(mails.filter(({ at }: { at: string | null }) => at === null)).toMatchObject([
      { step: 'owner_releasing' },
      { step: 'letter' },
      { step: 'contact_released' },
      { step: 'own_day' },
    ]);
    expect(mails.at(-1)).toMatchObject({ step: 'own_day', at: '2131-05-04T07:00:00.000Z' });
  });

  test('sends all of it to the owner alone, marked, with links that do nothing, and moves nothing', async () => {
    const owner = await prepared();
    await everkept.live(46);
    everkept.mailer.clear();
    const bookkeeping = {
      except: ['rate_limits', 'sessions', 'notifications', 'audit_logs', 'audit_chains', 'service_health'],
    };
    const before = await dumpRows(everkept.database, bookkeeping);
    const origin = { ipAddress: null, userAgent: null };
    const answer = await everkept.ownersRelease.sendRehearsal({ userId: owner.userId, origin });
    expect(answer).toEqual({ sent: 7, leftOut: 0, email: owner.email });
    await everkept.work();
    expect(await dumpRows(everkept.database, bookkeeping)).toEqual(before);

    const { sent } = everkept.mailer;
    expect(sent).toHaveLength(7);
    expect(new Set(sent.map(({ to }) => to.address))).toEqual(new Set([owner.email]));
    for (const { subject, text, html } of sent) {
      expect(subject).toMatch(/^Rehearsal: /);
      expect(text).toMatch(/^This is a rehearsal that you asked for\./);
      expect(html).toContain('This is a rehearsal that you asked for.');
      const links = [...`${text} ${html}`.matchAll(/https?:\/\/[^\s"<>]+/g)].map(([link]) => new URL(link).pathname);
      expect(links.filter((path) => path !== '/' && !/^\/rehearsal\/(check-in|portal|letter)$/.test(path))).toEqual([]);
    }
    expect(
      sent.some(({ text }) => text.replace(/\s+/g, ' ').includes('nell@family.example would get this email')),
    ).toBe(true);
    expect((await everkept.ownersRelease.overview(owner.userId)).state).toBe('reminded');
  });

  test('can be sent three times in a day, and not to an address that is not verified', async () => {
    const owner = await prepared();
    const statuses = [];
    for (let times = 0; times < 4; times += 1) statuses.push((await send(owner)).statusCode);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const unverified = await everkept.signUp({ isVerified: false });
    expect((await send(unverified)).statusCode).toBe(403);
    expect((await unverified.browser.send('GET', '/api/release/rehearsal')).json().problems).toContainEqual(
      expect.objectContaining({ type: 'email_not_verified' }),
    );
  });
});
