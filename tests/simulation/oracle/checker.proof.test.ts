import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Scenario } from '#tests/simulation/scenario.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { check, type Sink } from './checker.ts';

/** A handful of owners who all fall silent on the first day, so that all are released. */
const scenario: Scenario = { seed: 4, owners: 5, days: 105, isMassSilence: true, calm: ['clock'] };

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

/** Released by silence alone: nobody confirmed. */
const bySilence = `select id from release_cycles c where first_dispatch_at is not null and closed_at is null
  and not exists (select from release_invitations i where i.cycle_id = c.id and decision is not null)
  order by id limit 1`;

/** What somebody could do to a finished run, and the promise it breaks. */
const plants: readonly [string, string][] = [
  ['1', `update release_cycles set closed_at = first_dispatch_at - interval '1 day' where id = (${bySilence})`],
  ['2', `delete from notifications where kind = 'release.last_reminder' and subject_id = (${bySilence})`],
  [
    '3',
    `drop index release_cycles_one_open_unique;
     insert into release_cycles (id, user_id, epoch, state, opened_at)
     select gen_random_uuid(), user_id, 9, 'reminded', opened_at from release_cycles where id = (${bySilence})`,
  ],
  [
    '4',
    `drop index message_deliveries_one_effective_unique;
     drop index message_deliveries_cycle_id_message_id_unique;
     insert into message_deliveries (id, message_id, user_id, cycle_id, recipient_email, delivery_token, status, expires_at, created_at)
     select gen_random_uuid(), message_id, user_id, cycle_id, recipient_email, 'another', 'accepted', expires_at, created_at
     from message_deliveries where status = 'accepted' limit 1`,
  ],
  [
    '5',
    `update message_deliveries set status = 'pending', created_at = created_at - interval '34 days'
     where cycle_id = (${bySilence})`,
  ],
  ['6', `update messages set status = 'draft', updated_at = created_at - interval '1 hour' where status = 'delivered'`],
  [
    '7',
    `update users set release_method = 'trusted_contact' where id = (select user_id from release_cycles where id = (${bySilence}))`,
  ],
  [
    '8',
    `with said as (insert into trusted_contacts (id, user_id, name, email)
       select gen_random_uuid(), user_id, 'x', 'x@y.example' from release_cycles where id = (${bySilence}) returning id)
     insert into release_invitations (id, cycle_id, contact_id, round, token_hash, created_at, decision, decided_at)
     select gen_random_uuid(), c.id, said.id, 1, 'planted', c.opened_at, 'cancelled', c.first_dispatch_at - interval '1 day'
     from release_cycles c, said where c.id = (${bySilence})`,
  ],
  [
    '8',
    `with said as (insert into trusted_contacts (id, user_id, name, email)
       select gen_random_uuid(), user_id, 'x', 'x@y.example' from release_cycles where id = (${bySilence}) returning id),
     asked as (update audit_logs set details = jsonb_set(details, '{round}', '2')
       where action = 'release.ask' and resource_id = (${bySilence})::text returning 1)
     insert into release_invitations (id, cycle_id, contact_id, round, token_hash, created_at, decision, decided_at)
     select gen_random_uuid(), c.id, said.id, n, 'planted ' || n, c.opened_at, 'cancelled',
       c.first_dispatch_at - (case n when 1 then interval '60 days' else interval '1 day' end)
     from release_cycles c, said, generate_series(1, 2) as n where c.id = (${bySilence})`,
  ],
  [
    '9',
    `with begun as (select least(min(accepted_at), min(created_at)) - interval '2 minutes' as at
       from notifications where kind = 'delivery.letter' and status = 'accepted')
     insert into audit_logs (id, chain, position, action, resource, created_at, previous_hash, hash)
     select gen_random_uuid(), 'planted', 1, 'release.frozen', 'installation', at, '', '' from begun`,
  ],
  [
    '12',
    `update release_cycles set first_dispatch_at = first_dispatch_at - interval '45 days' where id = (${bySilence})`,
  ],
  ['13', `update messages set status = 'ready' where status = 'delivered'`],
  ['13', `delete from audit_logs where action = 'release.last_reminder'`],
  ['14', `update audit_logs set created_at = created_at - interval '1 day' where action = 'release.last_reminder'`],
  ['14', `delete from audit_logs l where position = (select length from audit_chains c where c.chain = l.chain)`],
];

describe('the checker from outside', () => {
  test('finds nothing in a run that kept its promises, in which letters were delivered', async () => {
    expect(sink.mails.filter(({ text }) => /\/message\//.test(text)).length).toBeGreaterThan(5);
    expect(await check(database.pool, sink)).toEqual([]);
  });

  test.each(plants)('finds a planted breach of promise %s', async (promise, plant) => {
    const client = await database.pool.connect();
    try {
      await client.query('begin');
      await client.query(plant);
      const broken = await check(client, sink);
      expect(broken).toContainEqual(expect.stringMatching(new RegExp(`^${promise}: `)));
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  test('finds a release by fewer people than those who were asked had been told', async () => {
    const told = ' Nothing is delivered unless two of you confirm.';
    const isAsk = (text: string) => text.includes('/trusted-contact-admin/');
    const mails = sink.mails.map((mail) => (isAsk(mail.text) ? { ...mail, text: `${mail.text}${told}` } : mail));
    expect(await check(database.pool, { ...sink, mails })).toContainEqual(expect.stringMatching(/^7: .*had been told/));
  });

  test('finds a mail that was repeated to somebody else', async () => {
    const mail = sink.mails.find(({ messageId }) => messageId);
    const mails = [...sink.mails, ...(mail ? [{ ...mail, to: 'stranger@elsewhere.example' }] : [])];
    const broken = await check(database.pool, { ...sink, mails });
    expect(broken).toEqual([expect.stringMatching(/^4: .*stranger/)]);
  });
});
