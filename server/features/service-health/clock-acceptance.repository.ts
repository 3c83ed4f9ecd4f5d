import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Executor } from '#server/platform/db/database.ts';

/**
 * The columns that say when something happened, or when it is looked at next. Under a clock that was ahead they may lie in a
 * time that has not come. In the order in which rows are locked everywhere; the row of `service_health` comes last.
 * What lies ahead by its nature, and what must not be written twice, is not among them: ends of links and terms, what
 * providers of payments said, and the audit log.
 */
const marks = {
  users:
    'created_at updated_at first_verified_at vouched_at mailbox_proven_at phone_proven_at plan_granted_at plan_offered_at last_login_at last_checkin_at devices_forgotten_at news_stopped_at release_frozen_at release_resumed_at release_begun_anew_at deletion_requested_at next_step_at',
  checkins: 'created_at',
  trusted_contacts: 'created_at updated_at confirmation_sent_at confirmed_at declined_at',
  trustee_relationships: 'created_at',
  messages: 'created_at updated_at delivered_at',
  message_enclosures: 'created_at',
  documents: 'created_at updated_at',
  release_returns: 'at heard_at first_reminder_at last_reminder_at asked_at',
  release_silences: 'opened_at closed_at',
  release_requests:
    'opened_at closed_at silence_asks_at answer_time_at shrunk_at phase_at released_at question_at done_at stopped_at',
  release_notices: 'written_at email_at text_at closed_at',
  release_asks: 'created_at',
  release_answers: 'at',
  checkin_links: 'created_at used_at',
  message_deliveries: 'created_at delivered_at accessed_at answered_at refused_at ended_at',
  declining_readers: 'declined_at taken_back_at',
  held_back_letters: 'held_back_at',
  reached_mailboxes: 'reached_at',
  release_halts: 'halted_at',
  new_address_links: 'created_at',
  address_proposals: 'created_at look_at ended_at',
  given_addresses: 'created_at',
  notifications:
    'created_at first_attempt_at last_attempt_at refused_at troubled_at accepted_at ended_at bounced_at lease_until replied_at',
  mail_domains: 'mass_refused_since mass_refused_at',
  sms_notifications: 'created_at sent_at responded_at',
  push_devices: 'created_at',
  retention_notices: 'sent_at ended_at',
  sessions: 'created_at last_seen_at authenticated_at second_factor_at own_proof_at',
  login_attempts: 'last_tried_at blocked_until',
  task_runs: 'begun_at ended_at lease_until failed_at',
  writing_questions: 'asked_at',
  ready_changes: 'since told_at',
  message_recipients: 'address_since',
  integrity_rounds: 'started_at finished_at lease_until',
  service_alerts: 'since well_since told_at next_try_at lease_until',
  bounce_mailbox: 'read_at',
  site_watch: 'asked_at answered_at failing_since back_at',
  backup_state: 'tried_at made_at failing_since practised_at',
} as const;

export const markedColumns: readonly { table: string; columns: readonly string[] }[] = Object.entries(marks).map(
  ([table, columns]) => ({ table, columns: columns.split(' ') }),
);

/** Makes every mark that lies ahead `at`, and has what was to be sent in a time that has not come be sent now. */
export async function bringBackMarks(tx: Executor, at: Date): Promise<void> {
  const now = sql`${at.toISOString()}::timestamptz`;
  // What was written before lies ahead because it is to be sent later, and stays so.
  await tx.execute(sql`
    update notifications set not_before = ${atMost(sql`not_before`, now)}, next_attempt_at = ${atMost(sql`next_attempt_at`, now)}
    where status in ('pending', 'sending') and created_at > ${now}`);
  for (const { table, columns } of markedColumns) {
    const names = columns.map((column) => sql.identifier(column));
    const set = names.map((name) => sql`${name} = ${atMost(name, now)}`);
    await tx.execute(sql`
      update ${sql.identifier(table)} set ${sql.join(set, sql`, `)}
      where greatest(${sql.join(names, sql`, `)}) > ${now}`);
  }
}

/** Where the clock stands is what counts from now on: no later time was seen. Healthy time stays as it is. */
export async function acceptClock(tx: Executor, at: Date): Promise<void> {
  const now = sql`${at.toISOString()}::timestamptz`;
  await tx.execute(sql`
    update service_health set highest_seen_at = ${now}, last_beat_at = ${atMost(sql`last_beat_at`, now)},
      mail_troubled_since = ${atMost(sql`mail_troubled_since`, now)}, frozen_at = ${atMost(sql`frozen_at`, now)},
      silence_stopped_at = ${atMost(sql`silence_stopped_at`, now)}, resumed_at = ${atMost(sql`resumed_at`, now)}
    where id = 1`);
}

/** The earlier of both; nothing where there is nothing, for which `least` would give `now`. */
function atMost(column: SQLWrapper, now: SQL): SQL {
  return sql`case when ${column} > ${now} then ${now} else ${column} end`;
}
