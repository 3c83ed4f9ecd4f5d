import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MailScript } from '#server/platform/mail/memory-mailer.ts';
import { AppError } from '#shared/contract/errors.ts';
import { type AskedOwner, createAskedOwners } from '#tests/support/asked-owners.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';

/** Pairs in each race. The whole measure is `RACE_PAIRS=500`. */
const races = Number(process.env.RACE_PAIRS ?? 30);
/** So many races take a while on a machine that does much else. */
const timeoutMs = 600_000;
/** One link in ten is pressed so often at once, which is slow; every other one twice. */
const presses = { often: 50, linksPressedOften: Math.ceil(races / 10) };
/** Races that run beside each other: each holds two connections, and the pool has ten. */
const lanes = pLimit(5);
/** Letters that are taken and handed over at once, as the dispatcher has lanes. */
const lettersAtOnce = 6;
/** By so many places the distance differs between the letter that leaves just now and the owner who checks in. */
const distances = 6;

let everkept: Everkept;

beforeAll(async () => {
  everkept = await createEverkept();
});
afterAll(() => everkept.close());

const origin = { ipAddress: '198.51.100.7', userAgent: null };
const reason = 'I was at the funeral.';
const answer = (token: string, confirmed: boolean) =>
  everkept.services.releases.decide({ tokenHash: everkept.hashToken(token), confirmed, reason, origin });
/** What somebody is told: the decision that was taken, or why none was. */
const told = (answering: Promise<string>) =>
  answering.catch((error: unknown) => {
    if (error instanceof AppError) return error.type;
    throw error;
  });

async function asked(name: string, contactsEach: number): Promise<AskedOwner[]> {
  const { database, masterKeys } = everkept;
  const at = await databaseTime();
  return createAskedOwners(database.db, { masterKeys, count: races, name, contactsEach, lettersEach: 1, at });
}

async function databaseTime(): Promise<Date> {
  const { rows } = await everkept.database.pool.query<{ at: Date }>('select clock_timestamp() as at');
  return rows[0]?.at ?? new Date(Number.NaN);
}

/** One value of each owner's rows in a table. */
async function valuesOf(table: string, column: string, owners: AskedOwner[]): Promise<Map<string, string[]>> {
  const { rows } = await everkept.database.pool.query<{ user_id: string; all: string[] }>(
    `select user_id, array_agg(${column}) as all from ${table} where user_id = any($1) group by user_id`,
    [owners.map(({ userId }) => userId)],
  );
  return new Map(rows.map(({ user_id, all }) => [user_id, all]));
}

/** Sends whatever is due, and lets `script` see every mail that is about to leave. */
async function dispatch(script: MailScript | null = null): Promise<void> {
  everkept.mailer.answer(script);
  while ((await everkept.services.notifications.dispatchDue()) > 0);
  everkept.mailer.answer(null);
}

/** Not what is said to a reader afterwards, such as that the owner is back. */
const isLetter = ({ text }: { text: string }) => text.includes('/message/');
const lettersTo = (reader: string | undefined) =>
  everkept.mailer.sent.filter((mail) => mail.to.address === reader && isLetter(mail)).length;

describe(`in ${races} races each`, () => {
  test(
    'a check-in that was answered before dispatch wins, and never both',
    async () => {
      const owners = await asked('returning', 1);
      await lanes.map(owners, ({ portalTokens: [token = ''] }) => answer(token, true));

      const checkedInAt = new Map<string, number>();
      const dispatchedAt = new Map<string, number>();
      const checkIns: Promise<unknown>[] = [];
      // The owners return in the order in which their letters leave, some places ahead of them: all races are close.
      const returnUntil = (place: number) => {
        while (checkIns.length < Math.min(place, races)) {
          const { userId, checkInToken } = owners[checkIns.length] as AskedOwner;
          const checkIn = () => everkept.services.ownersRelease.checkInByLink(checkInToken, origin);
          checkIns.push(lanes(checkIn).then(() => checkedInAt.set(userId, performance.now())));
        }
      };
      const ownerOf = new Map(owners.flatMap(({ readers: [reader = ''] }, index) => [[reader, index] as const]));
      let left = 0;
      await dispatch(async (mail) => {
        const index = ownerOf.get(mail.to.address);
        if (index !== undefined && isLetter(mail)) {
          dispatchedAt.set(owners[index]?.userId ?? '', performance.now());
          left += 1;
          // Neither runs away from the other: now the letters are a little in front, and now the owners.
          const isOwnersTurn = Math.floor(left / lettersAtOnce) % 2 === 1;
          const place = index + (left % distances) + (isOwnersTurn ? lettersAtOnce : 0);
          returnUntil(place + 1);
          if (isOwnersTurn) await checkIns[Math.min(place, races - 1)];
        }
        return { outcome: 'accepted' };
      });
      returnUntil(races);
      await Promise.all(checkIns);
      await dispatch();

      const cycles = await valuesOf('release_cycles', 'state', owners);
      const deliveries = await valuesOf('message_deliveries', 'status', owners);
      const letters = await valuesOf('messages', 'status', owners);
      let sentInAll = 0;
      for (const { userId, readers } of owners) {
        const sent = lettersTo(readers[0]);
        sentInAll += sent;
        expect(sent).toBeLessThanOrEqual(1);
        const wasFirst = (checkedInAt.get(userId) ?? Infinity) < (dispatchedAt.get(userId) ?? Infinity);
        if (wasFirst) expect(sent, 'a letter left after the check-in was answered').toBe(0);
        expect(cycles.get(userId)).toEqual(['halted']);
        // Nobody has opened what was sent, so its link is dead and the letter is the owner's again.
        expect(deliveries.get(userId)).toEqual([sent === 1 ? 'withdrawn' : 'cancelled']);
        expect(letters.get(userId)).toEqual(['ready']);
      }
      expect(sentInAll).toBeGreaterThan(0);
      expect(sentInAll).toBeLessThan(races);
    },
    timeoutMs,
  );

  test(
    'a check-in that was answered before a confirmation wins, and one that comes later stops what is left',
    async () => {
      const owners = await asked('undecided', 1);
      const answers = await lanes.map(owners, async ({ portalTokens: [token = ''], checkInToken }, index) => {
        const confirm = () => told(answer(token, true));
        const checkIn = () => everkept.services.ownersRelease.checkInByLink(checkInToken, origin);
        // Neither is always asked first.
        const answers = index % 2 === 0 ? [confirm(), checkIn()] : [checkIn(), confirm()].toReversed();
        const [answered] = await Promise.all(answers);
        return answered;
      });
      await dispatch();

      const cycles = await valuesOf('release_cycles', 'state', owners);
      const deliveries = await valuesOf('message_deliveries', 'status', owners);
      const letters = await valuesOf('messages', 'status', owners);
      for (const [index, { userId, readers }] of owners.entries()) {
        const wasConfirmed = answers[index] === 'confirmed';
        expect(answers[index]).toBe(wasConfirmed ? 'confirmed' : 'NOT_FOUND');
        expect(lettersTo(readers[0]), 'a letter left after the check-in was answered').toBe(0);
        expect(cycles.get(userId)).toEqual([wasConfirmed ? 'halted' : 'watching']);
        expect(deliveries.get(userId) ?? []).toEqual(wasConfirmed ? ['cancelled'] : []);
        expect(letters.get(userId)).toEqual(['ready']);
      }
      expect(new Set(answers)).toEqual(new Set(['confirmed', 'NOT_FOUND']));
    },
    timeoutMs,
  );

  test(
    'a cancel or a confirmation wins, and the other is told so',
    async () => {
      const owners = await asked('disputed', 2);
      const answers = await lanes.map(owners, async ({ portalTokens: [one = '', other = ''] }, index) => {
        const confirm = () => told(answer(one, true));
        const cancel = () => told(answer(other, false));
        if (index % 2 === 0) return Promise.all([confirm(), cancel()]);
        return (await Promise.all([cancel(), confirm()])).toReversed();
      });
      await dispatch();

      const cycles = await valuesOf('release_cycles', 'state', owners);
      const won = { confirmed: 0, cancelled: 0 };
      for (const [index, { userId, readers }] of owners.entries()) {
        const isConfirmed = answers[index]?.[0] === 'confirmed';
        // Who confirms too late finds the link dead; who cancels too late is told that the letters are on their way.
        expect(answers[index]).toEqual(isConfirmed ? ['confirmed', 'CONFLICT'] : ['NOT_FOUND', 'cancelled']);
        expect(cycles.get(userId)).toEqual([isConfirmed ? 'released' : 'paused']);
        expect(lettersTo(readers[0])).toBe(isConfirmed ? 1 : 0);
        won[isConfirmed ? 'confirmed' : 'cancelled'] += 1;
      }
      expect(won.confirmed).toBeGreaterThan(0);
      expect(won.cancelled).toBeGreaterThan(0);
    },
    timeoutMs,
  );

  test(
    'a confirmation that is pressed twice, or fifty times, at once counts once',
    async () => {
      const owners = await asked('certain', 1);
      const press = ({ portalTokens: [token = ''] }: AskedOwner, times: number) =>
        Promise.all(Array.from({ length: times }, () => told(answer(token, true))));
      const answers = [];
      for (const owner of owners.slice(0, presses.linksPressedOften)) answers.push(await press(owner, presses.often));
      const others = await lanes.map(owners.slice(presses.linksPressedOften), (owner) => press(owner, 2));
      answers.push(...others);
      for (const each of answers) {
        expect(each.toSorted()).toEqual([...Array.from({ length: each.length - 1 }, () => 'CONFLICT'), 'confirmed']);
      }
      await dispatch();

      const cycles = await valuesOf('release_cycles', 'state', owners);
      const deliveries = await valuesOf('message_deliveries', 'status', owners);
      for (const { userId, readers } of owners) {
        expect(cycles.get(userId)).toEqual(['released']);
        expect(deliveries.get(userId)).toEqual(['accepted']);
        expect(lettersTo(readers[0])).toBe(1);
      }
    },
    timeoutMs,
  );

  test('the record of all of it verifies', async () => {
    const verified = await everkept.services.audit.verify(everkept.database.db);
    expect(verified).toMatchObject({ ok: true });
    expect(verified.rows).toBeGreaterThan(races * 3);
  });
});
