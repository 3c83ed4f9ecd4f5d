import { createHmac } from 'node:crypto';
import type pg from 'pg';

/** Record of the mail server: every mail that was handed over, accepted or not. */
export type Sink = {
  /**
   * False if the clock was set back. Then two times of the database can't be compared. Order comes from the owner's
   * log chain alone, and durations are not checked.
   */
  isClockSteady: boolean;
  /** Under which the service keeps what it knows links by, and chains the log (HMAC-SHA-256). */
  keys: { token: string; auditRow: string };
  /** Time when the post office closed, by the service's clock, ISO 8601; null if everything had ended by then. */
  closedAt: string | null;
  mails: readonly {
    channel: 'email' | 'sms';
    to: string;
    text: string;
    messageId: string | null;
    providerId: string | null;
    /** By the service's clock, ISO 8601; null where the post office has a clock of its own. */
    at: string | null;
    answer: 'accepted' | 'lost' | 'later' | 'full' | 'never' | 'policy';
    /** Set if it bounced and the service received the report. */
    bounced?: unknown;
  }[];
};

/** A request with the terms quoted at its opening, and the silence in which it was released. */
export type Asked = {
  id: string;
  user_id: string;
  cause: string;
  opened_at: Date;
  closed_at: Date | null;
  outcome: string | null;
  released_at: Date | null;
  method: string;
  away_until: Date | null;
  /** Since when its letters wait for an answer about a sign-in. */
  question_at: Date | null;
  waiting_days: number;
  answer_days: number;
  inactivity_days: number;
  silence_id: string | null;
  first_notice: number | null;
  last_notice: number | null;
};
export type Released = Asked & { at: number };
export type Delivery = {
  id: string;
  request_id: string;
  user_id: string;
  message_id: string;
  recipient_id: string;
  release_number: number;
  mail_id: string;
  replaces_delivery_id: string | null;
  delivery_token: string;
  status: string;
  accessed_at: Date | null;
  created_at: Date;
  message_owner: string | null;
  message_status: string | null;
  message_updated_at: Date | null;
};
export type Said = { request_id: string; contact_id: string; says: 'yes' | 'no' | 'alive'; at: Date; is_void: boolean };
export type Notified = {
  kind: string;
  user_id: string;
  notice: number | null;
  channel: string;
  subject_id: string | null;
  message_id: string;
  provider_id: string | null;
  status: string;
  refusals: number;
  accepted_at: Date | null;
};
export type Recorded = {
  chain: string;
  position: string;
  action: string;
  resource_id: string | null;
  created_at: Date;
  details: { contactId?: string } | null;
};
export type Told = {
  user_id: string;
  contact_id: string | null;
  topic: string;
  written_at: Date;
  email_outcome: string | null;
};

export type Everything = {
  requests: readonly Asked[];
  silences: readonly { user_id: string; closed_at: Date | null }[];
  deliveries: readonly Delivery[];
  said: readonly Said[];
  notified: readonly Notified[];
  told: readonly Told[];
  recorded: readonly Recorded[];
  contacts: readonly { user_id: string; confirmed_at: Date }[];
  messages: readonly { user_id: string; status: string }[];
  signs: readonly { user_id: string; created_at: Date }[];
  sink: Sink;
};

export const dayMs = 86_400_000;

/** Actions of a living owner only, by their names in the log. */
export const signOfLife =
  /^(user\.checked_in|release\.(stopped|settings_changed|preferences_changed|away_changed|owner_answered)|message\.|session\.start|contact\.(create|update|remove))/;

export async function readEverything(client: Pick<pg.ClientBase, 'query'>, sink: Sink): Promise<Everything> {
  const read = async <Row extends object>(text: string) => (await client.query<Row>(text)).rows;
  return {
    // In which silence a release fell says the log, whose order no clock can change: the one whose first reminder came last.
    requests:
      await read<Asked>(`select r.*, u.release_method as method, u.away_until, s.id as silence_id, s.first_notice,
        s.last_notice from release_requests r join users u on u.id = r.user_id left join lateral (
        select id, first_notice, last_notice from release_silences where user_id = r.user_id and first_notice = (
          select (reminded.details->>'notice')::int from audit_logs reminded
          where reminded.chain = r.user_id::text and reminded.action = 'release.first_reminder' and reminded.position < (
            select max(position) from audit_logs where chain = r.user_id::text and action = 'release.release'
              and resource_id = r.id::text)
          order by reminded.position desc limit 1)) s on true`),
    silences: await read('select user_id, closed_at from release_silences'),
    deliveries: await read<Delivery>(`select d.*, m.user_id as message_owner, m.status as message_status,
      m.updated_at as message_updated_at from message_deliveries d left join messages m on m.id = d.message_id`),
    said: await read<Said>('select * from release_answers'),
    notified: await read<Notified>('select * from notifications where user_id is not null'),
    told: await read<Told>('select * from release_notices order by user_id, number'),
    recorded: await read<Recorded>('select * from audit_logs order by chain, position'),
    contacts: await read('select user_id, confirmed_at from trusted_contacts where is_active and is_confirmed'),
    messages: await read('select user_id, status from messages'),
    signs: await read('select user_id, created_at from checkins'),
    sink,
  };
}

export const isTaken = ({ answer }: Sink['mails'][number]) => answer === 'accepted' || answer === 'lost';

/** Letters that the post office took, each with the delivery whose link it carries. */
export function letters({ sink, deliveries }: Everything) {
  const byToken = new Map(deliveries.map((delivery) => [delivery.delivery_token, delivery]));
  return sink.mails.flatMap((mail) => {
    const link = /\/message\/([\w-]{20,})/.exec(mail.text)?.[1];
    if (!link || !isTaken(mail) || mail.channel !== 'email') return [];
    const hash = createHmac('sha256', sink.keys.token).update(link).digest('base64url');
    return [{ mail, delivery: byToken.get(hash) ?? null }];
  });
}

export const released = ({ requests }: Everything): Released[] =>
  requests.flatMap((request) => (request.released_at ? [{ ...request, at: request.released_at.getTime() }] : []));

/** Log of an owner before and after a release. */
export function logOf({ recorded }: Everything, request: Released): { before: Recorded[]; since: Recorded[] } {
  const own = recorded.filter(({ chain }) => chain === request.user_id);
  const release = own.findLastIndex(
    ({ action, resource_id }) => /^(delivery\.created|release\.release)$/.test(action) && resource_id === request.id,
  );
  const at = Math.max(0, release);
  return { before: own.slice(0, at), since: own.slice(at) };
}

/** A returning owner may have changed the settings. Only without a return are they the ones of the release. */
export function isAsItWas(all: Everything, request: Released): boolean {
  const { since } = logOf(all, request);
  return since.length > 0 && !since.some(({ action }) => signOfLife.test(action));
}

/** A contact's yes, by the names under which it is written down. */
const decided = /^release\.(confirmed|trustee_pressed)$/;

/** Contacts who said yes before a release. A contact whom the owner has deleted appears only in the log. */
export function confirmedBy(all: Everything, request: Released): Set<string> {
  const { before, since } = logOf(all, request);
  const deleted = new Set(
    since.flatMap(({ action, resource_id }) => (action === 'contact.delete' ? [resource_id] : [])),
  );
  const answered = all.said.filter(
    ({ request_id, says, is_void, at }) =>
      request_id === request.id && says === 'yes' && !is_void && isBefore(all, at, request.at),
  );
  const logged = before
    .filter(({ action, resource_id }) => decided.test(action) && resource_id === request.id)
    .flatMap(({ details }) => details?.contactId ?? []);
  return new Set([
    ...answered.map(({ contact_id }) => contact_id),
    ...logged.filter((contactId) => deleted.has(contactId)),
  ]);
}

/** True if one event came before another; unknown if the clock was set back. */
const isBefore = ({ sink }: Everything, one: Date, other: number) => !sink.isClockSteady || one.getTime() <= other;

/** Time when one of these mails was taken by the post office, by the office's own account, and did not come back. */
export function takenAt({ sink }: Everything, rows: readonly Notified[]): number | null {
  const times = sink.mails
    .filter((mail) => isTaken(mail) && !mail.bounced)
    .filter((mail) =>
      rows.some((row) =>
        row.channel === 'sms'
          ? row.provider_id && row.provider_id === mail.providerId
          : row.message_id === mail.messageId,
      ),
    )
    .map(({ at }) => (at ? Date.parse(at) : 0));
  return times.length > 0 ? Math.min(...times) : null;
}

export const ofNotice = ({ notified }: Everything, { user_id }: Asked, notice: number | null): Notified[] =>
  notified.filter((row) => row.user_id === user_id && row.notice !== null && row.notice === notice);

/** Accepted mails of a request before its release, on one line each, with their times. */
export function toldBefore(
  all: Everything,
  request: Released,
  kind?: string,
): { words: string; at: number; kind: string }[] {
  const { notified, sink } = all;
  const isOf = (row: Notified) =>
    (row.subject_id === request.id || row.subject_id === request.silence_id) &&
    (kind ? row.kind === kind : row.kind.startsWith('release.'));
  const kinds = new Map(notified.flatMap((row) => (isOf(row) ? [[row.message_id, row.kind] as const] : [])));
  return sink.mails.flatMap((mail) => {
    const { messageId, at, text } = mail;
    const of = kinds.get(messageId ?? '');
    if (!of || !isTaken(mail) || !at || Date.parse(at) >= request.at) return [];
    return [{ words: text.replace(/\s+/g, ' '), at: Date.parse(at), kind: of }];
  });
}

/** Since when an owner had been silent: from their last sign of life, or the day until which they were away. */
export function silentSince({ signs }: Everything, request: Released): number {
  const own = signs.filter(({ user_id }) => user_id === request.user_id).map(({ created_at }) => created_at.getTime());
  return Math.max(request.away_until?.getTime() ?? 0, ...own.filter((at) => at < request.at));
}
