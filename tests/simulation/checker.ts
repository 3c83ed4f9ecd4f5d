/**
 * Holds a finished run to the promises of a release. It reads the database and what the post office kept, and nothing
 * else: neither the rules nor the words of the service are imported here, so that no mistake can hide in both.
 *
 * Usage: node tests/simulation/checker.ts --database ADDRESS --sink FILE
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
    answer: 'accepted' | 'lost' | 'later' | 'never';
  }[];
};

type Cycle = {
  id: string;
  user_id: string;
  state: string;
  cause: string;
  opened_at: Date;
  closed_at: Date | null;
  first_dispatch_at: Date | null;
  method: string;
  quorum: number;
  waiting_days: number;
  inactivity_days: number;
  owner_unreachable: boolean;
  round: number;
};
type Delivery = {
  id: string;
  cycle_id: string;
  user_id: string;
  message_id: string;
  delivery_token: string;
  status: string;
  accessed_at: Date | null;
  created_at: Date;
  message_owner: string | null;
  message_status: string | null;
  message_updated_at: Date | null;
};
type Said = {
  cycle_id: string;
  contact_id: string;
  round: number;
  decision: string;
  decided_at: Date;
  confirmed_at: Date | null;
};
type Notified = {
  kind: string;
  dedupe_key: string;
  channel: string;
  subject_id: string;
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
  details: { round?: number; contactId?: string } | null;
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
  const cycles = await read<Cycle>(`select c.*, u.release_method as method, u.release_quorum as quorum,
      u.release_waiting_days as waiting_days, u.inactivity_days from release_cycles c join users u on u.id = c.user_id`);
  const deliveries = await read<Delivery>(`select d.*, m.user_id as message_owner, m.status as message_status,
      m.updated_at as message_updated_at from message_deliveries d left join messages m on m.id = d.message_id`);
  const said = await read<Said>(`select i.*, t.confirmed_at from release_invitations i
      left join trusted_contacts t on t.id = i.contact_id where i.decision is not null`);
  const notified = await read<Notified>('select * from notifications where subject_id is not null');
  const recorded = await read<Recorded>('select * from audit_logs order by chain, position');
  const contacts = await read<{ user_id: string; confirmed_at: Date }>(
    'select user_id, confirmed_at from trusted_contacts where is_active and is_confirmed',
  );
  const signs = await read<{ user_id: string; created_at: Date }>('select user_id, created_at from checkins');
  const all = { cycles, deliveries, said, notified, recorded, contacts, signs, sink };
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
  cycles: readonly Cycle[];
  deliveries: readonly Delivery[];
  said: readonly Said[];
  notified: readonly Notified[];
  recorded: readonly Recorded[];
  contacts: readonly { user_id: string; confirmed_at: Date }[];
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

/** 1. Nothing is delivered after a sign of life in the same cycle. The order is that of the owner's audit chain. */
function afterActivity(all: All): string[] {
  const broken: string[] = [];
  const cycleOf = new Map(all.deliveries.map(({ id, cycle_id }) => [id, cycle_id]));
  const under = new Map<string, Set<string>>();
  const ended = new Set<string>();
  for (const { chain, action, resource_id } of all.recorded) {
    const underWay = under.get(chain) ?? new Set<string>();
    under.set(chain, underWay);
    if (action === 'delivery.created' && resource_id) underWay.add(resource_id);
    if (signOfLife.test(action)) {
      for (const cycle of underWay) ended.add(cycle);
      underWay.clear();
    }
    const cycle = action === 'delivery.accepted' ? cycleOf.get(resource_id ?? '') : undefined;
    if (cycle && ended.has(cycle)) broken.push(`1: delivery ${resource_id} was accepted after a sign of life`);
  }
  const closed = new Map(all.cycles.map(({ id, closed_at }) => [id, closed_at]));
  for (const { mail, delivery } of all.sink.isClockSteady ? letters(all) : []) {
    const closedAt = delivery && closed.get(delivery.cycle_id);
    const isLate = closedAt && mail.at && Date.parse(mail.at) > closedAt.getTime() + handoverMs;
    if (isLate) broken.push(`1: a letter to ${mail.to} went out after its cycle had ended`);
  }
  return broken;
}

const released = ({ cycles }: All) =>
  cycles.flatMap((cycle) => (cycle.first_dispatch_at ? [{ ...cycle, at: cycle.first_dispatch_at.getTime() }] : []));
type Released = ReturnType<typeof released>[number];

/** Settings may have been changed by an owner who came back; only where nobody did they are those of the release. */
function isAsItWas(all: All, cycle: Released): boolean {
  const { release, own } = releaseInLog(all, cycle);
  return release >= 0 && !own.slice(release).some(({ action }) => signOfLife.test(action));
}

/** Whether a contact had said yes. Their answer goes with them when they are removed later; its line in the log stays. */
function isByPeople(all: All, cycle: Released): boolean {
  const { release, own } = releaseInLog(all, cycle);
  const isYes = ({ action, resource_id }: Recorded) => decided.test(action) && resource_id === cycle.id;
  return confirmations(all, cycle).length > 0 || own.slice(0, Math.max(0, release)).some(isYes);
}

function releaseInLog({ recorded }: All, cycle: Released) {
  const own = recorded.filter(({ chain }) => chain === cycle.user_id);
  const release = own.findIndex(({ action, resource_id }) => action === 'delivery.created' && resource_id === cycle.id);
  return { own, release };
}

/** Whether something had happened before something else; where the clock was set back, nobody knows. */
const isBefore = ({ sink }: All, one: Date, other: number) => !sink.isClockSteady || one.getTime() <= other;

/** When a mail of this kind about a cycle was taken by the post office, by the office's own account. */
function takenAt({ notified, sink }: All, cycleId: string, kind: string): number | null {
  const rows = notified.filter((row) => row.subject_id === cycleId && row.kind === `release.${kind}`);
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

/** 2. Silence releases only after both reminders with their gaps; people only after the owner's waiting time. */
function withoutReminders(all: All): string[] {
  const broken: string[] = [];
  for (const cycle of released(all)) {
    const isLongEnough =
      !all.sink.isClockSteady || cycle.at - lastSignBefore(all, cycle) >= cycle.inactivity_days * dayMs;
    const [first, last] = [takenAt(all, cycle.id, 'first_reminder'), takenAt(all, cycle.id, 'last_reminder')];
    const isHurried = first && last && !isSpaced(first, last, cycle.at);
    if (all.sink.isClockSteady && isHurried && isLongEnough && !isByPeople(all, cycle)) {
      broken.push(`2: cycle ${cycle.id} did not keep the gaps between its reminders`);
    }
    const isSilent = first !== null && last !== null && (isLongEnough || !isAsItWas(all, cycle));
    if (isSilent) continue;
    if (!isByPeople(all, cycle)) {
      broken.push(`2: cycle ${cycle.id} was released without its reminders or before its time`);
    } else if (cycle.waiting_days > 0 && isAsItWas(all, cycle)) {
      const notice = takenAt(all, cycle.id, 'owner_holding');
      const isWaitKnown = notice && all.sink.isClockSteady;
      const hasWaited = notice !== null && (!isWaitKnown || cycle.at - notice >= cycle.waiting_days * dayMs);
      if (!hasWaited) broken.push(`2: cycle ${cycle.id} did not wait for its owner`);
    }
  }
  return broken;
}

function lastSignBefore({ signs }: All, cycle: Released): number {
  const own = signs.filter(({ user_id }) => user_id === cycle.user_id).map(({ created_at }) => created_at.getTime());
  return Math.max(...own.filter((at) => at < cycle.at));
}

function isSpaced(first: number, last: number, released: number): boolean {
  return last - first >= 7 * dayMs && released - last >= 10 * dayMs;
}

function confirmations(all: All, { id, at }: Released): Said[] {
  return all.said.filter(
    ({ cycle_id, decision, decided_at }) =>
      cycle_id === id && decision === 'confirmed' && isBefore(all, decided_at, at),
  );
}

/** Who said yes before a release. Of a contact whom the owner has deleted since, nothing is left but the log. */
function confirmedBy(all: All, cycle: Released): Set<string> {
  const { release, own } = releaseInLog(all, cycle);
  const before = own.slice(0, Math.max(0, release));
  const deleted = new Set(
    own.slice(before.length).flatMap(({ action, resource_id }) => (action === 'contact.delete' ? [resource_id] : [])),
  );
  const logged = before
    .filter(({ action, resource_id }) => decided.test(action) && resource_id === cycle.id)
    .flatMap(({ details }) => details?.contactId ?? []);
  return new Set([
    ...confirmations(all, cycle).map(({ contact_id }) => contact_id),
    ...logged.filter((contactId) => deleted.has(contactId)),
  ]);
}

/** 3. At most one cycle of an owner is open, and none begins before another has ended. */
function openTwice({ cycles }: All): string[] {
  const open = cycles.filter(({ closed_at }) => closed_at === null).map(({ user_id }) => user_id);
  return open.filter((owner, index) => open.indexOf(owner) !== index).map((owner) => `3: ${owner} has two open cycles`);
}

/** 4. One effective delivery a message; a repeated mail is the same mail, to the same person, with the same link. */
function sentTwice(all: All): string[] {
  const broken: string[] = [];
  const effective = all.deliveries.filter(({ status }) => status === 'pending' || status === 'accepted');
  const messages = effective.map(({ message_id }) => message_id);
  for (const [index, message] of messages.entries()) {
    if (messages.indexOf(message) !== index) broken.push(`4: message ${message} has two effective deliveries`);
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
  const finished = new Map(all.cycles.map((cycle) => [cycle.id, cycle]));
  for (const { id, status, accessed_at, cycle_id, user_id, created_at } of all.deliveries) {
    if (status === 'pending' && !isStillTried(all, created_at)) broken.push(`5: delivery ${id} has not ended`);
    if (status === 'accepted' && !taken.has(id) && !accessed_at)
      broken.push(`5: delivery ${id} never reached the post`);
    if (status !== 'bounced' || finished.get(cycle_id)?.closed_at) continue;
    const hadContacts =
      all.sink.isClockSteady && all.contacts.some((each) => each.user_id === user_id && each.confirmed_at < created_at);
    const told = all.notified.some(
      ({ kind, subject_id }) => kind === 'delivery.unreachable' && subject_id === cycle_id,
    );
    if (hadContacts && !told) broken.push(`5: delivery ${id} bounced, and nobody was told`);
  }
  for (const { id, state } of all.cycles) {
    const isEmpty = !all.deliveries.some(({ cycle_id }) => cycle_id === id);
    if (isEmpty && (state === 'releasing' || state === 'released')) broken.push(`5: cycle ${id} released nothing`);
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

/** 7. With the method trusted_contact nothing is released without its people. */
function withoutPeople(all: All): string[] {
  return released(all)
    .filter((cycle) => cycle.method === 'trusted_contact' && isAsItWas(all, cycle))
    .filter((cycle) => {
      const people = all.sink.isClockSteady
        ? all.contacts.filter((each) => each.user_id === cycle.user_id && each.confirmed_at.getTime() < cycle.at).length
        : 1;
      const counted = confirmedBy(all, cycle);
      return counted.size < Math.max(1, Math.min(cycle.quorum, people));
    })
    .map(({ id }) => `7: cycle ${id} was released without its people`);
}

/** How many must confirm, as the mails of a round tell those who are asked in it. */
const toldPeople = /Nothing is delivered unless (two|three) of you confirm/;
const peopleOf: Record<string, number> = { two: 2, three: 3 };

/** 7. Whoever leaves the role makes nobody else's word enough: as many confirm as the last round has told. */
function withFewerThanTold(all: All): string[] {
  return released(all)
    .filter((cycle) => isAsItWas(all, cycle))
    .filter((cycle) => {
      const told = toldBefore(all, cycle, `release:${cycle.id}:contact_asked:${cycle.round}:`).flatMap(
        ({ words }) => peopleOf[toldPeople.exec(words)?.[1] ?? ''] ?? [],
      );
      const counted = confirmedBy(all, cycle);
      return counted.size < Math.max(0, ...told);
    })
    .map(({ id }) => `7: cycle ${id} was released with fewer people than its contacts had been told`);
}

/** 8. The first "no" of a contact stops a cycle for thirty days, and so does every one against an early request. */
function afterCancel(all: All): string[] {
  if (!all.sink.isClockSteady) return [];
  return released(all)
    .filter(({ id, at }) => {
      const firsts = new Map<string, number>();
      const silence = firstRoundOfSilence(all, id);
      for (const { cycle_id, contact_id, round, decision, decided_at } of all.said) {
        if (cycle_id !== id || decision !== 'cancelled') continue;
        const key = round < silence ? `${contact_id} ${round}` : contact_id;
        firsts.set(key, Math.min(firsts.get(key) ?? Number.POSITIVE_INFINITY, decided_at.getTime()));
      }
      return [...firsts.values()].some((saidAt) => saidAt <= at && at - saidAt < 30 * dayMs);
    })
    .map(({ id }) => `8: cycle ${id} was released although somebody had cancelled`);
}

/** The round in which a silence first asked the contacts, by the log; whatever was asked before was an early request. */
function firstRoundOfSilence({ recorded }: All, cycleId: string): number {
  const asked = recorded.filter(({ action, resource_id }) => action === 'release.ask' && resource_id === cycleId);
  return Math.min(...asked.map(({ details }) => details?.round ?? 1));
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
  return released(all).flatMap((cycle) => {
    const told = toldBefore(all, cycle);
    const days = told
      .flatMap(({ words }) => toldDay.exec(words)?.[1] ?? [])
      .map((day) => Date.parse(`${day} UTC`) - hourMs);
    const daysFrom = (within: RegExp) =>
      told.flatMap(({ words, at }) => {
        const count = within.exec(words)?.[1];
        return count ? [at + Number(count) * dayMs] : [];
      });
    const [answers, waits] = [daysFrom(toldAnswer), daysFrom(toldWait)];
    const isSilent = cycle.at - lastSignBefore(all, cycle) >= cycle.inactivity_days * dayMs;
    const isTooSoon = isByPeople(all, cycle)
      ? !isSilent && waits.length > 0 && cycle.at < Math.min(...waits)
      : days.some((day) => cycle.at < day) || (answers.length > 0 && cycle.at < Math.min(...answers));
    return isTooSoon ? [`12: cycle ${cycle.id} was released sooner than people had been told`] : [];
  });
}

/** What the post office took of a cycle's mails before its release, on one line each, and when. */
function toldBefore({ notified, sink }: All, cycle: Released, key = 'release:'): { words: string; at: number }[] {
  const isOf = (row: Notified) => row.subject_id === cycle.id && row.dedupe_key.startsWith(key);
  const ids = new Set(notified.flatMap((row) => (isOf(row) ? [row.message_id] : [])));
  return sink.mails.flatMap(({ messageId, answer, at, text }) => {
    const isTaken = answer === 'accepted' || answer === 'lost';
    if (!messageId || !ids.has(messageId) || !isTaken || !at || Date.parse(at) >= cycle.at) return [];
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
