import { expect, test } from 'vitest';
import { paceMailer, parseMailRate } from './mail-pace.ts';
import type { MailResult, OutgoingMail } from './mailer.ts';

const mail = {} as OutgoingMail;

function world(rate: Parameters<typeof paceMailer>[1]) {
  const state = { nowMs: 0, waits: [] as number[], result: { outcome: 'accepted' } as MailResult };
  const inner = { kind: 'smtp' as const, send: async () => state.result, close: async () => {} };
  const wait = async (ms: number) => void state.waits.push(ms);
  return { state, mailer: paceMailer(inner, { ...rate, nowMs: () => state.nowMs, wait }) };
}

test('mails of one second wait for their turn', async () => {
  const { state, mailer } = world({ perSecond: 4, perHour: null });
  for (let mails = 0; mails < 4; mails += 1) await mailer.send(mail);
  expect(state.waits).toEqual([250, 500, 750]);
  state.nowMs = 5_000;
  await mailer.send(mail);
  expect(state.waits).toHaveLength(3);
  expect(mailer.room?.()).toBe(Number.POSITIVE_INFINITY);
});

test('the hourly room is reported, and grows again as the hour passes', async () => {
  const { state, mailer } = world({ perSecond: null, perHour: 3 });
  await mailer.send(mail);
  state.nowMs = 1_800_000;
  await mailer.send(mail);
  await mailer.send(mail);
  expect(mailer.room?.()).toBe(0);
  state.nowMs = 3_600_000;
  expect(mailer.room?.()).toBe(1);
  state.nowMs = 5_400_000;
  expect(mailer.room?.()).toBe(3);
});

test('a server that says it goes too fast is left alone for a minute, and for longer each time it says so again', async () => {
  const { state, mailer } = world({ perSecond: null, perHour: null });
  state.result = { outcome: 'temporary', replyCode: 421, isTooFast: true };
  await mailer.send(mail);
  // Mails in progress get the same answer, which counts once.
  await mailer.send(mail);
  expect(mailer.room?.()).toBe(0);
  state.nowMs = 60_000;
  expect(mailer.room?.()).toBe(Number.POSITIVE_INFINITY);
  await mailer.send(mail);
  state.nowMs = 179_999;
  expect(mailer.room?.()).toBe(0);
  state.nowMs = 180_000;
  state.result = { outcome: 'accepted' };
  await mailer.send(mail);
  state.result = { outcome: 'temporary', replyCode: 421, isTooFast: true };
  await mailer.send(mail);
  state.nowMs = 240_000;
  expect(mailer.room?.()).toBe(Number.POSITIVE_INFINITY);
});

test('mails are given out in turn where there is a rate, and for an hour after the server said that it goes too fast', async () => {
  expect(world({ perSecond: 1, perHour: null }).mailer.isPaced?.()).toBe(true);
  expect(world({ perSecond: null, perHour: 100 }).mailer.isPaced?.()).toBe(true);
  const { state, mailer } = world({ perSecond: null, perHour: null });
  expect(mailer.isPaced?.()).toBe(false);
  state.result = { outcome: 'temporary', replyCode: 421, isTooFast: true };
  await mailer.send(mail);
  expect(mailer.isPaced?.()).toBe(true);
  state.nowMs = 3_600_000;
  expect(mailer.isPaced?.()).toBe(false);
});

test('a rate is a number a second, a number an hour, or both', () => {
  expect(parseMailRate('10/s')).toEqual({ perSecond: 10, perHour: null });
  expect(parseMailRate('5000/h')).toEqual({ perSecond: null, perHour: 5_000 });
  expect(parseMailRate('10/s, 5000/h')).toEqual({ perSecond: 10, perHour: 5_000 });
  for (const wrong of ['', '10', '0/s', '10/m', '10/s5000/h', '10/s,', ',5000/h', '5000/h,10/s']) {
    expect(() => parseMailRate(wrong), wrong).toThrow(TypeError);
  }
});
