import type pg from 'pg';
import { bad, type Finding, poor, well } from '#server/features/service-health/findings.rules.ts';
import { findPooler } from '#server/platform/db/find-pooler.ts';
import type { Settings } from '#server/settings.ts';

type Use = { most: number; kept: number; used: number; ours: number };

/** From here on the next process, or the next busy minute, may find none left. */
const fullShare = 0.9;

/** Number of connections, and the number that one process of ours may open. */
export async function lookAtConnections(client: pg.Client, { database }: Settings): Promise<Finding> {
  const what = 'connections';
  const { rows } = await client.query<Use>(`
    select current_setting('max_connections')::int as most,
      current_setting('superuser_reserved_connections')::int as kept,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
      (select count(*)::int from pg_stat_activity where application_name like 'everkept%') as ours
    from (values (1)) one`);
  const { most = 0, kept = 0, used = 0, ours = 0 } = rows[0] ?? {};
  const free = most - kept;
  const room = Math.floor(free / database.poolSize);
  const found = `${used} of ${free} are in use, ${ours} of them ours. With DATABASE_POOL_SIZE=${database.poolSize} there is room for ${room} ${room === 1 ? 'process' : 'processes'} at full load.`;
  const mend =
    'Raise max_connections of PostgreSQL, set DATABASE_POOL_SIZE lower, or put PgBouncer in front: all processes together must stay below it.';
  if (room === 0) return bad(what, found, mend);
  return used > free * fullShare ? poor(what, found, mend) : well(what, found);
}

/** Compares a pooler in front of the database with the settings. No finding if there is none. */
export async function lookAtPooler(connection: pg.PoolConfig, { database }: Settings): Promise<Finding[]> {
  const there = await findPooler(connection);
  const said = database.pooler;
  if (there === 'transaction' && said !== undefined && said !== 'transaction') {
    return [
      bad(
        'pooler',
        `A pooler lends its connections for one transaction at a time, but DATABASE_POOLER is ${said}.`,
        'Set DATABASE_POOLER=transaction, or remove it: then Everkept detects the pooler itself.',
      ),
    ];
  }
  if (there === 'none') return [];
  const how =
    there === 'session'
      ? 'It lends us a connection for the whole session.'
      : 'It lends us a connection for one transaction at a time, so we use no named statements.';
  return [well('pooler', `A pooler stands in front of PostgreSQL. ${how}`)];
}
