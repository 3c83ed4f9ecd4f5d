import { createHmac } from 'node:crypto';
import type pg from 'pg';

type Client = Pick<pg.ClientBase, 'query'>;

/** What must be there when something else is, each as a question for the rows that break it. */
const together: readonly [string, string][] = [
  ...(['first', 'last'] as const).flatMap((which): [string, string][] => [
    [
      `a ${which} reminder without its mail or its line`,
      `select id from release_cycles c where ${which}_reminder_sent_at is not null and not (
         exists (select from notifications where kind = 'release.${which}_reminder' and subject_id = c.id)
         and exists (select from audit_logs where action = 'release.${which}_reminder' and resource_id = c.id::text))`,
    ],
    [
      `as many lines of a ${which} reminder as mails`,
      `select c.id from release_cycles c where
         (select count(*) from notifications
           where kind = 'release.${which}_reminder' and channel = 'email' and subject_id = c.id)
         <> (select count(*) from audit_logs where action = 'release.${which}_reminder' and resource_id = c.id::text)`,
    ],
    [
      `a ${which} reminder counts, and no mail has ended`,
      `select c.id from release_cycles c where ${which}_reminder_at is not null and not exists (
         select from notifications where kind = 'release.${which}_reminder' and subject_id = c.id and ended_at is not null)`,
    ],
  ]),
  [
    'as many links as asking mails, but for those of people who acted by themselves',
    `select c.id from release_cycles c where
       (select count(*) from notifications where kind = 'release.contact_asked' and channel = 'email' and subject_id = c.id)
       < (select count(*) from release_invitations where cycle_id = c.id and decided_at is distinct from created_at)`,
  ],
  [
    'a round without its line',
    `select c.id from release_cycles c where round > 0 and not exists (select from audit_logs
       where action in ('release.ask', 'release.emergency_requested', 'release.trustee_pressed') and resource_id = c.id::text)`,
  ],
  [
    'a hold without the notice that its wait begins with',
    `select c.id from release_cycles c join users u on u.id = c.user_id
       where c.closed_at is null and c.state = 'holding' and u.release_waiting_days > 0 and c.owner_notice_at is null
         and not exists (select from notifications where kind = 'release.owner_holding' and subject_id = c.id
           and channel = 'email' and status in ('pending', 'sending'))`,
  ],
  [
    'as many decisions as lines of them',
    `select c.id from release_cycles c where
       (select count(*) from release_invitations where cycle_id = c.id and decision is not null)
       > (select count(*) from audit_logs where resource_id = c.id::text
         and action in ('release.confirmed', 'release.cancelled', 'release.trustee_pressed'))`,
  ],
  [
    'a link of somebody who has left the role',
    `select i.id from release_invitations i join release_cycles c on c.id = i.cycle_id
       join trusted_contacts t on t.id = i.contact_id
       where c.closed_at is null and c.state in ('asking', 'holding', 'paused') and not t.is_confirmed
         and i.decision is null and i.withdrawn_at is null`,
  ],
  [
    'a question on its way to somebody who has left the role',
    `select n.id from notifications n join release_cycles c on c.id = n.subject_id
       join trusted_contacts t on split_part(n.dedupe_key, ':', 6) = t.id::text
       where n.kind = 'release.contact_asked' and n.status in ('pending', 'sending') and n.accepted_at is null
         and c.closed_at is null and c.state in ('asking', 'holding', 'paused') and not t.is_confirmed`,
  ],
  [
    'an end without its line',
    `select id from release_cycles c where closed_at is not null and not exists (
       select from audit_logs where resource_id = c.id::text
         and action in ('release.returned', 'release.return', 'release.resume', 'release.account_closing'))`,
  ],
  [
    'a release without its line, or with letters that nobody wrote down',
    `select c.id from release_cycles c where first_dispatch_at is not null and not exists (
       select from audit_logs where resource_id = c.id::text and action = 'delivery.created'
         and (details->>'deliveries')::int >= (select count(*) from message_deliveries where cycle_id = c.id))`,
  ],
  [
    'a delivery without its mail',
    `select id from message_deliveries d where not exists (
       select from notifications where kind = 'delivery.letter' and subject_id = d.id)`,
  ],
  [
    'a delivery that has ended without its line',
    `select id from message_deliveries d where status <> 'pending' and not exists (
       select from audit_logs where resource_id = d.id::text
         and action = 'delivery.' || case d.status when 'unopened' then 'never_opened' else d.status end)`,
  ],
  [
    'a letter that was taken, and a delivery that knows nothing of it',
    `select d.id from message_deliveries d join notifications n on n.kind = 'delivery.letter' and n.subject_id = d.id
       where n.status = 'accepted' and d.status in ('pending', 'cancelled', 'bounced')`,
  ],
  [
    'a delivery that was accepted, and a message that is not delivered',
    `select d.id from message_deliveries d join messages m on m.id = d.message_id
       where d.status = 'accepted' and m.status <> 'delivered'`,
  ],
  [
    'a message that is delivered, and no delivery',
    `select m.id from messages m where status = 'delivered' and not exists (
       select from message_deliveries where message_id = m.id and status = 'accepted')`,
  ],
  [
    'an opening without its line',
    `select d.id from message_deliveries d where accessed_at is not null and not exists (
       select from audit_logs where resource_id = d.id::text and action = 'delivery.opened')`,
  ],
  [
    'a sign of life without its line',
    `select c.id from checkins c where type <> 'login' and not exists (
       select from audit_logs where chain = c.user_id::text and created_at = c.created_at)`,
  ],
];

/** 13. State, its line in the log and its mail are written together; asked at any moment, whoever was killed before. */
export async function writtenApart(client: Client): Promise<string[]> {
  const text = together
    .map(([what, question]) => `select '${what}' as what, id::text as id from (${question}) as broken(id)`)
    .join(' union all ');
  const { rows } = await client.query<{ what: string; id: string }>(text);
  return rows.map(({ what, id }) => `13: ${what} (${id})`);
}

type Row = {
  id: string;
  chain: string;
  position: string;
  action: string;
  resource: string;
  resource_id: string | null;
  details: unknown;
  origin_hash: string | null;
  created_at: Date;
  previous_hash: Buffer;
  hash: Buffer;
};
type Head = { chain: string; length: string; head_hash: Buffer };

/** 14. Each line of the log is hashed with the one before it, as docs/security.md says, up to the head of its chain. */
export async function brokenChains(client: Client, key: string): Promise<string[]> {
  const { rows } = await client.query<Row>('select * from audit_logs order by chain, position');
  const { rows: heads } = await client.query<Head>('select chain, length, head_hash from audit_chains');
  const broken: string[] = [];
  const lastOf = new Map<string, { position: number; hash: Buffer }>();
  for (const row of rows) {
    const before = lastOf.get(row.chain) ?? { position: 0, hash: Buffer.alloc(32) };
    const position = Number(row.position);
    const isNext = position === before.position + 1 && row.previous_hash.equals(before.hash);
    if (!isNext || !row.hash.equals(hashOf(row, key))) broken.push(`14: line ${position} of ${row.chain} does not fit`);
    lastOf.set(row.chain, { position, hash: row.hash });
  }
  for (const { chain, length, head_hash } of heads) {
    const last = lastOf.get(chain);
    const isEnd = last?.position === Number(length) && last.hash.equals(head_hash);
    if (!isEnd) broken.push(`14: the end of ${chain} is missing`);
  }
  return broken;
}

function hashOf(row: Row, key: string): Buffer {
  const { id, chain, position, action, resource, resource_id, details, origin_hash, created_at } = row;
  const at = created_at.toISOString();
  const content = [id, chain, action, resource, resource_id, inOrder(details), origin_hash, at];
  return createHmac('sha256', key)
    .update(row.previous_hash)
    .update(`${position} ${JSON.stringify(content)}`)
    .digest();
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, inOrder((value as Record<string, unknown>)[name])]));
}
