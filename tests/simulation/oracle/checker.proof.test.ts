import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Scenario } from '#tests/simulation/scenario.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { check, type Sink } from './checker.ts';

/** A few owners who all fall silent on the first day, so that all are released. */
const scenario: Scenario = { seed: 4, owners: 12, days: 105, isMassSilence: true, calm: ['clock'] };

let database: TestDatabase;
let folder: string;
let sink: Sink;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'everkept-checker-'));
  const file = join(folder, 'sink.json');
  const args = ['tests/simulation/simulate.ts', '--scenario', JSON.stringify(scenario), '--database', database.url];
  await new Promise<void>((resolve) => execFile(process.execPath, [...args, '--sink', file], () => resolve()));
  sink = JSON.parse(await readFile(file, 'utf8')) as Sink;
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

/** Released by silence alone and never undone, without any answer and with a delivered letter. */
const bySilence = `select id from release_requests r where released_at is not null and closed_at is null and cause = 'silence'
  and not exists (select from release_answers a where a.request_id = r.id)
  and exists (select from message_deliveries d where d.request_id = r.id and d.status = 'accepted') order by id limit 1`;
const itsOwner = `select user_id from release_requests where id = (${bySilence})`;

/** A contact who said no in that release, the given days before it. */
const noSaid = (...days: number[]) => `
  with said as (insert into trusted_contacts (id, user_id, name, email)
    select gen_random_uuid(), user_id, 'x', 'x@y.example' from release_requests where id = (${bySilence}) returning id)
  insert into release_answers (id, request_id, number, contact_id, says, at, healthy_ms, notice, is_void)
  select gen_random_uuid(), r.id, 100 + n, said.id, 'no', r.released_at - make_interval(days => (array[${days.join(',')}])[n]),
    0, 0, false
  from release_requests r, said, generate_series(1, ${days.length}) as n where r.id = (${bySilence})`;

/** A second row like the one that is there, with other values in some columns. */
const again = (table: string, where: string, changed: Record<string, string>) => `
  insert into ${table} select (jsonb_populate_record(row.*, jsonb_build_object(${Object.entries(changed)
    .flatMap(([column, value]) => [`'${column}'`, value])
    .join(', ')}))).* from ${table} row where ${where} limit 1`;

/** Manipulations of a finished run, and the promise that each breaks. */
const plants: readonly [string, string, string][] = [
  [
    '1',
    'a release that had ended before its letters left',
    `update release_requests set closed_at = released_at - interval '1 day', outcome = 'owner_back' where id = (${bySilence})`,
  ],
  [
    '2',
    'a last reminder that was never written',
    `delete from notifications where kind = 'release.last_reminder' and user_id = (${itsOwner})`,
  ],
  [
    '3',
    'a second request that is open',
    `drop index release_requests_one_open_unique;
     ${again('release_requests', `id = (${bySilence})`, { id: 'gen_random_uuid()', released_at: 'null', released_healthy_ms: 'null' })}`,
  ],
  [
    '3',
    'a second silence that is open',
    `drop index release_silences_one_open_unique;
     ${again('release_silences', 'closed_at is null', { id: 'gen_random_uuid()' })}`,
  ],
  [
    '4',
    'a second delivery of one letter',
    `drop index message_deliveries_one_effective_unique;
     drop index message_deliveries_one_a_release_unique;
     ${again('message_deliveries', "status = 'accepted' and replaces_delivery_id is null", { id: 'gen_random_uuid()', delivery_token: "'another'" })}`,
  ],
  [
    '5',
    'a letter that has not ended',
    `update message_deliveries set status = 'pending', created_at = created_at - interval '34 days'
     where request_id = (${bySilence}) and status = 'accepted'`,
  ],
  [
    '5',
    'a letter that nobody handed over',
    `update message_deliveries set delivery_token = id::text, accessed_at = null where mail_id = (
       select mail_id from message_deliveries where status = 'accepted' limit 1)`,
  ],
  [
    '6',
    'a draft that was sent',
    `update messages set status = 'draft', updated_at = created_at - interval '1 hour' where status = 'delivered'`,
  ],
  [
    '7',
    'a release without the people who alone decide',
    `update users set release_method = 'trusted_contact' where id = (${itsOwner})`,
  ],
  ['8', 'a release a day after a first no', noSaid(1)],
  ['8', 'a release by silence alone a day after a later no', noSaid(60, 1)],
  [
    '9',
    'letters that left while everything was frozen',
    `with begun as (select min(accepted_at) - interval '10 minutes' as at
       from notifications where kind = 'delivery.letter' and status = 'accepted')
     insert into audit_logs (id, chain, position, action, resource, created_at, previous_hash, hash)
     select gen_random_uuid(), 'installation', 1000000, 'release.frozen', 'installation', at, '', '' from begun`,
  ],
  [
    '9',
    'letters that left while their owner was frozen',
    `with begun as (select user_id, min(accepted_at) - interval '10 minutes' as at
       from notifications where kind = 'delivery.letter' and status = 'accepted' group by user_id limit 1)
     insert into audit_logs (id, chain, position, action, resource, created_at, previous_hash, hash)
     select gen_random_uuid(), user_id, 1000000, 'release.frozen', 'user', at, '', '' from begun`,
  ],
  [
    '12',
    'a release before the day that a reminder told',
    `update release_requests set released_at = released_at - interval '45 days' where id = (${bySilence})`,
  ],
  [
    '13',
    'a message that was delivered, and is still ready',
    `update messages set status = 'ready' where status = 'delivered'`,
  ],
  ['13', 'a reminder without its line', `delete from audit_logs where action = 'release.last_reminder'`],
  ['13', 'a notice without its mail', `delete from notifications where kind = 'release.first_reminder'`],
  [
    '14',
    'a line that was changed',
    `update audit_logs set created_at = created_at - interval '1 day' where action = 'release.last_reminder'`,
  ],
  [
    '14',
    'a last line that was removed',
    `delete from audit_logs l where position = (select length from audit_chains c where c.chain = l.chain)`,
  ],
  [
    '18',
    'two reminders within a day',
    `update release_notices last set written_at = first.written_at + interval '1 hour' from release_notices first
     where first.user_id = last.user_id and first.topic = 'first_reminder' and last.topic = 'last_reminder'`,
  ],
];

describe('the checker from outside', () => {
  test('finds nothing in a run that kept its promises, in which letters were delivered', async () => {
    expect(sink.mails.filter(({ text }) => /\/message\//.test(text)).length).toBeGreaterThan(5);
    expect(await check(database.pool, sink)).toEqual([]);
    // The plants below need such a run. If there is none, choose another seed.
    expect((await database.pool.query(bySilence)).rows).toHaveLength(1);
  });

  /** Findings of the checker after a manipulation, which is then rolled back. */
  async function foundAfter(plant: string, shown: Sink = sink): Promise<string[]> {
    const client = await database.pool.connect();
    try {
      await client.query('begin');
      await client.query(plant);
      return await check(client, shown);
    } finally {
      await client.query('rollback');
      client.release();
    }
  }

  test.each(plants)('finds a planted breach of promise %s: %s', async (promise, _, plant) => {
    expect(await foundAfter(plant)).toContainEqual(expect.stringMatching(new RegExp(`^${promise}: `)));
  });

  test('finds a release by fewer people than the contacts were notified of', async () => {
    const told = ' Nothing is delivered unless two of you confirm.';
    const isAsk = (text: string) => text.includes('/trusted-contact-admin/');
    const mails = sink.mails.map((mail) => (isAsk(mail.text) ? { ...mail, text: `${mail.text}${told}` } : mail));
    const broken = await foundAfter(`update users set release_method = 'trusted_contact'`, { ...sink, mails });
    expect(broken).toContainEqual(expect.stringMatching(/^7: .*had been told/));
  });

  test('finds a mail that was repeated to another person', async () => {
    const mail = sink.mails.find(({ messageId }) => messageId);
    const mails = [...sink.mails, ...(mail ? [{ ...mail, to: 'stranger@elsewhere.example' }] : [])];
    const broken = await check(database.pool, { ...sink, mails });
    expect(broken).toEqual([expect.stringMatching(/^4: .*stranger/)]);
  });
});
