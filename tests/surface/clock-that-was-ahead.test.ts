import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyAudit } from '#server/features/audit/audit.ts';
import { markedColumns } from '#server/features/service-health/clock-acceptance.repository.ts';
import { acceptCurrentTime } from '#server/features/service-health/clock-acceptance.ts';
import { clockAheadUntil } from '#server/features/service-health/clock-watch.ts';
import { createEverkept, dayMs, type Everkept } from '#tests/support/everkept.ts';

let everkept: Everkept;
beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

const rows = async (query: string) => (await everkept.database.pool.query(query)).rows;
/** All of an owner whom the time ahead has not touched, but when they are looked at next. */
const livedRows = (userId: string) =>
  rows(`select to_jsonb(users) - 'next_step_at' as owner, to_jsonb(silence) as silence, to_jsonb(notice) as notice
    from users join release_silences silence on silence.user_id = users.id
      join release_notices notice on notice.user_id = users.id where users.id = '${userId}' order by notice.number`);
const reminders = (address: string) => everkept.mailer.sent.filter(({ to }) => to.address === address).length;

test('a clock that was a year ahead for an hour stops everything, until its time of now is accepted', async () => {
  const silent = await everkept.signUp();
  await everkept.write(silent);
  await everkept.befriend(silent, { name: 'Priya Shah', email: 'priya@friends.example' });
  const settings = { releaseMethod: 'inactivity', inactivityDays: 90 };
  await silent.browser.send('PUT', '/api/user/release-settings', { body: settings });
  await everkept.live(46);
  const before = reminders(silent.email);
  expect(before).toBeGreaterThan(0);
  expect(await acceptCurrentTime(everkept.opened)).toBeNull();

  await everkept.jump(400);
  await everkept.releases.beat();
  await everkept.work();
  const meanwhile = await everkept.signUp();
  await everkept.jump(-400);
  expect(await clockAheadUntil(everkept.opened)).toBeInstanceOf(Date);
  // The year ahead caused at most another reminder, and no question or release.
  expect(await rows(`select 1 from release_silences where closed_at is null`)).toHaveLength(1);
  expect(await rows(`select 1 from release_requests`)).toEqual([]);
  const told = reminders(silent.email);
  await everkept.live(60);
  expect(reminders(silent.email)).toBe(told);

  const lived = await livedRows(silent.userId);
  const aheadUntil = await acceptCurrentTime(everkept.opened);
  expect(aheadUntil).toBeInstanceOf(Date);
  expect(await clockAheadUntil(everkept.opened)).toBeNull();
  const [{ last_checkin_at: lastCheckIn }] = await rows(
    `select last_checkin_at from users where id = '${meanwhile.userId}'`,
  );
  const [{ at }] = await rows(
    `select clock_timestamp() + clock_offset_ms * interval '1 millisecond' as at from service_health`,
  );
  expect(at.getTime() - lastCheckIn.getTime()).toBeLessThan(dayMs);
  expect(await rows(`select action from audit_logs where action = 'release.clock_accepted'`)).toHaveLength(1);

  // Past events stay as they were, and no further one happened.
  expect(await livedRows(silent.userId)).toEqual(lived);

  // The last reminder and the question keep their gaps from here on, and then it goes its way.
  await everkept.live(5);
  expect(await rows(`select 1 from message_deliveries`)).toEqual([]);
  await everkept.live(25);
  const [request] = await rows(`select released_at from release_requests where user_id = '${silent.userId}'`);
  expect(request?.released_at).toBeInstanceOf(Date);
  expect(await verifyAudit(everkept.opened)).toMatchObject({ ok: true });
});

test('no mark is left in a time that has not come: every column of time is one, or is known to be none', async () => {
  const left = new Set(
    // Ends of links, codes, terms and waits, which lie ahead by their nature.
    `users.away_until users.email_verification_expires users.password_reset_expires users.phone_code_expires users.former_phone_until users.subscription_start users.subscription_end sessions.expire
    trusted_contacts.confirmation_expires checkin_links.expires_at message_deliveries.expires_at message_deliveries.kept_until message_deliveries.due_at sms_notifications.expires_at
    release_requests.told_until release_returns.next_at not_me_links.expires_at identity_links.link_expires_at identity_links.expires_at sign_in_steps.expires_at notifications.not_before notifications.next_attempt_at`
      .split(/\s+/)
      .filter(Boolean),
  );
  // Providers' payment data, sealed log entries, and times that nothing waits for.
  const leftTables = new Set(
    `subscriptions checkouts payment_events payments voucher_codes voucher_usage audit_logs audit_chains bulk_emails bulk_email_recipients
    complaints file_objects integrity_events stopped_phones received_texts service_keys vault_keys user_identities identity_links authenticators
    reached_mailboxes recovery_codes passkeys user_checklists first_weeks message_drafts recently_deleted service_health rate_limits`.split(
      /\s+/,
    ),
  );
  const marks = new Set(markedColumns.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`)));
  const found = await rows(
    `select table_name || '.' || column_name as name, table_name from information_schema.columns
     where table_schema = 'public' and data_type = 'timestamp with time zone'`,
  );
  const names = new Set(found.map(({ name }) => name));
  expect([...marks].filter((mark) => !names.has(mark))).toEqual([]);
  const unknown = found.filter(
    ({ name, table_name }) => !marks.has(name) && !left.has(name) && !leftTables.has(table_name),
  );
  expect(unknown.map(({ name }) => name).toSorted()).toEqual([]);
});
