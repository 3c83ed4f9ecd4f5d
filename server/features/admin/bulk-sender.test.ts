import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { users } from '#server/features/accounts/accounts.tables.ts';
import type { BulkEmail } from '#shared/contract/admin.ts';
import { adminEmail, createEverkept, type Everkept, type Owner } from '#tests/support/everkept.ts';
import { bulkEmails } from './bulk-emails.tables.ts';

const people = 4;
/** Longer than a worker may be silent before somebody else goes on with whom it took on. */
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

/** From now on, to take somebody from those who wait fails in the database wherever this holds. */
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
  sql('drop trigger if exists break_bulk on bulk_email_recipients; drop function if exists break_bulk()');

async function begin(): Promise<void> {
  await administrator.browser.send('POST', '/api/user/reauthenticate', { body: { password: administrator.password } });
  const body = { subject: 'New guides', message: 'We wrote a guide.', recipients: addresses };
  const answer = await administrator.browser.send('POST', '/api/admin/bulk-email', { body });
  expect(answer.statusCode).toBe(202);
}
const round = async () => {
  await everkept.services.bulkSender.sendSome();
  await everkept.work();
};
/** Who was written to, as often as they were. */
const written = () =>
  everkept.mailer.sent
    .map(({ to }) => to.address)
    .filter((address) => addresses.includes(address))
    .sort();
const progress = async () => (await administrator.browser.send('GET', '/api/admin/bulk-email')).json<BulkEmail[]>()[0];

describe('a bulk email', () => {
  test('whose worker ends between any two people is gone on with, and nobody gets two', async () => {
    for (let reached = 0; reached < people; reached += 1) {
      await begin();
      await breakWhere(`(select count(*) from bulk_email_recipients where state <> 'waiting') >= ${reached}`);
      await expect(everkept.services.bulkSender.sendSome()).rejects.toThrow('could not be written to');
      await everkept.work();
      expect(written()).toHaveLength(reached);

      await mend();
      // They count as taken on still, so nobody else writes to them meanwhile.
      await round();
      expect(written()).toHaveLength(reached);
      await everkept.jump(lostMinutes / 1440);
      for (let turn = 0; turn < 3; turn += 1) await round();
      expect(written()).toEqual(addresses);
      await everkept.database.db.delete(bulkEmails);
      everkept.mailer.clear();
    }
  });

  test('that fails for one person reaches the others at once and once, and that one later', async () => {
    await begin();
    await breakWhere(`new.user_id = (select id from users where email = '${addresses[2]}')`);
    await expect(everkept.services.bulkSender.sendSome()).rejects.toThrow('1 of 4 people could not be written to');
    await everkept.work();
    const others = addresses.toSpliced(2, 1);
    expect(written()).toEqual(others);
    expect(await progress()).toMatchObject({ state: 'sending', total: people, sent: people - 1 });
    await mend();
    await everkept.jump(lostMinutes / 1440);
    for (let turn = 0; turn < 3; turn += 1) await round();
    expect(written()).toEqual(addresses);
  });

  test('that comes back from one person is sent once to each of the others', async () => {
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
