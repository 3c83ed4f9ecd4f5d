import type pg from 'pg';
import type { Handed } from '#tests/simulation/people/post.ts';
import type { Happening } from '#tests/simulation/scenario.ts';

/** Number of occurrences of each optional event. */
export type Happened = Record<Happening, number>;

/** Traces of an event in the database. Events that a restore has erased are not counted. */
const traces: Record<Exclude<Happening, 'policy refusals' | 'bounces' | 'slow servers' | 'restores'>, string> = {
  'second thoughts': `select (select count(*) from audit_logs where action = 'release.yes_taken_back')
    + (select count(*) from release_requests where outcome = 'did_not_ask')`,
  'freezes by name': `select count(*) from audit_logs where action = 'release.frozen' and chain <> 'installation'`,
  journeys: `select count(*) from audit_logs where action = 'release.away_changed'`,
  strangers: `select count(*) from audit_logs where action = 'release.signed_in_after_delivery'`,
  'text replies': `select count(*) from audit_logs where action = 'user.checked_in_by_text'`,
  'email replies': `select count(*) from audit_logs where action = 'release.answered_by_email'`,
  deletions: `select count(*) from audit_logs where action = 'account.deletion_requested'`,
  'new addresses': `select count(*) from address_proposals`,
  'letters together': `select count(*) from (select from message_deliveries group by mail_id having count(*) > 1) as together`,
  lapses: `select count(*) from users where plan = 'free'`,
};

/** @param seen how often a server was slow, and a backup took the place of the database. */
export async function whatHappened(
  reader: Pick<pg.ClientBase, 'query'>,
  handed: readonly Handed[],
  seen: Pick<Happened, 'slow servers' | 'restores'>,
): Promise<Happened> {
  const columns = Object.entries(traces).map(([what, question]) => `(${question})::int as "${what}"`);
  const { rows } = await reader.query(`select ${columns.join(', ')}`);
  return {
    ...(rows[0] as Record<keyof typeof traces, number>),
    ...seen,
    'policy refusals': handed.filter(({ answer }) => answer === 'policy').length,
    bounces: handed.filter(({ bounced }) => bounced).length,
  };
}
