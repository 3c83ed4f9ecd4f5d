/**
 * Holds a finished run to the promises of a release. It reads the database and what the post office kept, and nothing
 * else: neither the rules nor the words of the service are imported here, so that no mistake can hide in both.
 *
 * Usage: node tests/simulation/oracle/checker.ts --database ADDRESS --sink FILE
 */
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { leftWhileFrozen } from './checker-freeze.ts';
import { brokenChains, writtenApart } from './checker-ledger.ts';
import { isSameMail } from './mail-days.ts';

/** What the post office kept: everything that was handed over, taken or not. */
export type Sink = {
  /**
   * False where somebody set the clock back. Then two times of the database say nothing about each other: what follows
   * what is asked of the owner's chain in the log alone, and how long something took is not asked.
   */
  isClockSteady: boolean;
  /** Under which the service keeps what it knows links by, and chains the log (HMAC-SHA-256). */
  keys: { token: string; auditRow: string };
  /** When the post office closed, by the service's clock, ISO 8601; null where everything had ended by then. */
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
  }[];
};

/** A request that was open, with what its people were told when it opened. */
type Asked = {
  id: string;
  user_id: string;
  cause: string;
  opened_at: Date;
  closed_at: Date | null;
  released_at: Date | null;
  method: string;
  waiting_days: number;
  inactivity_days: number;
  /** The reminders of the silence that it was released in. */
  first_notice: number | null;
  last_notice: number | null;
};
type Delivery = {
  id: string;
  request_id: string;
  user_id: string;
  message_id: string;
  recipient_id: string;
  delivery_token: string;
  status: string;
  accessed_at: Date | null;
  created_at: Date;
  message_owner: string | null;
  message_status: string | null;
  message_updated_at: Date | null;
};
type Said = { request_id: string; contact_id: string; says: 'yes' | 'no'; at: Date; is_void: boolean };
type Notified = {
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
type Recorded = {
  chain: string;
  position: string;
  action: string;
  resource_id: string | null;
  created_at: Date;
  details: { contactId?: string } | null;
};

const dayMs = 86_400_000;
/** What was being handed over when the owner came back cannot be called back. */
const handoverMs = 60_000;
/** What only a living owner does, by the names under which it is written down. */
const signOfLife =
  /^(user\.checked_in|release\.(stopped|settings_changed|preferences_changed)|message\.|session\.start|contact\.(create|update|remove))/;

/** A contact's yes, by the names under which it is written down. */
const decided = /^release\.(confirmed|trustee_pressed)$/;

/** @returns what was broken, each in one line that begins with the number of the promise. */
export async function check(client: Pick<pg.ClientBase, 'query'>, sink: Sink): Promise<string[]> {
  const read = async <Row extends object>(text: string) => (await client.query<Row>(text)).rows;
  const requests = await read<Asked>(`select r.*, u.release_method as method, s.first_notice, s.last_notice
      from release_requests r join users u on u.id = r.user_id left join lateral (
        select first_notice, last_notice from release_silences where user_id = r.user_id and opened_at <= r.released_at
          and (closed_at is null or closed_at >= r.released_at) order by opened_at desc limit 1) s on true`);
  const deliveries = await read<Delivery>(`select d.*, m.user_id as message_owner, m.status as message_status,
      m.updated_at as message_updated_at from message_deliveries d left join messages m on m.id = d.message_id`);
  const said = await read<Said>('select * from release_answers');
  const notified = await read<Notified>('select * from notifications where user_id is not null');
  const recorded = await read<Recorded>('select * from audit_logs order by chain, position');
  const contacts = await read<{ user_id: string; confirmed_at: Date }>(
    'select user_id, confirmed_at from trusted_contacts where is_active and is_confirmed',
  );
  const messages = await read<{ user_id: string; status: string }>('select user_id, status from messages');
  const signs = await read<{ user_id: string; created_at: Date }>('select user_id, created_at from checkins');
  const all = { requests, deliveries, said, notified, recorded, contacts, messages, signs, sink };
  return [
    ...afterActivity(all),
    ...withoutReminders(all),
    ...openTwice(all),
    ...sentTwice(all),
    ...lost(all),
    ...notMeantToGo(all),
    ...withoutPeople(all),
    ...withFewerThanTold(all),
    ...afterCancel(all),
    ...soonerThanTold(all),
    ...(sink.isClockSteady ? await leftWhileFrozen(client, sink.mails) : []),
    ...(await writtenApart(client)),
    ...(await brokenChains(client, sink.keys.auditRow)),
  ];
}

type All = {
  requests: readonly Asked[];
  deliveries: readonly Delivery[];
  said: readonly Said[];
  notified: readonly Notified[];
  recorded: readonly Recorded[];
  contacts: readonly { user_id: string; confirmed_at: Date }[];
  messages: readonly { user_id: string; status: string }[];
  signs: readonly { user_id: string; created_at: Date }[];
  sink: Sink;
};

/** Letters that the post office took, each with the delivery whose link it carries. */
function letters({ sink, deliveries }: All) {
  const byToken = new Map(deliveries.map((delivery) => [delivery.delivery_token, delivery]));
  return sink.mails.flatMap((mail) => {
    const link = /\/message\/([\w-]{20,})/.exec(mail.text)?.[1];
    const isTaken = mail.answer === 'accepted' || mail.answer === 'lost';
    if (!link || !isTaken || mail.channel !== 'email') return [];
    return [
      { mail, delivery: byToken.get(createHmac('sha256', sink.keys.token).update(link).digest('base64url')) ?? null },
    ];
  });
}

/** 1. Nothing is delivered after a sign of life in the same release. The order is that of the owner's audit chain. */
function afterActivity(all: All): string[] {
  const broken: string[] = [];
  const requestOf = new Map(all.deliveries.map(({ id, request_id }) => [id, request_id]));
  const under = new Map<string, Set<string>>();
  const ended = new Set<string>();
  for (const { chain, action, resource_id } of all.recorded) {
    const underWay = under.get(chain) ?? new Set<string>();
    under.set(chain, underWay);
    if (action === 'delivery.created' && resource_id) underWay.add(resource_id);
    if (signOfLife.test(action)) {
      for (const request of underWay) ended.add(request);
      underWay.clear();
    }
    const request = action === 'delivery.accepted' ? requestOf.get(resource_id ?? '') : undefined;
    if (request && ended.has(request)) broken.push(`1: delivery ${resource_id} was accepted after a sign of life`);
  }
  const closed = new Map(all.requests.map(({ id, closed_at }) => [id, closed_at]));
  for (const { mail, delivery } of all.sink.isClockSteady ? letters(all) : []) {
    const closedAt = delivery && closed.get(delivery.request_id);
    const isLate = closedAt && mail.at && Date.parse(mail.at) > closedAt.getTime() + handoverMs;
    if (isLate) broken.push(`1: a letter to ${mail.to} went out after its release had ended`);
  }
  return broken;
}

const released = ({ requests }: All) =>
  requests.flatMap((request) => (request.released_at ? [{ ...request, at: request.released_at.getTime() }] : []));
type Released = ReturnType<typeof released>[number];

/** Settings may have been changed by an owner who came back; only where nobody did they are those of the release. */
function isAsItWas(all: All, request: Released): boolean {
  const { release, own } = releaseInLog(all, request);
  return release >= 0 && !own.slice(release).some(({ action }) => signOfLife.test(action));
}

/** Whether a contact had said yes. Their answer goes with them when they are removed later; its line in the log stays. */
function isByPeople(all: All, request: Released): boolean {
  const { release, own } = releaseInLog(all, request);
  const isYes = ({ action, resource_id }: Recorded) => decided.test(action) && resource_id === request.id;
  return confirmations(all, request).length > 0 || own.slice(0, Math.max(0, release)).some(isYes);
}

function releaseInLog({ recorded }: All, request: Released) {
  const own = recorded.filter(({ chain }) => chain === request.user_id);
  const release = own.findIndex(
    ({ action, resource_id }) => /^(delivery\.created|release\.release)$/.test(action) && resource_id === request.id,
  );
  return { own, release };
}

/** Whether something had happened before something else; where the clock was set back, nobody knows. */
const isBefore = ({ sink }: All, one: Date, other: number) => !sink.isClockSteady || one.getTime() <= other;

/** When one of these mails was taken by the post office, by the office's own account. */
function takenAt({ sink }: All, rows: readonly Notified[]): number | null {
  const times = sink.mails
    .filter(({ answer }) => answer === 'accepted' || answer === 'lost')
    .filter((mail) =>
      rows.some((row) =>
        row.channel === 'sms'
          ? row.provider_id && row.provider_id === mail.providerId
          : row.message_id === mail.messageId,
      ),
    )
    .map(({ at }) => (at ? Date.parse(at) : 0));
  if (times.length > 0) return Math.min(...times);
  // A mailbox that refused three times for good counts as tried, and so does one that refused for now for thirty days.
  return rows.some(({ refusals, status }) => refusals >= 3 || status === 'dead') ? 0 : null;
}

function noticeTakenAt(all: All, { user_id }: Released, notice: number | null): number | null {
  const rows = all.notified.filter((row) => row.user_id === user_id && row.notice !== null && row.notice === notice);
  return takenAt(all, rows);
}

/** Where mail to the owner is in trouble, a yes waits so long without it, and every contact can say no. */
const untoldWaitDays = 14;

/** 2. Silence releases only after both reminders with their gaps; people only after the owner's waiting time. */
function withoutReminders(all: All): string[] {
  const broken: string[] = [];
  for (const request of released(all)) {
    const { id, at } = request;
    const isLongEnough =
      !all.sink.isClockSteady || at - lastSignBefore(all, request) >= request.inactivity_days * dayMs;
    const first = noticeTakenAt(all, request, request.first_notice);
    const last = noticeTakenAt(all, request, request.last_notice);
    const isHurried = first && last && !isSpaced(first, last, at);
    if (all.sink.isClockSteady && isHurried && isLongEnough && !isByPeople(all, request)) {
      broken.push(`2: request ${id} did not keep the gaps between its reminders`);
    }
    const isSilent = first !== null && last !== null && (isLongEnough || !isAsItWas(all, request));
    if (isSilent) continue;
    if (!isByPeople(all, request)) {
      broken.push(`2: request ${id} was released without its reminders or before its time`);
    } else if (request.waiting_days > 0 && isAsItWas(all, request)) {
      const rows = all.notified.filter((row) => row.subject_id === id && row.kind === 'release.owner_holding');
      const notice = takenAt(all, rows);
      const isWaitKnown = notice && all.sink.isClockSteady;
      const hasWaited = notice !== null && (!isWaitKnown || at - notice >= request.waiting_days * dayMs);
      if (!hasWaited && !hasWaitedUntold(all, request)) broken.push(`2: request ${id} did not wait for its owner`);
    }
  }
  return broken;
}

/** Where no mail reached the owner, people are waited for instead: by the line of the log that says so. */
function hasWaitedUntold(all: All, request: Released): boolean {
  const { own, release } = releaseInLog(all, request);
  return own
    .slice(0, Math.max(0, release))
    .some(
      ({ action, resource_id, created_at }) =>
        action === 'release.hold' &&
        resource_id === request.id &&
        (!all.sink.isClockSteady || request.at - created_at.getTime() >= untoldWaitDays * dayMs),
    );
}

function lastSignBefore({ signs }: All, request: Released): number {
  const own = signs.filter(({ user_id }) => user_id === request.user_id).map(({ created_at }) => created_at.getTime());
  return Math.max(...own.filter((at) => at < request.at));
}

function isSpaced(first: number, last: number, released: number): boolean {
  return last - first >= 7 * dayMs && released - last >= 10 * dayMs;
}

function confirmations(all: All, { id, at: releasedAt }: Released): Said[] {
  return all.said.filter(
    ({ request_id, says, is_void, at }) =>
      request_id === id && says === 'yes' && !is_void && isBefore(all, at, releasedAt),
  );
}

/** Who said yes before a release. Of a contact whom the owner has deleted since, nothing is left but the log. */
function confirmedBy(all: All, request: Released): Set<string> {
  const { release, own } = releaseInLog(all, request);
  const before = own.slice(0, Math.max(0, release));
  const deleted = new Set(
    own.slice(before.length).flatMap(({ action, resource_id }) => (action === 'contact.delete' ? [resource_id] : [])),
  );
  const logged = before
    .filter(({ action, resource_id }) => decided.test(action) && resource_id === request.id)
    .flatMap(({ details }) => details?.contactId ?? []);
  return new Set([
    ...confirmations(all, request).map(({ contact_id }) => contact_id),
    ...logged.filter((contactId) => deleted.has(contactId)),
  ]);
}

/** 3. At most one request of an owner is open, and none begins before another has ended. */
function openTwice({ requests }: All): string[] {
  const open = requests.filter(({ closed_at }) => closed_at === null).map(({ user_id }) => user_id);
  return open
    .filter((owner, index) => open.indexOf(owner) !== index)
    .map((owner) => `3: ${owner} has two open requests`);
}

/** 4. One effective delivery a message and recipient; a repeated mail is the same mail, to the same person, with the same link. */
function sentTwice(all: All): string[] {
  const broken: string[] = [];
  const effective = all.deliveries.filter(({ status }) => status === 'pending' || status === 'accepted');
  const letters = effective.map(({ message_id, recipient_id }) => `${message_id} for ${recipient_id}`);
  for (const [index, letter] of letters.entries()) {
    if (letters.indexOf(letter) !== index) broken.push(`4: message ${letter} has two effective deliveries`);
  }
  const seen = new Map<string, All['sink']['mails'][number]>();
  for (const mail of all.sink.mails) {
    const { channel, messageId, to } = mail;
    if (channel !== 'email' || !messageId) continue;
    const known = seen.get(messageId);
    if (known && !isSameMail(known, mail)) broken.push(`4: ${messageId} came to ${to} as another mail`);
    seen.set(messageId, mail);
  }
  return broken;
}

/** 5. Every message that was ready has ended: the post took its letter, or it bounced and the contacts were told. */
function lost(all: All): string[] {
  const broken: string[] = [];
  const taken = new Set(letters(all).flatMap(({ delivery }) => (delivery ? [delivery.id] : [])));
  const finished = new Map(all.requests.map((request) => [request.id, request]));
  for (const { id, status, accessed_at, request_id, user_id, created_at } of all.deliveries) {
    if (status === 'pending' && !isStillTried(all, created_at)) broken.push(`5: delivery ${id} has not ended`);
    if (status === 'accepted' && !taken.has(id) && !accessed_at)
      broken.push(`5: delivery ${id} never reached the post`);
    if (status !== 'bounced' || finished.get(request_id)?.closed_at) continue;
    const hadContacts =
      all.sink.isClockSteady && all.contacts.some((each) => each.user_id === user_id && each.confirmed_at < created_at);
    const told = all.notified.some(
      ({ kind, subject_id }) => kind === 'delivery.unreachable' && subject_id === request_id,
    );
    if (hadContacts && !told) broken.push(`5: delivery ${id} bounced, and nobody was told`);
  }
  for (const { id, user_id } of released(all)) {
    const isEmpty = !all.deliveries.some(({ request_id }) => request_id === id);
    const hasLetters = all.messages.some((each) => each.user_id === user_id && each.status === 'ready');
    const isOpen = all.requests.find((request) => request.id === id)?.closed_at === null;
    if (isEmpty && isOpen && hasLetters) broken.push(`5: request ${id} released nothing`);
  }
  return broken;
}

/** A mailbox that takes nothing is tried for thirty days; a clock may have been three days behind. */
function isStillTried({ sink }: All, created: Date): boolean {
  return sink.closedAt !== null && Date.parse(sink.closedAt) - created.getTime() < (30 + 3) * dayMs;
}

/** 6. Drafts, deleted messages and other people's are never sent. */
function notMeantToGo(all: All): string[] {
  const broken: string[] = [];
  for (const { id, user_id, message_owner, message_status, message_updated_at, created_at, status } of all.deliveries) {
    if (message_owner !== user_id) broken.push(`6: delivery ${id} is of somebody else's message`);
    const isUntouched = all.sink.isClockSteady && message_updated_at !== null && message_updated_at < created_at;
    if (message_status === 'draft' && isUntouched) broken.push(`6: delivery ${id} is of a draft`);
    const isGone = status === 'accepted' && message_status !== 'delivered';
    if (isGone) broken.push(`6: delivery ${id} was accepted, and its message is ${message_status}`);
  }
  return broken;
}

/** How many must confirm, as the mails of a request tell those who are asked in it. */
const toldPeople = /Nothing is delivered unless (two|three) of you confirm/;
const peopleOf: Record<string, number> = { two: 2, three: 3 };

/** 7. With the method trusted_contact nothing is released without its people. */
function withoutPeople(all: All): string[] {
  return released(all)
    .filter((request) => request.method === 'trusted_contact' && isAsItWas(all, request))
    .filter((request) => confirmedBy(all, request).size < 1)
    .map(({ id }) => `7: request ${id} was released without its people`);
}

/** 7. As many confirm as whoever was asked had been told, unless fewer were left for a month, and the owner was told. */
function withFewerThanTold(all: All): string[] {
  return released(all)
    .filter((request) => isAsItWas(all, request))
    .filter((request) => {
      const told = toldBefore(all, request, 'release.contact_asked').flatMap(
        ({ words }) => peopleOf[toldPeople.exec(words)?.[1] ?? ''] ?? [],
      );
      const isLowered = all.recorded.some(
        ({ action, resource_id }) => action === 'release.needed_lowered' && resource_id === request.id,
      );
      return !isLowered && confirmedBy(all, request).size < Math.max(0, ...told);
    })
    .map(({ id }) => `7: request ${id} was released with fewer people than its contacts had been told`);
}

/** 8. Any "no" ends an early request. Silence stands still for thirty days after a contact's first one. */
function afterCancel(all: All): string[] {
  if (!all.sink.isClockSteady) return [];
  return released(all)
    .filter(({ id, at: releasedAt, cause }) => {
      const firsts = new Map<string, number>();
      for (const { request_id, contact_id, says, at } of all.said) {
        if (request_id !== id || says !== 'no') continue;
        firsts.set(contact_id, Math.min(firsts.get(contact_id) ?? Number.POSITIVE_INFINITY, at.getTime()));
      }
      const before = [...firsts.values()].filter((saidAt) => saidAt <= releasedAt);
      return before.some((saidAt) => cause !== 'silence' || releasedAt - saidAt < 30 * dayMs);
    })
    .map(({ id }) => `8: request ${id} was released although somebody had said no`);
}

/** A day that a mail names for the letters of a silence, days to answer, and those that another says we wait for the owner. */
const toldDay = /(?:delivered from|nobody answers before) (\d+ \w+ \d{4})/;
const toldAnswer = /nobody answers within (\d+) days? after/;
const toldWait = /We wait (\d+) days? first/;

/** Days are those of London: in summer they begin an hour before those of UTC. */
const hourMs = 3_600_000;

/** 12. Nothing goes before what mails have told, whatever was set after them. */
function soonerThanTold(all: All): string[] {
  if (!all.sink.isClockSteady) return [];
  return released(all).flatMap((request) => {
    const told = toldBefore(all, request);
    const days = told
      .flatMap(({ words }) => toldDay.exec(words)?.[1] ?? [])
      .map((day) => Date.parse(`${day} UTC`) - hourMs);
    const daysFrom = (within: RegExp) =>
      told.flatMap(({ words, at }) => {
        const count = within.exec(words)?.[1];
        return count ? [at + Number(count) * dayMs] : [];
      });
    const [answers, waits] = [daysFrom(toldAnswer), daysFrom(toldWait)];
    const isSilent = request.at - lastSignBefore(all, request) >= request.inactivity_days * dayMs;
    const isTooSoon = isByPeople(all, request)
      ? !isSilent && waits.length > 0 && request.at < Math.min(...waits)
      : days.some((day) => request.at < day) || (answers.length > 0 && request.at < Math.min(...answers));
    return isTooSoon ? [`12: request ${request.id} was released sooner than people had been told`] : [];
  });
}

/** What the post office took of a request's mails before its release, on one line each, and when. */
function toldBefore({ notified, sink }: All, request: Released, kind?: string): { words: string; at: number }[] {
  const isOf = (row: Notified) =>
    row.subject_id === request.id && (kind ? row.kind === kind : row.kind.startsWith('release.'));
  const ids = new Set(notified.flatMap((row) => (isOf(row) ? [row.message_id] : [])));
  return sink.mails.flatMap(({ messageId, answer, at, text }) => {
    const isTaken = answer === 'accepted' || answer === 'lost';
    if (!messageId || !ids.has(messageId) || !isTaken || !at || Date.parse(at) >= request.at) return [];
    return [{ words: text.replace(/\s+/g, ' '), at: Date.parse(at) }];
  });
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { database: { type: 'string' }, sink: { type: 'string' } } });
  const sink = JSON.parse(await readFile(values.sink ?? '', 'utf8')) as Sink;
  const client = new pg.Client({ connectionString: values.database ?? '' });
  await client.connect();
  const broken = await check(client, sink);
  await client.end();
  console.log(JSON.stringify({ broken }));
  process.exitCode = broken.length > 0 ? 1 : 0;
}
