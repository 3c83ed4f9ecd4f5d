/**
 * Checks a finished run against the promises of a release. It reads the database and the mail server's record, and
 * nothing else. It imports neither rules nor texts of the service, so that no mistake can hide in both.
 *
 * Usage: node tests/simulation/oracle/checker.ts --database ADDRESS --sink FILE
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { leftWhileFrozen } from './checker-freeze.ts';
import { brokenChains, writtenApart } from './checker-ledger.ts';
import {
  confirmedBy,
  type Delivery,
  dayMs,
  type Everything,
  isAsItWas,
  letters,
  logOf,
  ofNotice,
  type Released,
  readEverything,
  released,
  type Said,
  type Sink,
  signOfLife,
  silentSince,
  takenAt,
  toldBefore,
} from './checker-record.ts';
import { isSameMail } from './mail-days.ts';

export type { Sink };

/** Mail in progress at the owner's return can't be recalled, and a server may take minutes. */
const handoverMs = 5 * 60_000;

/** @returns what was broken, each in one line that begins with the number of the promise. */
export async function check(client: Pick<pg.ClientBase, 'query'>, sink: Sink): Promise<string[]> {
  const all = await readEverything(client, sink);
  return [
    ...afterActivity(all),
    ...withoutReminders(all),
    ...openTwice(all),
    ...sentTwice(all),
    ...writtenTwice(all),
    ...lost(all),
    ...notMeantToGo(all),
    ...withoutPeople(all),
    ...withFewerThanTold(all),
    ...afterCancel(all),
    ...soonerThanTold(all),
    ...twiceADay(all),
    ...(sink.isClockSteady ? await leftWhileFrozen(client, sink.mails) : []),
    ...(await writtenApart(client)),
    ...(await brokenChains(client, sink.keys.auditRow)),
  ];
}

/** 1. Nothing is delivered after a sign of life in the same release. The order is that of the owner's audit chain. */
function afterActivity(all: Everything): string[] {
  const broken: string[] = [];
  const requestOf = new Map(all.deliveries.map(({ id, request_id }) => [id, request_id]));
  const under = new Map<string, Set<string>>();
  const ended = new Set<string>();
  for (const { chain, action, resource_id } of all.recorded) {
    const underWay = under.get(chain) ?? new Set<string>();
    under.set(chain, underWay);
    if (action === 'delivery.created' && resource_id) underWay.add(resource_id);
    // The owner was asked, and wants it to go on.
    if (action === 'release.left_as_it_is' && resource_id) underWay.delete(resource_id);
    if (signOfLife.test(action) || action === 'account.deletion_requested') {
      for (const request of underWay) ended.add(request);
      underWay.clear();
    }
    const request = action === 'delivery.accepted' ? requestOf.get(resource_id ?? '') : undefined;
    if (request && ended.has(request)) broken.push(`1: delivery ${resource_id} was accepted after a sign of life`);
  }
  const requests = new Map(all.requests.map((request) => [request.id, request]));
  for (const { mail, delivery } of all.sink.isClockSteady ? letters(all) : []) {
    const { closed_at: closedAt = null, outcome = null } = requests.get(delivery?.request_id ?? '') ?? {};
    if (!closedAt || !mail.at || outcome === 'left_as_it_is') continue;
    const isLate = Date.parse(mail.at) > closedAt.getTime() + handoverMs;
    if (isLate) broken.push(`1: a letter to ${mail.to} went out after its release had ended`);
  }
  return broken;
}

/**
 * Time when a reminder was accepted, or when its mailbox had refused it permanently three times or for thirty days;
 * null if neither.
 */
function reminderEnded(all: Everything, request: Released, notice: number | null): number | null {
  const rows = ofNotice(all, request, notice);
  const taken = takenAt(all, rows);
  if (taken !== null) return taken;
  return rows.some(({ refusals, status }) => refusals >= 3 || status === 'dead') ? 0 : null;
}

/** Wait after a yes while mail to the owner is in trouble, in which every contact can say no. */
const untoldWaitDays = 14;
/** Additional days of silence if no channel accepted a reminder. */
const unreachedDays = 90;

const isByPeople = (all: Everything, request: Released) =>
  confirmedBy(all, request).size > 0 ||
  logOf(all, request).before.some(
    ({ action, resource_id }) => /^release\.(confirmed|trustee_pressed)$/.test(action) && resource_id === request.id,
  );

/** 2. Silence releases only after both reminders with their gaps; people only after the owner's waiting time. */
function withoutReminders(all: Everything): string[] {
  return released(all).flatMap((request) => {
    const { id, at } = request;
    const { isClockSteady } = all.sink;
    const isLongEnough = !isClockSteady || at - silentSince(all, request) >= request.inactivity_days * dayMs;
    const first = reminderEnded(all, request, request.first_notice);
    const last = reminderEnded(all, request, request.last_notice);
    const byPeople = isByPeople(all, request);
    if (isClockSteady && isLongEnough && !byPeople) {
      if (first && last && !isSpaced(first, last, at))
        return [`2: request ${id} did not keep the gaps between its reminders`];
      if (first === 0 && last === 0 && at - request.opened_at.getTime() < unreachedDays * dayMs)
        return [`2: request ${id} did not wait for an owner whom no reminder had reached`];
    }
    const isSilent = first !== null && last !== null && (isLongEnough || !isAsItWas(all, request));
    if (isSilent) return [];
    if (!byPeople) return [`2: request ${id} was released without its reminders or before its time`];
    if (!isAsItWas(all, request) || hasWaitedTold(all, request) || hasWaitedUntold(all, request)) return [];
    return [`2: request ${id} did not wait for its owner`];
  });
}

/** The owner's own days begin when the mail that tells of them was taken, be they none. */
function hasWaitedTold(all: Everything, { id, at, waiting_days }: Released): boolean {
  const rows = all.notified.filter((row) => row.subject_id === id && row.kind === 'release.owner_holding');
  const notice = takenAt(all, rows);
  return notice !== null && (!all.sink.isClockSteady || at - notice >= waiting_days * dayMs);
}

/** If no mail reached the owner, the wait for people replaces it; the log line shows that. */
function hasWaitedUntold(all: Everything, request: Released): boolean {
  return logOf(all, request).before.some(
    ({ action, resource_id, created_at }) =>
      action === 'release.hold' &&
      resource_id === request.id &&
      (!all.sink.isClockSteady || request.at - created_at.getTime() >= untoldWaitDays * dayMs),
  );
}

function isSpaced(first: number, last: number, released: number): boolean {
  return last - first >= 7 * dayMs && released - last >= 10 * dayMs;
}

/** 3. At most one request and one silence of an owner are open. */
function openTwice({ requests, silences }: Everything): string[] {
  const twice = (rows: readonly { user_id: string; closed_at: Date | null }[], what: string) => {
    const open = rows.filter(({ closed_at }) => closed_at === null).map(({ user_id }) => user_id);
    return open
      .filter((owner, index) => open.indexOf(owner) !== index)
      .map((owner) => `3: ${owner} has two open ${what}`);
  };
  return [...twice(requests, 'requests'), ...twice(silences, 'silences')];
}

/** 4. One effective delivery a message and recipient; a repeated mail is the same mail, to the same person, with the same link. */
function sentTwice(all: Everything): string[] {
  const broken: string[] = [];
  const effective = all.deliveries.filter(({ status }) => status === 'pending' || status === 'accepted');
  const letters = effective.map(({ message_id, recipient_id }) => `${message_id} for ${recipient_id}`);
  for (const [index, letter] of letters.entries()) {
    if (letters.indexOf(letter) !== index) broken.push(`4: message ${letter} has two effective deliveries`);
  }
  const seen = new Map<string, Sink['mails'][number]>();
  for (const mail of all.sink.mails) {
    const { channel, messageId, to } = mail;
    if (channel !== 'email' || !messageId) continue;
    const known = seen.get(messageId);
    if (known && !isSameMail(known, mail)) broken.push(`4: ${messageId} came to ${to} as another mail`);
    seen.set(messageId, mail);
  }
  return broken;
}

/** 4. One mail a person and release brings all that is for them; only another address gets one of its own. */
function writtenTwice(all: Everything): string[] {
  const mailsOf = new Map<string, Set<string>>();
  const first = new Set(
    all.notified.flatMap(({ kind, message_id }) => (kind === 'delivery.letter' ? [message_id] : [])),
  );
  for (const { mail, delivery } of letters(all)) {
    if (!delivery || delivery.replaces_delivery_id || !mail.messageId || !first.has(mail.messageId)) continue;
    const person = `${mail.to} in release ${delivery.release_number} of ${delivery.user_id}`;
    mailsOf.set(person, (mailsOf.get(person) ?? new Set()).add(mail.messageId));
  }
  return [...mailsOf].flatMap(([person, mails]) => (mails.size > 1 ? [`4: ${person} got ${mails.size} mails`] : []));
}

/** 5. Every ready message has ended: its letter was accepted, or it bounced and the contacts were notified. */
function lost(all: Everything): string[] {
  const broken: string[] = [];
  // One link leads to all that a mail brings.
  const taken = new Set(letters(all).flatMap(({ delivery }) => (delivery ? [delivery.mail_id] : [])));
  const requests = new Map(all.requests.map((request) => [request.id, request]));
  for (const delivery of all.deliveries) {
    const { id, mail_id, status, accessed_at, request_id, user_id, created_at } = delivery;
    const isPaused = Boolean(requests.get(request_id)?.question_at);
    if (status === 'pending' && !isPaused && !isStillTried(all, delivery))
      broken.push(`5: delivery ${id} has not ended`);
    if (status === 'accepted' && !taken.has(mail_id) && !accessed_at)
      broken.push(`5: delivery ${id} never reached the post`);
    if (status !== 'bounced' || requests.get(request_id)?.closed_at) continue;
    const hadContacts =
      all.sink.isClockSteady && all.contacts.some((each) => each.user_id === user_id && each.confirmed_at < created_at);
    const told = all.notified.some(
      ({ kind, subject_id }) => kind === 'delivery.unreachable' && subject_id === request_id,
    );
    if (hadContacts && !told) broken.push(`5: delivery ${id} bounced, and nobody was told`);
  }
  for (const { id, user_id, closed_at } of released(all)) {
    const isEmpty = !all.deliveries.some(({ request_id }) => request_id === id);
    const hasLetters = all.messages.some((each) => each.user_id === user_id && each.status === 'ready');
    if (isEmpty && closed_at === null && hasLetters) broken.push(`5: request ${id} released nothing`);
  }
  return broken;
}

/** Ends of a pause that began as a person signed in after the release. */
const pauseEnds = ['release.question_unanswered', 'release.signed_in_by_another'];

/** A closed mailbox is tried for 30 days, again in full after a pause. A clock may have been three days behind. */
function isStillTried({ sink, recorded }: Everything, { user_id, created_at }: Delivery): boolean {
  const resumed = recorded.filter(({ chain, action }) => chain === user_id && pauseEnds.includes(action));
  const sinceMs = Math.max(...[created_at, ...resumed.map((each) => each.created_at)].map((at) => at.getTime()));
  return sink.closedAt !== null && Date.parse(sink.closedAt) - sinceMs < (30 + 3) * dayMs;
}

/** 6. Drafts, deleted messages and other people's are never sent. */
function notMeantToGo(all: Everything): string[] {
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

/** Required confirmations, as stated in the mails of a request. */
const toldPeople = /Nothing is delivered unless (two|three) of you confirm/;
const peopleOf: Record<string, number> = { two: 2, three: 3 };

/** 7. With the method trusted_contact nothing is released without its people. */
function withoutPeople(all: Everything): string[] {
  return released(all)
    .filter((request) => request.method === 'trusted_contact' && isAsItWas(all, request))
    .filter((request) => confirmedBy(all, request).size < 1)
    .map(({ id }) => `7: request ${id} was released without its people`);
}

/** 7. As many contacts confirm as the mails stated, unless fewer were left for a month after the owner was notified. */
function withFewerThanTold(all: Everything): string[] {
  return released(all)
    .filter(
      (request) => isAsItWas(all, request) && (request.method === 'trusted_contact' || request.cause !== 'silence'),
    )
    .filter((request) => {
      const told = toldBefore(all, request, 'release.contact_asked').flatMap(
        ({ words }) => peopleOf[toldPeople.exec(words)?.[1] ?? ''] ?? [],
      );
      return !wasLowered(all, request) && confirmedBy(all, request).size < Math.max(0, ...told);
    })
    .map(({ id }) => `7: request ${id} was released with fewer people than its contacts had been told`);
}

/** A month after the owner was notified that fewer are left, those are enough. */
function wasLowered(all: Everything, request: Released): boolean {
  const own = logOf(all, request).before.filter(({ resource_id }) => resource_id === request.id);
  const lowered = own.findLast(({ action }) => action === 'release.needed_lowered');
  if (!lowered) return false;
  const told = own
    .filter(({ action }) => action === 'release.contacts_fewer')
    .map(({ created_at }) => created_at.getTime());
  return told.some((at) => !all.sink.isClockSteady || lowered.created_at.getTime() - at >= 30 * dayMs);
}

/**
 * 8. Any "no" ends an early request. A request by silence stands still for thirty days after a contact's first one; a later one
 * stops what silence alone would do as long.
 */
function afterCancel(all: Everything): string[] {
  if (!all.sink.isClockSteady) return [];
  return released(all)
    .filter((request) => {
      const { id, at: releasedAt, cause } = request;
      const noes = all.said.filter(
        ({ request_id, says, at }) => request_id === id && says !== 'yes' && +at <= releasedAt,
      );
      const earlier = ({ contact_id, at }: Said) => noes.some((no) => no.contact_id === contact_id && no.at < at);
      const stopping = isByPeople(all, request) ? noes.filter((no) => !earlier(no)) : noes;
      return stopping.some(({ at }) => cause !== 'silence' || releasedAt - at.getTime() < 30 * dayMs);
    })
    .map(({ id }) => `8: request ${id} was released although somebody had said no`);
}

/** Days in mails: of delivery by silence, of the answer time, and of the owner's waiting time. */
const toldDay = /(?:delivered from|nobody answers before|hear nothing from you before) (\d+ \w+ \d{4})/;
const toldAnswer = /nobody answers within (\d+) days? after/;
const toldWait = /[Ww]e (?:then )?try to reach \S+ for (\d+) days?/;
const toldOwner = /nothing goes before (\d+ \w+ \d{4})/;

/** Days are those of London: in summer they begin an hour before those of UTC. */
const hourMs = 3_600_000;

/** 12. Nothing goes before what mails have told, whatever was set after them. */
function soonerThanTold(all: Everything): string[] {
  if (!all.sink.isClockSteady) return [];
  return released(all).flatMap((request) => {
    const told = toldBefore(all, request);
    const daysIn = (mail: RegExp) =>
      told.flatMap(({ words }) => {
        const day = mail.exec(words)?.[1];
        return day ? [Date.parse(`${day} UTC`) - hourMs] : [];
      });
    const daysFrom = (within: RegExp) =>
      told.flatMap(({ words, at }) => {
        const count = within.exec(words)?.[1];
        return count ? [at + Number(count) * dayMs] : [];
      });
    const isBefore = (times: readonly number[]) => times.length > 0 && request.at < Math.min(...times);
    const isTooSoon = isByPeople(all, request)
      ? isEarlier(all, request) && (isBefore(daysFrom(toldWait)) || isBefore(daysIn(toldOwner)))
      : daysIn(toldDay).some((day) => request.at < day) || isBefore(daysFrom(toldAnswer));
    return isTooSoon ? [`12: request ${request.id} was released sooner than people had been told`] : [];
  });
}

/** Released before the silence was over: then the notified wait must pass. */
function isEarlier(all: Everything, request: Released): boolean {
  return request.at - silentSince(all, request) < request.inactivity_days * dayMs;
}

/** 18. One question or reminder a person, owner and day. One that was taken back before it left is none. */
function twiceADay({ told, sink }: Everything): string[] {
  if (!sink.isClockSteady) return [];
  const broken: string[] = [];
  const last = new Map<string, number>();
  for (const { user_id, contact_id, topic, written_at, email_outcome } of told) {
    const isReminder = topic === 'first_reminder' || topic === 'last_reminder';
    if ((topic !== 'question' && !isReminder) || email_outcome === 'withdrawn') continue;
    const person = `${user_id} ${contact_id ?? 'the owner'}`;
    const at = written_at.getTime();
    if (at - (last.get(person) ?? 0) < dayMs) broken.push(`18: ${person} was written to twice within a day`);
    last.set(person, at);
  }
  return broken;
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
