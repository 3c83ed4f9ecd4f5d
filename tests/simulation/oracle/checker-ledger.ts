import { createHmac } from 'node:crypto';
import type pg from 'pg';

type Client = Pick<pg.ClientBase, 'query'>;

/** True if the log says so of a notice, whatever else it is about. */
const hasLine = (notice: string, owner: string, actions: string) =>
  `exists (select from audit_logs where chain = ${owner}::text and action in (${actions}) and details->>'notice' = ${notice}::text)`;

/** Rows that require other rows, each as a query for violations. */
const together: readonly [string, string][] = [
  [
    'a notice without its mail',
    `select user_id || ' ' || number from release_notices n where not exists (
       select from notifications where user_id = n.user_id and notice = n.number and channel = 'email'
         and created_at >= n.written_at)`,
  ],
  [
    'a mail of a notice that is not there',
    `select n.id::text from notifications n join users on users.id = n.user_id where n.notice is not null and n.contact_id is not null
       and not exists (select from release_notices where user_id = n.user_id and number = n.notice)`,
  ],
  ...(
    [
      ['email', 'email'],
      ['text', 'sms'],
    ] as const
  ).map(([which, channel]): [string, string] => [
    `a notice that counts by ${which}, and nothing that has ended`,
    `select user_id || ' ' || number from release_notices n where ${which}_outcome in ('accepted', 'tried') and not exists (
       select from notifications where user_id = n.user_id and notice = n.number and channel = '${channel}' and ended_at is not null)`,
  ]),
  ...(['first', 'last'] as const).map((which): [string, string] => [
    `a ${which} reminder without its mail or its line`,
    `select id::text from release_silences s where ${which}_notice is not null and not (
       exists (select from notifications where kind = 'release.${which}_reminder' and user_id = s.user_id and notice = ${which}_notice)
       and ${hasLine(`${which}_notice`, 's.user_id', `'release.${which}_reminder'`)})`,
  ]),
  [
    'as many lines of reminders as mails',
    `select u.id::text from users u where
       (select count(*) from notifications where kind in ('release.first_reminder', 'release.last_reminder')
         and channel = 'email' and user_id = u.id and dedupe_key = 'release:' || u.id || ':' || notice || ':email')
       <> (select count(*) from audit_logs where chain = u.id::text and action in ('release.first_reminder', 'release.last_reminder'))`,
  ],
  [
    'a link without its mail or its line',
    `select user_id || ' ' || notice from release_asks a where not (
       exists (select from notifications where kind = 'release.contact_asked' and user_id = a.user_id and notice = a.notice)
       and ${hasLine('a.notice', 'a.user_id', "'release.contact_asked', 'release.asked_again', 'release.asked_for_news', 'release.emergency_requested'")})`,
  ],
  [
    'a wait without the notice that it begins with',
    `select id::text from release_requests r where closed_at is null and phase = 'holding' and not exists (
       select from release_notices where user_id = r.user_id and number = r.wait_notice and topic = 'wait')`,
  ],
  [
    'an answer without its line',
    `select r.id::text from release_requests r where (select count(*) from release_answers where request_id = r.id)
       > (select count(*) from audit_logs where resource_id = r.id::text
         and action in ('release.confirmed', 'release.cancelled', 'release.said_alive', 'release.trustee_pressed'))`,
  ],
  [
    'a link of somebody who has left the role',
    `select a.user_id || ' ' || a.notice from release_asks a join release_requests r on r.id = a.request_id
       join trusted_contacts t on t.id = a.contact_id
       where r.closed_at is null and r.released_at is null and not t.is_confirmed and not a.is_dead`,
  ],
  [
    'a question on its way to somebody who has left the role',
    `select n.id::text from notifications n join release_requests r on r.user_id = n.user_id join trusted_contacts t on t.id = n.contact_id
       where n.kind = 'release.contact_asked' and n.status in ('pending', 'sending') and n.accepted_at is null
         and r.closed_at is null and r.released_at is null and not t.is_confirmed and n.channel = 'email'`,
  ],
  [
    'an end without its line',
    `select id::text from release_requests r where closed_at is not null and not exists (
       select from audit_logs where resource_id = r.id::text and action in
         ('release.returned', 'release.request_ended', 'release.account_closing', 'release.left_as_it_is'))`,
  ],
  [
    'a release without its line, or with letters that nobody wrote down',
    `select r.id::text from release_requests r where
       (select count(*) from message_deliveries where request_id = r.id and replaces_delivery_id is null)
       > (select coalesce(sum((details->>'deliveries')::int), 0) from audit_logs
         where resource_id = r.id::text and action = 'delivery.created')
       or (released_at is not null and not exists (
         select from audit_logs where resource_id = r.id::text and action = 'release.release'))`,
  ],
  [
    'a delivery without its mail',
    `select id from message_deliveries d where not exists (
       select from notifications where kind = 'delivery.letter' and subject_id = d.mail_id)`,
  ],
  [
    'a delivery that has ended without its line',
    `select id from message_deliveries d where status <> 'pending' and not exists (
       select from audit_logs where resource_id = d.id::text
         and action = 'delivery.' || case d.status when 'unopened' then 'never_opened' else d.status end)`,
  ],
  // A reminder of it can come back from a mailbox that has closed since.
  [
    'a letter that was taken, and a delivery that knows nothing of it',
    `select d.id from message_deliveries d join notifications n on n.kind = 'delivery.letter' and n.subject_id = d.mail_id
       where n.status = 'accepted' and d.status in ('pending', 'cancelled', 'bounced')
       and not (d.status = 'bounced' and exists (
         select from audit_logs where resource_id = d.id::text and action = 'delivery.came_back'))`,
  ],
  [
    'a delivery that was accepted, and a message that is not delivered',
    `select d.id from message_deliveries d join messages m on m.id = d.message_id
       where d.status = 'accepted' and m.status <> 'delivered' and not exists (select from message_deliveries other
         where other.message_id = m.id and other.recipient_id <> d.recipient_id
           and other.status in ('pending', 'cancelled', 'withdrawn'))`,
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

/** 13. State, log line and mail are written together, at any moment and after any kill. */
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
