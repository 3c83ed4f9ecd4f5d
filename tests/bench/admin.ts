import { sql } from 'drizzle-orm';
import { type Database, openDatabase } from '#server/platform/db/database.ts';
import { startEmbeddedPostgres } from '#server/platform/db/embedded/launcher.ts';
import { bulkRecipientsMax, userSorts } from '#shared/contract/admin.ts';
import { type Figure, median, ms } from './figure.ts';
import { connections, load } from './load.ts';
import { createOwners } from './owners.ts';
import { type Site, startSite } from './site.ts';

/** A bulk email begins in the measured part of a load, past its warm-up. */
const sizes = {
  full: { users: 100_000, asksOfEachKind: 20, rounds: 3, bulkAfterMs: 3_000 },
  /** Enough for a bulk email. */
  small: { users: bulkRecipientsMax, asksOfEachKind: 3, rounds: 1, bulkAfterMs: 1_200 },
};
const goals = { listP95Ms: 150, readP99Ratio: 2 };
const adminEmail = 'owner-0@everkept.example';

/** The administrator's list over 100,000 users, and the effect of a bulk email to 10,000 on readers. */
export async function adminFigures({ isSmall }: { isSmall: boolean }): Promise<Figure[]> {
  const size = isSmall ? sizes.small : sizes.full;
  const site = await startSite({ ADMIN_EMAIL: adminEmail });
  // The site's database: a second starter gets the running one.
  const postgres = await startEmbeddedPostgres({ dataDir: site.dataDir });
  const { db, close } = openDatabase({ connection: postgres.connection, maxConnections: 1, onError: rethrow });
  try {
    const cookies = await createOwners(db, { dataDir: site.dataDir, count: connections * 2 });
    await createCrowd(db, size.users);
    const cookie = cookies[0] ?? '';
    await confirmAdministrator(db);
    const list = await listFigure(site, { cookie, ...size });
    return [list, await bulkFigure(site, { cookies, ...size, isSmall, confirm: () => confirmAdministrator(db) })];
  } finally {
    await close();
    await postgres.stop();
    await site.stop();
  }
}

/** People who came one after another over a few years, most of whom have signed in since. */
async function createCrowd(db: Database, users: number): Promise<void> {
  await db.execute(sql`
    insert into users (email, first_name, last_name, email_verified, created_at, last_login_at, last_checkin_at, next_step_at)
    select 'crowd-' || n || '@people.example', 'First' || (n % 700), 'Last' || (n % 9000), true,
      now() - n * interval '17 minutes',
      case when n % 5 > 0 then now() - (n::bigint * 7919 % ${users}::int) * interval '1 minute' end,
      now() - (n::bigint * 104729 % ${users}::int) * interval '1 minute',
      now() + interval '30 days'
    from generate_series(1, ${users}::int) as n`);
  await db.execute(sql`vacuum analyze users`);
}

/** A load takes minutes; administration opens to a fresh sign-in of a proven mailbox that has passed a second factor alone. */
async function confirmAdministrator(db: Database): Promise<void> {
  await db.execute(sql`
    update users set mailbox_proven_at = coalesce(mailbox_proven_at, now()) where email = ${adminEmail}`);
  await db.execute(sql`
    insert into authenticators (user_id, secret, created_at, confirmed_at)
    select id, '', now(), now() from users where email = ${adminEmail} on conflict do nothing`);
  await db.execute(sql`
    update sessions set authenticated_at = now(), last_seen_at = now(), second_factor_at = now()
    where user_id = (select id from users where email = ${adminEmail})`);
}

type ListLoad = { cookie: string; users: number; asksOfEachKind: number };

async function listFigure(site: Site, { cookie, users, asksOfEachKind }: ListLoad): Promise<Figure> {
  const read = async (query: string): Promise<{ id: string }[]> => {
    const answer = await fetch(`${site.url}/api/admin/users-temp?${query}`, { headers: { cookie } });
    const rows: unknown = await answer.json();
    if (!answer.ok || !Array.isArray(rows)) throw new Error(`The list was answered ${answer.status}.`);
    return rows as { id: string }[];
  };
  // Page 40 stands for every later one: a page begins behind a known user, wherever that one stands.
  let after = '';
  for (let page = 0; page < 40; page += 1) after = (await read(after && `after=${after}`)).at(-1)?.id ?? '';
  const kinds = [
    ...userSorts.flatMap((sort) => [`sort=${sort}&direction=asc`, `sort=${sort}&direction=desc&after=${after}`]),
    'search=crowd-99999',
    'search=last88%20first1',
    'search=nobody-of-this-name',
  ];
  const times: number[] = [];
  for (let round = 0; round < asksOfEachKind; round += 1) {
    for (const kind of kinds) {
      const began = performance.now();
      await read(kind);
      times.push(performance.now() - began);
    }
  }
  const p95 = times.sort((one, other) => one - other)[Math.floor(times.length * 0.95)] ?? Number.NaN;
  const what = `GET /api/admin/users-temp, ${users.toLocaleString('en-GB')} users, p95`;
  return { what, figure: ms(p95), goal: `< ${goals.listP95Ms} ms`, met: p95 < goals.listP95Ms };
}

type Loaded = {
  cookies: string[];
  rounds: number;
  bulkAfterMs: number;
  isSmall: boolean;
  confirm: () => Promise<void>;
};

async function bulkFigure(site: Site, { cookies, rounds, bulkAfterMs, isSmall, confirm }: Loaded): Promise<Figure> {
  const url = `${site.url}/api/messages`;
  const recipients = Array.from({ length: bulkRecipientsMax }, (_, index) => `crowd-${index + 1}@people.example`);
  const body = JSON.stringify({ subject: 'New guides', message: 'We wrote a guide.', recipients });
  const headers = { 'content-type': 'application/json', origin: site.url, cookie: cookies[0] ?? '' };
  const begin = async () => {
    await new Promise((resolve) => setTimeout(resolve, bulkAfterMs));
    await confirm();
    const answer = await fetch(`${site.url}/api/admin/bulk-email`, { method: 'POST', headers, body });
    if (answer.status !== 202) throw new Error(`The bulk email was answered ${answer.status}.`);
  };
  const rest: number[] = [];
  const sending: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    rest.push((await load({ url, cookies }, { isSmall })).p99Ms);
    const [loaded] = await Promise.all([load({ url, cookies }, { isSmall }), begin()]);
    sending.push(loaded.p99Ms);
  }
  const value = median(sending) / median(rest);
  return {
    what: `GET /api/messages, p99 during a bulk email to ${bulkRecipientsMax.toLocaleString('en-GB')} to that at rest`,
    figure: `${value.toFixed(2)} (${ms(median(sending))}, ${ms(median(rest))})`,
    goal: `≤ ${goals.readP99Ratio}`,
    met: value <= goals.readP99Ratio,
  };
}

function rethrow(error: Error): never {
  throw error;
}
