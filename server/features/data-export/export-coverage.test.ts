import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFilesWorld, type FilesWorld } from '#server/features/documents/vault-files.test-world.ts';
import { ask, newFullOwner } from './export.test-world.ts';

/**
 * What becomes of each table and column in an export. A table is either left out as a whole, with the reason, or its
 * rows stand in a section; then each column is one of `columns`, or left `out` with the reason.
 */
type Decision =
  | string
  | { section: string; columns: string; out?: Record<string, string>; named?: Record<string, string | string[]> };

const whose = 'whose it is, the whole export says';
const opens = 'opens something: a link, an account or a mail; it says nothing of the person';
const change = 'names a change, so that a window knows its own; it says nothing of a person';
const engine = 'a mark of the machinery, worked out from what is exported';
const ofReader = 'the word of a reader, of which the writer learns nothing';
const installation = 'of the installation, and of nobody';

const decisions: Record<string, Decision> = {
  users: {
    section: 'account',
    columns:
      'id email first_name last_name profile_image_url phone phone_proven_at former_phone former_phone_until phone_code_expires phone_code_tries plan plan_granted_at intended_plan plan_offered_at role email_verified first_verified_at vouched_at mailbox_proven_at email_verification_expires password_reset_expires devices_forgotten_at news_stopped_at subscription_status subscription_start subscription_end payment_provider payment_customer_id payment_subscription_id created_at updated_at last_login_at last_checkin_at last_checkin_type checkin_interval_days release_method inactivity_days is_trusted_contact_account temp_password release_quorum release_waiting_days release_answer_days away_until release_frozen_at release_resumed_at deletion_requested_at deletion_requested_healthy_ms is_disowned',
    out: {
      phone_number: 'follows from the phone',
      search_text: 'follows from the address and the name',
      last_checkin_hour: 'follows from the last sign of life',
      password: opens,
      phone_code: opens,
      email_verification_token: opens,
      password_reset_token: opens,
      next_step_at: engine,
      release_begun_anew_at: engine,
      release_restart_notice: engine,
      release_resumed_healthy_ms: engine,
    },
  },
  messages: {
    section: 'messages',
    columns:
      'id title content encrypted_content category status visible_to_trusted_contact show_recipients deliver_on announce_wait position attachment_original_name attachment_size attachment_mime_type attachment_transcript delivered_at created_at updated_at',
    named: {
      attachment_original_name: 'attachment.name',
      attachment_size: 'attachment.sizeBytes',
      attachment_mime_type: 'attachment.mimeType',
    },
    out: {
      user_id: whose,
      has_attachment: engine,
      version: change,
      created_as: change,
      attachment_path: 'a place in our store; the file itself is exported',
    },
  },
  message_recipients: {
    section: 'messages',
    columns: 'person',
    named: { person: ['recipients.0.name', 'recipients.0.relation', 'recipients.0.email'] },
    out: {
      id: engine,
      message_id: 'they stand in the row of their message',
      position: 'they stand in this order',
      address_since: 'when they were given; an import gives them anew',
    },
  },
  message_enclosures: {
    section: 'messages',
    columns: 'kind caption transcript after_paragraph file_name file_size mime_type',
    named: {
      kind: 'enclosures.0.kind',
      caption: 'enclosures.0.caption',
      transcript: 'enclosures.0.transcript',
      after_paragraph: 'enclosures.0.afterParagraph',
      file_name: 'enclosures.0.file.name',
      file_size: 'enclosures.0.file.sizeBytes',
      mime_type: 'enclosures.0.file.mimeType',
    },
    out: {
      id: engine,
      created_as: change,
      staging: 'what is staged lies in no letter yet',
      original_of: 'an original stands in the row of its picture',
      user_id: whose,
      message_id: 'they stand in the row of their message',
      position: 'they stand in this order',
      file_path: 'a place in our store; the file itself is exported',
      created_at: 'when it was put in says nothing of it; the message says when it was changed',
    },
  },
  documents: {
    section: 'documents',
    columns:
      'id name category description file_name file_size mime_type visible_to_trusted_contact created_at updated_at',
    named: { file_name: 'file.name', file_size: 'file.sizeBytes', mime_type: 'file.mimeType' },
    out: {
      user_id: whose,
      file_path: 'a place in our store; the file itself is exported',
      encrypted_path: 'not used',
      version: change,
      created_as: change,
    },
  },
  trusted_contacts: {
    section: 'contacts',
    columns:
      'id name email phone relationship word is_active is_confirmed sees_first_weeks confirmation_expires confirmation_sent_at confirmed_at declined_at created_at updated_at',
    out: {
      confirmed_healthy_ms: engine,
      user_id: whose,
      confirmation_token: opens,
      version: change,
      created_as: change,
    },
  },
  user_checklists: {
    section: 'checklists',
    columns: 'id checklist_id custom_items completed_items reset_at created_at updated_at',
    named: { reset_at: 'resetAtMs' },
    out: { user_id: whose },
  },
  first_weeks: {
    section: 'firstWeeks',
    columns: 'notes created_at updated_at',
    named: { notes: 'will' },
    out: { user_id: whose, version: change },
  },
  checkins: { section: 'checkIns', columns: 'id type ip_address user_agent created_at', out: { user_id: whose } },
  sessions: {
    section: 'devices',
    columns: 'public_id sess expire created_at last_seen_at authenticated_at second_factor_at own_proof_at is_kept',
    named: { public_id: 'id', sess: 'facts', expire: 'expiresAt' },
    out: { user_id: whose, sid: opens },
  },
  recently_deleted: {
    section: 'recentlyDeleted',
    columns: 'id kind row recipients enclosures deleted_at',
    out: { user_id: whose, size_bytes: engine },
  },
  reached_mailboxes: 'hashes of mailboxes, for counting; the addresses stand in the letters',
  recently_deleted_files: 'where the files of deleted rows lie in the store; names and sizes stand in the rows',
  message_drafts: {
    section: 'drafts',
    columns: 'id message_id content version created_at updated_at',
    out: { user_id: whose },
  },
  user_identities: {
    section: 'identities',
    columns: 'id issuer subject email created_at last_used_at',
    out: { user_id: whose },
  },
  identity_links: 'links in mails that link a provider or refuse it; the identities that came of them are exported',
  authenticators: {
    section: 'authenticators',
    columns: 'created_at confirmed_at',
    out: { user_id: whose, secret: opens, last_step: engine },
  },
  passkeys: {
    section: 'passkeys',
    columns: 'id name transports is_backed_up created_at last_used_at',
    out: { user_id: whose, credential_id: opens, public_key: opens, counter: engine },
  },
  recovery_codes: {
    section: 'recoveryCodes',
    columns: 'created_at used_at',
    out: { user_id: whose, code_hash: opens },
  },
  release_silences: {
    section: 'releaseSilences',
    columns:
      'id inactivity_days needed answer_days waiting_days first_notice last_notice opened_at closed_at counted_on_day',
    out: { user_id: whose, is_expected: engine },
  },
  release_requests: {
    section: 'releaseRequests',
    columns:
      'id cause inactivity_days needed answer_days waiting_days opened_at opened_healthy_ms asked_by is_silence_over silence_asks_at silence_asks_healthy_ms answer_time_at answer_time_healthy_ms answer_time_used_ms told_until owner_notice shrunk_at shrunk_healthy_ms shrunk_notice phase phase_at phase_healthy_ms phase_days paused_by wait_notice released_at released_healthy_ms release_number question_at question_healthy_ms done_at closed_at outcome stopped_at stopped_healthy_ms',
    out: {
      user_id: whose,
      by_silence: engine,
      removal_token_hash: opens,
      early_review: 'a mark of the operator, about the service and not about the owner',
    },
  },
  release_asks: {
    section: 'releaseAsks',
    columns: 'notice request_id contact_id is_again is_dead created_at',
    out: { user_id: whose, token_hash: opens },
  },
  release_answers: {
    section: 'releaseAnswers',
    columns: 'id request_id number contact_id says at healthy_ms notice is_void reason',
    out: { hold: 'a mark of the operator, about a mailbox and not about the owner' },
  },
  release_notices: {
    section: 'releaseNotices',
    columns:
      'number contact_id topic is_texted is_dayless written_at written_healthy_ms email_outcome email_at email_healthy_ms has_email_bounced text_outcome text_at text_healthy_ms',
    out: { user_id: whose, closed_at: engine },
  },
  message_deliveries: {
    section: 'deliveries',
    columns:
      'id message_id request_id replaces_delivery_id recipient_id recipient_email recipient_name mail_id release_number earlier_tries address_from due_at status delivered_at accessed_at ended_at created_at',
    out: {
      user_id: whose,
      delivery_token: opens,
      person_key: engine,
      say_key: engine,
      link_began_healthy_ms: engine,
      answered_at: ofReader,
      kept_until: ofReader,
      kept_from_healthy_ms: ofReader,
      reminders_sent: ofReader,
      expires_at: ofReader,
      refused_at: 'the activity log says it',
    },
  },
  address_proposals: {
    section: 'proposedAddresses',
    columns: 'id request_id delivery_id contact_id address reason status created_at answered_by ended_at',
    out: { user_id: whose, waits_from_healthy_ms: engine, look_at: engine, asks_sent: engine },
  },
  given_addresses: {
    section: 'givenAddresses',
    columns: 'id request_id contact_id address created_at',
    out: { user_id: whose, mailbox_key: engine },
  },
  notifications: {
    section: 'notices',
    columns:
      'id channel kind subject_id contact_id notice message_id status attempts refusals not_before first_attempt_at last_attempt_at accepted_at bounced_at replied_at ended_at last_reply_code provider_id created_at',
    out: {
      user_id: whose,
      payload: 'a mail with links that act, sealed, and gone soon after it was sent',
      dedupe_key: engine,
      attempts_in_vain: engine,
      policy: engine,
      refused_at: engine,
      troubled_at: engine,
      mailbox_key: engine,
      domain_key: engine,
      next_attempt_at: engine,
      lease_until: engine,
      trace: engine,
      is_leaving: engine,
      is_on_hold: engine,
    },
  },
  sms_notifications: {
    section: 'texts',
    columns: 'id notification_id phone message type status sent_at responded_at response expires_at created_at',
    out: { user_id: whose },
  },
  trustee_relationships: {
    section: 'trusteeships',
    columns: 'id trustee_user_id owner_user_id trusted_contact_id is_active created_at',
  },
  subscriptions: {
    section: 'subscriptions',
    columns:
      'id email provider provider_customer_id provider_subscription_id plan term price_pence status current_period_end cancel_at_period_end past_due_since ended_at card_brand card_last4 release_stop created_at updated_at',
    out: { user_id: whose, next_step_at: engine },
  },
  checkouts: {
    section: 'checkouts',
    columns:
      'id purpose email provider subscription_id plan term list_price_pence amount_pence voucher_code_id provider_reference provider_price_id status created_at expires_at paid_at',
    out: { user_id: whose, token_hash: opens },
  },
  payments: {
    section: 'payments',
    columns:
      'id number payer_id subscription_id provider provider_payment_id plan term amount_pence refunded_pence currency status card_brand card_last4 paid_at created_at',
    out: { user_id: whose },
  },
  voucher_usage: {
    section: 'vouchers',
    columns: 'id checkout_id held_until used_at',
    out: { user_id: whose, voucher_code_id: 'the code itself is exported', person_hash: engine },
  },
  complaints: {
    section: 'complaints',
    columns: 'id payload received_at acknowledged_at receipt_failed_at closed_at',
    named: { payload: 'words' },
    out: { user_id: whose },
  },
  audit_logs: {
    section: 'auditLog',
    columns:
      'id action resource resource_id details ip_address user_agent created_at chain position previous_hash hash',
    out: {
      user_id: whose,
      origin_salt: 'what binds the address and the browser beside it to the chain',
      origin_hash: 'the same',
      anchored_on: 'a mark of the machinery',
    },
  },

  audit_chains: 'the end of each chain, which the exported log shows',
  bulk_emails: installation,
  bulk_email_recipients: 'that news was sent is in `notices`; the rest is a mark of the machinery',
  checkin_links: opens,
  push_devices: 'browsers of this installation, useless elsewhere; that one was added or removed is in `auditLog`',
  writing_questions: 'that they were asked for or stopped is in the log, and each that was sent in `notices`',
  ready_changes: 'the changes are in `auditLog`, and each email in `notices`; the rest is a mark of the machinery',
  task_runs: installation,
  file_objects: 'places in our store; the files themselves are exported',
  integrity_events: installation,
  integrity_rounds: installation,
  login_attempts: 'counts for an address, by its hash, whether or not it has an account; gone after a day',
  payment_events: 'what providers told us, from which `payments` and `subscriptions` are worked out',
  schema_migrations: installation,
  release_returns: 'told once on the dashboard, from what stands in `releaseRequests`, `releaseAsks` and `notices`',
  new_address_links: opens,
  not_me_links: opens,
  declining_readers: ofReader,
  held_back_letters: engine,
  release_halts: engine,
  rate_limits: 'counts by hash, gone within the hour',
  retention_notices:
    'that a notice was sent, and whether it was accepted, is in `notices`; the rest is a mark of the machinery',
  stopped_phones: 'belongs to a number and to no account, by a value derived from it',
  received_texts: 'ids by hash, so that a text acts once',
  backup_state: installation,
  bounce_mailbox: installation,
  mail_domains: installation,
  service_alerts: installation,
  service_health: installation,
  service_keys: installation,
  site_watch: installation,
  sign_in_steps: opens,
  vault_keys: opens,
  voucher_codes: installation,
};

const where = 'server/features/data-export/export-coverage.test.ts';
const howTo = `Decide what an export does with it. If it says something about a person: read it in export.repository.ts, give it a place in
export.source.ts, and name its section and columns in the table of ${where}. If it does not: name it there with the reason.`;

let world: FilesWorld;
beforeAll(async () => {
  world = await createFilesWorld();
});
afterAll(() => world.close());

async function columnsInDatabase(): Promise<Map<string, string[]>> {
  const { rows } = await world.database.db.execute<{ table: string; column: string }>(sql`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = 'public' order by table_name, ordinal_position`);
  return Map.groupBy(rows, ({ table }) => table) as unknown as Map<string, string[]>;
}

const wordsOf = (text: string) => text.split(' ');
const camelCase = (column: string) => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

describe('an export', () => {
  test('forgets no table and no column in which something of a person is kept', async () => {
    const forgotten: string[] = [];
    for (const [table, rows] of await columnsInDatabase()) {
      const decision = decisions[table];
      if (decision === undefined) forgotten.push(`The table ${table} is new. ${howTo}`);
      if (decision === undefined || typeof decision === 'string') continue;
      const decided = new Set([...wordsOf(decision.columns), ...Object.keys(decision.out ?? {})]);
      for (const { column } of rows as unknown as { column: string }[]) {
        if (!decided.has(column)) forgotten.push(`The column ${table}.${column} is new. ${howTo}`);
      }
    }
    expect(forgotten).toEqual([]);
  });

  test('has every section that is decided, and in its rows every column', async () => {
    const owner = await newFullOwner(world);
    const data = (await ask(owner, { format: 'json', includeAuditLogs: true })).json<Record<string, unknown>>();
    const missing: string[] = [];
    let checked = 0;
    for (const decision of Object.values(decisions)) {
      if (typeof decision === 'string') continue;
      const { section, columns, named = {} } = decision;
      if (data[section] === undefined) missing.push(section);
      const [row] = [data[section]].flat();
      // A section without rows says nothing of its columns here; its query selects the table's own.
      if (row === undefined) continue;
      for (const column of wordsOf(columns)) {
        checked += 1;
        for (const path of [named[column] ?? camelCase(column)].flat())
          if (!hasPath(row, path)) missing.push(`${section}.${path}`);
      }
    }
    expect(missing).toEqual([]);
    expect(checked).toBeGreaterThan(100);
  });
});

function hasPath(row: unknown, path: string): boolean {
  let value = row;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !(name in value)) return false;
    value = (value as Record<string, unknown>)[name];
  }
  return true;
}
