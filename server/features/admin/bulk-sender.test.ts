import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { dispatchDue, stopRetrying } from '#server/features/notifications/notifications.dispatch.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { bulkEmails } from '#server/schema/bulk-emails.tables.ts';
import type { BulkEmail } from '#shared/contract/admin.ts';
import { adminEmail, createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { sendSomeNews } from './bulk-sender.ts';

const people = 4;
/** Longer than the time after which another worker claims a silent worker's recipients. */
const lostMinutes = 6;

let everkept: Everkept;
let administrator: Owner;
const addresses = Array.from({ length: people }, (_, number) => `crowd-${number}@people.example`);

beforeAll(async () => {
  everkept = await createEverkept();
  administrator = await everkept.signUp({ email: adminEmail });
  const rows = addresses.map((email) => ({ email, firstName: 'Crowd', emailVerified: true }));
  await everkept.database.db.insert(users).values(rows);
});
afterAll(() => everkept.close());
afterEach(async () => {
  await mend();
  await everkept.database.db.delete(bulkEmails);
  everkept.mailer.clear();
});

const sql = (text: string) => everkept.database.pool.query(text);

/** From now on, sent mail of the news can't be recorded, as if the worker ended at that moment. */
const breakRecord = () =>
  sql(`
    create function break_record() returns trigger language plpgsql as $$
    begin
      if new.kind = 'admin.bulk-email' and (new.status = 'accepted' or new.accepted_at is not null) then
        raise exception 'the worker ended';
      end if;
      return new;
    end $$;
    create trigger break_record before update on notifications for each row execute function break_record();`);

/** From now on, claiming a waiting recipient fails in the database if this condition is true. */
async function breakWhere(condition: string): Promise<void> {
  await sql(`
    create function break_bulk() returns trigger language plpgsql as $$
    begin
      if new.state = 'queued' and old.state = 'waiting' and (${condition}) then raise exception 'broken'; end if;
      return new;
    end $$;
    create trigger break_bulk before update on bulk_email_recipients for each row execute function break_bulk();`);
}
const mend = () =>
  sql(`
    drop trigger if exists break_bulk on bulk_email_recipients; drop function if exists break_bulk();
    drop trigger if exists break_record on notifications; drop function if exists break_record()`);

const prove = () =>
  administrator.browser.send('POST', '/api/user/reauthenticate', { body: { password: administrator.password } });

async function begin(recipients = addresses): Promise<void> {
  await prove();
  const body = { subject: 'New guides', message: 'We wrote a guide.', recipients };
  const answer = await administrator.browser.send('POST', '/api/admin/bulk-email', { body });
  expect(answer.statusCode).toBe(202);
}
const round = async () => {
  await sendSomeNews(everkept.opened);
  await everkept.work();
};
/** Addresses of sent mails, with repeats. */
const written = () =>
  everkept.mailer.sent
    .map(({ to }) => to.address)
    .filter((address) => addresses.includes(address))
    .sort();
const progress = async () => (await administrator.browser.send('GET', '/api/admin/bulk-email')).json<BulkEmail[]>()[0];

describe('a bulk email', () => {
  test('continues after its worker ends between any two recipients, and no one gets two mails', async () => {
    for (let reached = 0; reached < people; reached += 1) {
      await begin();
      await breakWhere(`(select count(*) from bulk_email_recipients where state <> 'waiting') >= ${reached}`);
      await expect(sendSomeNews(everkept.opened)).rejects.toThrow('could not be written to');
      await everkept.work();
      expect(written()).toHaveLength(reached);

      await mend();
      // They are still claimed, so no other worker writes to them meanwhile.
      await round();
      expect(written()).toHaveLength(reached);
      await everkept.jump(lostMinutes / 1440);
      for (let turn = 0; turn < 3; turn += 1) await round();
      expect(written()).toEqual(addresses);
      await everkept.database.db.delete(bulkEmails);
      everkept.mailer.clear();
    }
  });

  test('reaches all recipients once, even if workers end while mails leave or between two rounds', async () => {
    const many = Array.from({ length: 30 }, (_, number) => `round-${number}@people.example`);
    const rows = many.map((email) => ({ email, firstName: 'Round', emailVerified: true }));
    await everkept.database.db.insert(users).values(rows);
    const mailsTo = (address: string) => everkept.mailer.sent.filter(({ to }) => to.address === address);

    await begin(many);
    // A worker that ends stops trying to record its sent mail.
    stopRetrying(everkept.opened);
    for (let end = 0; end < 2; end += 1) {
      await sendSomeNews(everkept.opened);
      await breakRecord();
      await expect(dispatchDue(everkept.opened)).rejects.toThrow();
      await mend();
      await everkept.jump(lostMinutes / 1440);
    }
    const twice = many.filter((address) => mailsTo(address).length > 0);
    expect(twice.length).toBeGreaterThan(0);
    await prove();
    expect(await progress()).toMatchObject({ state: 'sending', sent: 0 });

    for (let turn = 0; turn < 3; turn += 1) {
      await round();
      // The pace allows a few in each minute.
      await everkept.jump(1 / 1440);
    }
    for (const address of many) {
      const mails = mailsTo(address);
      // A mail that may have left is repeated with the same id, so its reader's program shows it once.
      expect([address, new Set(mails.map(({ messageId, text }) => messageId + text)).size]).toEqual([address, 1]);
    }
    for (const address of twice) expect(mailsTo(address).length).toBeGreaterThan(1);
    expect(await progress()).toMatchObject({ state: 'done', total: many.length, sent: many.length, failed: 0 });
  });

  test('that fails for one person reaches the others immediately and once, and that person later', async () => {
    await begin();
    await breakWhere(`new.user_id = (select id from users where email = '${addresses[2]}')`);
    await expect(sendSomeNews(everkept.opened)).rejects.toThrow('1 of 4 people could not be written to');
    await everkept.work();
    const others = addresses.toSpliced(2, 1);
    expect(written()).toEqual(others);
    expect(await progress()).toMatchObject({ state: 'sending', total: people, sent: people - 1 });
    await mend();
    await everkept.jump(lostMinutes / 1440);
    for (let turn = 0; turn < 3; turn += 1) await round();
    expect(written()).toEqual(addresses);
  });

  test('that bounces from one person is sent once to each of the others', async () => {
    everkept.mailer.answer(({ to }) =>
      to.address === addresses[1] ? { outcome: 'refused', replyCode: 550 } : { outcome: 'accepted' },
    );
    await begin();
    for (let turn = 0; turn < 3; turn += 1) await round();
    everkept.mailer.answer(null);
    for (const address of addresses.toSpliced(1, 1)) {
      expect(written().filter((one) => one === address)).toHaveLength(1);
    }
  });
});
