import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockOwnerRow } from '#server/features/accounts/accounts.repository.ts';
import { recordActivity } from '#server/features/accounts/activity.ts';
import { verifyAudit } from '#server/features/audit/audit.ts';
import { dispatchDue } from '#server/features/notifications/notifications.dispatch.ts';
import { AppError } from '#shared/contract/errors.ts';
import { type AskedOwner, createAskedOwners } from '#tests/support/asked-owners.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';

/** Pairs in each race. The whole measure is `RACE_PAIRS=500`. */
const races = Number(process.env.RACE_PAIRS ?? 30);
/** Many races take a while on a busy machine. */
const timeoutMs = 600_000;
/** One link in ten is pressed so often at once, which is slow; every other one twice. */
const presses = { often: 50, linksPressedOften: Math.ceil(races / 10) };
/** Races that run beside each other: each holds two connections, and the pool has ten. */
const lanes = pLimit(5);
/** By so many milliseconds at most the second of a pair comes later. */
const behindMsMax = 5;
/** Number of races with a fixed order, of each order, so that both occur. */
const sureEach = Math.ceil(races / 10);
/** By so many letters the others differ, the first of them so many letters ahead of their own. */
const distances = 14;
const lettersAhead = 10;

let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

const origin = { ipAddress: '198.51.100.7', userAgent: null };
const reason = 'I was at the funeral.';
const linkOf = (token = '') => ({ tokenHash: everkept.hashToken(token), origin });
const answerBy = (token: string | undefined, confirmed: boolean) =>
  told(everkept.releases.decide({ ...linkOf(token), confirmed, reason }));
/** Action of each participant, and its result or refusal. */
const does = {
  confirm: ({ portalTokens }: AskedOwner, contact = 0) => answerBy(portalTokens[contact], true),
  cancel: ({ portalTokens }: AskedOwner, contact = 0) => answerBy(portalTokens[contact], false),
  takeBack: ({ portalTokens }: AskedOwner, contact = 0) =>
    told(everkept.releases.takeBack(linkOf(portalTokens[contact])).then(() => 'taken_back')),
  checkIn: ({ checkInToken }: AskedOwner) =>
    told(everkept.ownersRelease.checkInByLink(checkInToken, origin).then(() => 'checked_in')),
  signIn: ({ userId }: AskedOwner) => {
    return everkept.database.db.transaction(async (tx) => {
      await lockOwnerRow(tx, userId);
      await recordActivity(everkept.opened, tx, { userId, type: 'login', at: await databaseTime() });
      return 'signed_in';
    });
  },
  leaveItSo: ({ userId }: AskedOwner) =>
    told(everkept.releases.answer({ userId, origin }, 'leave').then(() => 'left_as_it_is')),
  askInAnEmergency: ({ userId, contactIds }: AskedOwner) =>
    everkept.releases.requestEmergency({ ownerId: userId, contactId: contactIds[0] ?? '', origin }),
};

function told(answering: Promise<string>): Promise<string> {
  return answering.catch((error: unknown) => {
    if (error instanceof AppError) return error.type;
    throw error;
  });
}

type Crowd = Partial<Omit<Parameters<typeof createAskedOwners>[1], 'masterKeys' | 'count' | 'at'>>;

async function asked(name: string, crowd: Crowd = {}): Promise<AskedOwner[]> {
  const { database, masterKeys } = everkept;
  const given = { masterKeys, count: races, name, contactsEach: 1, lettersEach: 1, ...crowd };
  return createAskedOwners(database.db, { ...given, at: await databaseTime() });
}

/** Owners whose first contact has confirmed: their letters are on their way, and none has left. */
async function confirmed(name: string, crowd: Crowd = {}): Promise<AskedOwner[]> {
  const owners = await asked(name, crowd);
  await lanes.map(owners, (owner) => does.confirm(owner));
  return owners;
}

async function databaseTime(): Promise<Date> {
  const { rows } = await everkept.database.pool.query<{ at: Date }>('select clock_timestamp() as at');
  return rows[0]?.at ?? new Date(Number.NaN);
}

/**
 * Both at once, as often as there are owners: now one comes first and now the other, now close and now closer. Of the first
 * owners the second of both comes when the first is done, so that each order is seen however slow a machine is.
 */
function race<One, Other>(
  owners: AskedOwner[],
  one: (owner: AskedOwner) => Promise<One>,
  other: (owner: AskedOwner) => Promise<Other>,
): Promise<[One, Other][]> {
  return lanes.map(owners, async (owner, index) => {
    const behindMs = Math.floor(index / 2) % (behindMsMax + 1);
    const after = async <Answer>(first: Promise<unknown>, second: (owner: AskedOwner) => Promise<Answer>) => {
      await (index < 2 * sureEach ? first : sleep(behindMs));
      return second(owner);
    };
    if (index % 2 === 0) {
      const first = one(owner);
      return Promise.all([first, after(first, other)]);
    }
    const first = other(owner);
    return Promise.all([after(first, one), first]);
  });
}

/** One value of each owner's rows in a table, as many as there are rows. */
async function valuesOf(table: string, value: string, owners: AskedOwner[]): Promise<(userId: string) => string[]> {
  const { rows } = await everkept.database.pool.query<{ user_id: string; all: string[] }>(
    `select user_id, array_agg(${value} order by ${value}) as all from ${table} where user_id = any($1) group by user_id`,
    [owners.map(({ userId }) => userId)],
  );
  const all = new Map(rows.map(({ user_id, all: values }) => [user_id, values]));
  return (userId) => all.get(userId) ?? [];
}

/** End or state of a request. */
const standing = `coalesce(outcome, case when question_at is not null then 'questioned'
  when done_at is not null then 'released' when released_at is not null then 'releasing' else phase end)`;

/** Result for each owner: requests, deliveries, and messages. */
async function ends(owners: AskedOwner[]) {
  const requests = await valuesOf('release_requests', standing, owners);
  const deliveries = await valuesOf('message_deliveries', 'status', owners);
  const messages = await valuesOf('messages', 'status', owners);
  return ({ userId, readers }: AskedOwner) => ({
    request: requests(userId).join(),
    deliveries: deliveries(userId),
    messages: messages(userId),
    sent: readers.map(lettersTo),
  });
}

/** Sends whatever is due. */
async function dispatch(): Promise<void> {
  while ((await dispatchDue(everkept.opened)) > 0);
}

/** Excludes later mails to recipients, such as the notice of the owner's return. */
const isLetter = ({ text }: { text: string }) => text.includes('/message/');
const lettersTo = (reader: string) =>
  everkept.mailer.sent.filter((mail) => mail.to.address === reader && isLetter(mail)).length;

type Stopped = { owner: AskedOwner; answer: string; answeredMs: number; leftMs: number[] };

/**
 * Sends every letter while `stop` is called for each owner: surely before, surely after, or close to the letter's
 * departure. Returns the times of the answers and of the departures per owner.
 */
async function raceAgainstDispatch(
  owners: AskedOwner[],
  stop: (owner: AskedOwner) => Promise<string>,
): Promise<Stopped[]> {
  const leftMs = new Map<string, number[]>(owners.map(({ userId }) => [userId, []]));
  const stops = new Map<AskedOwner, Promise<Stopped>>();
  const stopped = async (owner: AskedOwner): Promise<Stopped> => {
    const answer = await stop(owner);
    return { owner, answer, answeredMs: performance.now(), leftMs: leftMs.get(owner.userId) ?? [] };
  };
  const stopThose = (some: AskedOwner[]) => {
    for (const owner of some) if (!stops.has(owner)) stops.set(owner, lanes(stopped, owner));
    return Promise.all(stops.values());
  };
  const ownerOf = new Map(owners.flatMap(({ readers }, index) => readers.map((reader) => [reader, index] as const)));
  // From some letters ahead of their own, since a stop takes longer than a letter, to some letters behind it.
  const places = owners.map((owner, index) => ({
    owner,
    fromPlace: index + (index % distances) - lettersAhead,
  }));
  const close = places.slice(sureEach, -sureEach);
  everkept.mailer.answer((mail) => {
    const index = ownerOf.get(mail.to.address);
    if (index !== undefined && isLetter(mail)) {
      leftMs.get(owners[index]?.userId ?? '')?.push(performance.now());
      void stopThose(close.filter(({ fromPlace }) => fromPlace <= index).map(({ owner }) => owner));
    }
    return { outcome: 'accepted' };
  });
  await stopThose(owners.slice(0, sureEach));
  await dispatch();
  const all = await stopThose(owners);
  everkept.mailer.answer(null);
  await dispatch();
  return all;
}

const sum = (numbers: number[]) => numbers.reduce((one, other) => one + other, 0);

describe(`in ${races} races each, of an owner against the letters`, () => {
  test(
    'a check-in that was answered before dispatch wins, and never both',
    async () => {
      const stopped = await raceAgainstDispatch(await confirmed('returning'), does.checkIn);
      const endOf = await ends(stopped.map(({ owner }) => owner));
      let sentInAll = 0;
      for (const { owner, answer, answeredMs, leftMs } of stopped) {
        const { sent, ...end } = endOf(owner);
        sentInAll += sum(sent);
        expect(answer).toBe('checked_in');
        expect(sum(sent)).toBeLessThanOrEqual(1);
        if (leftMs.every((at) => at > answeredMs)) expect(sent, 'left after the check-in was answered').toEqual([0]);
        // Sent letters are unopened, so their links are revoked and the letters are the owner's again.
        const deliveries = [sum(sent) === 1 ? 'withdrawn' : 'cancelled'];
        expect(end).toEqual({ request: 'taken_back', deliveries, messages: ['ready'] });
      }
      expect(sentInAll).toBeGreaterThan(0);
      expect(sentInAll).toBeLessThan(races);
    },
    timeoutMs,
  );

  test(
    'a sign-in before the first letter takes all back; after it nothing more leaves, and nothing is taken back',
    async () => {
      const stopped = await raceAgainstDispatch(await confirmed('recognised', { lettersEach: 3 }), does.signIn);
      const endOf = await ends(stopped.map(({ owner }) => owner));
      const requests = new Set<string>();
      for (const { owner, answeredMs, leftMs } of stopped) {
        const { request, deliveries, messages, sent } = endOf(owner);
        requests.add(request);
        expect(
          leftMs.filter((at) => at > answeredMs),
          'left after the sign-in was answered',
        ).toEqual([]);
        const held = request === 'taken_back' ? 'cancelled' : 'pending';
        const out = request === 'taken_back' ? 'withdrawn' : 'accepted';
        const expected = sent.map((times) => (times === 1 ? out : held));
        expect(deliveries).toEqual(expected.toSorted());
        const isDelivered = request === 'questioned';
        expect(messages).toEqual(sent.map((times) => (times === 1 && isDelivered ? 'delivered' : 'ready')).toSorted());
      }
      expect(requests).toEqual(new Set(['taken_back', 'questioned']));
    },
    timeoutMs,
  );

  test(
    '“leave it so” or a check-in closes the release, and the other gets the answer that it is closed',
    async () => {
      const owners = await confirmed('asking');
      await dispatch();
      await lanes.map(owners, does.signIn);
      const answers = await race(owners, does.leaveItSo, does.checkIn);
      await dispatch();

      const endOf = await ends(owners);
      for (const [index, owner] of owners.entries()) {
        const isLeft = answers[index]?.[0] === 'left_as_it_is';
        expect(answers[index]).toEqual(isLeft ? ['left_as_it_is', 'CONFLICT'] : ['CONFLICT', 'checked_in']);
        expect(endOf(owner)).toEqual(
          isLeft
            ? { request: 'left_as_it_is', deliveries: ['accepted'], messages: ['delivered'], sent: [1] }
            : { request: 'taken_back', deliveries: ['withdrawn'], messages: ['ready'], sent: [1] },
        );
      }
      expect(new Set(answers.map(([first]) => first))).toEqual(new Set(['left_as_it_is', 'CONFLICT']));
    },
    timeoutMs,
  );
});

describe(`in ${races} races each, of contacts against the owner and each other`, () => {
  test(
    'a check-in that was answered before a confirmation wins, and a later one stops the unsent letters',
    async () => {
      const owners = await asked('undecided');
      const answers = await race(owners, does.confirm, does.checkIn);
      await dispatch();

      const endOf = await ends(owners);
      for (const [index, owner] of owners.entries()) {
        const wasConfirmed = answers[index]?.[0] === 'confirmed';
        expect(answers[index]).toEqual([wasConfirmed ? 'confirmed' : 'NOT_FOUND', 'checked_in']);
        const [request, deliveries] = wasConfirmed ? ['taken_back', ['cancelled']] : ['owner_back', []];
        expect(endOf(owner)).toEqual({ request, deliveries, messages: ['ready'], sent: [0] });
      }
      expect(new Set(answers.map(([first]) => first))).toEqual(new Set(['confirmed', 'NOT_FOUND']));
    },
    timeoutMs,
  );

  test(
    'a cancel before the first letter wins over all confirmations',
    async () => {
      const owners = await asked('disputed', { contactsEach: 2 });
      const answers = await race(owners, does.confirm, (owner) => does.cancel(owner, 1));
      await dispatch();

      const endOf = await ends(owners);
      for (const [index, owner] of owners.entries()) {
        const wasConfirmed = answers[index]?.[0] === 'confirmed';
        // A confirmation during a pause finds an expired link.
        expect(answers[index]).toEqual([wasConfirmed ? 'confirmed' : 'NOT_FOUND', 'cancelled']);
        const deliveries = wasConfirmed ? ['cancelled'] : [];
        expect(endOf(owner)).toEqual({ request: 'paused', deliveries, messages: ['ready'], sent: [0] });
      }
      expect(new Set(answers.map(([first]) => first))).toEqual(new Set(['confirmed', 'NOT_FOUND']));
    },
    timeoutMs,
  );

  test.each([
    { what: 'a cancel', name: 'objecting', stop: (owner: AskedOwner) => does.cancel(owner, 1), word: 'cancelled' },
    { what: 'a yes that is taken back', name: 'repenting', stop: does.takeBack, word: 'taken_back' },
  ])(
    '$what that was answered before dispatch wins, and a later one gets the answer that it is late',
    async ({ name, stop, word }) => {
      const stopped = await raceAgainstDispatch(await confirmed(name, { contactsEach: 2 }), (owner) => stop(owner));
      const endOf = await ends(stopped.map(({ owner }) => owner));
      const answers = new Set<string>();
      for (const { owner, answer, answeredMs, leftMs } of stopped) {
        const { sent, ...end } = endOf(owner);
        answers.add(answer);
        expect(sum(sent)).toBeLessThanOrEqual(1);
        if (answer === 'CONFLICT') {
          expect({ ...end, sent }).toEqual({
            request: 'released',
            deliveries: ['accepted'],
            messages: ['delivered'],
            sent: [1],
          });
          continue;
        }
        expect(answer).toBe(word);
        if (leftMs.every((at) => at > answeredMs)) expect(sent, 'left although it was stopped').toEqual([0]);
        const deliveries = [sum(sent) === 1 ? 'withdrawn' : 'cancelled'];
        const request = word === 'cancelled' ? 'paused' : 'asking';
        expect(end).toEqual({ request, deliveries, messages: ['ready'] });
      }
      expect(answers).toEqual(new Set([word, 'CONFLICT']));
    },
    timeoutMs,
  );

  test(
    'a cancel wins against a silence that would deliver at this moment',
    async () => {
      // All other due owners are visited before, so that each visit finds one of these.
      while ((await everkept.releases.sweep()) > 0);
      const owners = await asked('silent', { method: 'inactivity', askedDaysAgo: 8 });
      const answers = await race(owners, does.cancel, () => everkept.releases.sweep(1));
      while ((await everkept.releases.sweep()) > 0);
      await dispatch();

      expect(new Set(answers.map(([answer]) => answer))).toEqual(new Set(['cancelled']));
      const endOf = await ends(owners);
      const found = owners.map(endOf);
      for (const { deliveries, ...end } of found) {
        expect([[], ['cancelled']]).toContainEqual(deliveries);
        expect(end).toEqual({ request: 'paused', messages: ['ready'], sent: [0] });
      }
      expect(new Set(found.map(({ deliveries }) => deliveries.length))).toEqual(new Set([0, 1]));
    },
    timeoutMs,
  );

  test(
    'a yes that is taken back counts no more, also where the yes that made two came at the same moment',
    async () => {
      const owners = await confirmed('doubting', { contactsEach: 2, needed: 2 });
      const answers = await race(owners, does.takeBack, (owner) => does.confirm(owner, 1));
      await dispatch();

      const endOf = await ends(owners);
      const found = owners.map(endOf);
      for (const [index, { deliveries, ...end }] of found.entries()) {
        expect(answers[index]).toEqual(['taken_back', 'confirmed']);
        expect([[], ['cancelled']]).toContainEqual(deliveries);
        expect(end).toEqual({ request: 'asking', messages: ['ready'], sent: [0] });
      }
      expect(new Set(found.map(({ deliveries }) => deliveries.length))).toEqual(new Set([0, 1]));
    },
    timeoutMs,
  );

  test(
    'two contacts who confirm at once release once',
    async () => {
      const owners = await asked('agreeing', { contactsEach: 2, needed: 2 });
      const answers = await race(owners, does.confirm, (owner) => does.confirm(owner, 1));
      await dispatch();

      const endOf = await ends(owners);
      for (const [index, owner] of owners.entries()) {
        expect(answers[index]).toEqual(['confirmed', 'confirmed']);
        expect(endOf(owner)).toEqual({
          request: 'released',
          deliveries: ['accepted'],
          messages: ['delivered'],
          sent: [1],
        });
      }
    },
    timeoutMs,
  );

  test(
    'a link that says yes and no at once says the first of both',
    async () => {
      const owners = await asked('confused');
      const answers = await race(owners, does.confirm, does.cancel);
      await dispatch();

      const endOf = await ends(owners);
      for (const [index, owner] of owners.entries()) {
        const wasConfirmed = answers[index]?.[0] === 'confirmed';
        expect(answers[index]).toEqual(wasConfirmed ? ['confirmed', 'CONFLICT'] : ['CONFLICT', 'cancelled']);
        expect(endOf(owner)).toEqual(
          wasConfirmed
            ? { request: 'released', deliveries: ['accepted'], messages: ['delivered'], sent: [1] }
            : { request: 'paused', deliveries: [], messages: ['ready'], sent: [0] },
        );
      }
      expect(new Set(answers.map(([first]) => first))).toEqual(new Set(['confirmed', 'CONFLICT']));
    },
    timeoutMs,
  );

  test(
    'a confirmation that is pressed twice, or fifty times, at once counts once',
    async () => {
      const owners = await asked('certain');
      const press = (owner: AskedOwner, times: number) =>
        Promise.all(Array.from({ length: times }, () => does.confirm(owner)));
      const answers = [];
      for (const owner of owners.slice(0, presses.linksPressedOften)) answers.push(await press(owner, presses.often));
      const others = await lanes.map(owners.slice(presses.linksPressedOften), (owner) => press(owner, 2));
      answers.push(...others);
      for (const each of answers) {
        expect(each.toSorted()).toEqual([...Array.from({ length: each.length - 1 }, () => 'CONFLICT'), 'confirmed']);
      }
      await dispatch();

      const endOf = await ends(owners);
      for (const owner of owners) {
        expect(endOf(owner)).toEqual({
          request: 'released',
          deliveries: ['accepted'],
          messages: ['delivered'],
          sent: [1],
        });
      }
    },
    timeoutMs,
  );

  test(
    'an emergency and a check-in: the later of both is how it stands',
    async () => {
      const owners = await asked('alarmed', { isWatching: true });
      const answers = await race(owners, does.askInAnEmergency, does.checkIn);
      await dispatch();

      const endOf = await ends(owners);
      const { rows } = await everkept.database.pool.query<{ user_id: string; is_back: boolean }>(
        `select r.user_id, u.last_checkin_at > r.opened_at as is_back
         from release_requests r join users u on u.id = r.user_id where r.user_id = any($1)`,
        [owners.map(({ userId }) => userId)],
      );
      const isBack = new Map(rows.map((row) => [row.user_id, row.is_back]));
      for (const [index, owner] of owners.entries()) {
        expect(answers[index]).toEqual([null, 'checked_in']);
        const request = isBack.get(owner.userId) ? 'owner_back' : 'asking';
        expect(endOf(owner)).toEqual({ request, deliveries: [], messages: ['ready'], sent: [0] });
      }
      expect(new Set(isBack.values())).toEqual(new Set([true, false]));
    },
    timeoutMs,
  );

  test('the record of all of it verifies', async () => {
    const verified = await verifyAudit(everkept.opened);
    expect(verified).toMatchObject({ ok: true });
    expect(verified.rows).toBeGreaterThan(races * 3);
  });
});
