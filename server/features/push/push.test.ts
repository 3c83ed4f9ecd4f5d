import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openPusher, pushWords } from '#server/platform/push/pusher.ts';
import { vapidKeysOf } from '#server/platform/push/vapid.ts';
import { createWebhook } from '#server/platform/webhook/webhook.ts';
import { pushDevicesMax } from '#shared/contract/release/push.ts';
import { createEverkept, dayMs, type Everkept, type Owner } from '#tests/support/everkept.ts';
import {
  type PushService,
  startPushService,
  subscribedBrowser,
  vapidClaims,
} from '#tests/support/servers/push-service.ts';

const path = '/api/user/push-devices';
const secondDays = 1_000 / dayMs;
const secret = 'a-secret-that-the-notifier-knows';
const vapid = vapidKeysOf({ derive: (purpose, id) => createHmac('sha256', purpose).update(id).digest('base64url') });

let service: PushService;
let everkept: Everkept;
let owner: Owner;
let devices = 0;
/** Events that the operator's notifier was told of, and its answer. */
const events: { signature: string; body: string }[] = [];
let answer = 204;
const notifier = createServer(async (request, response) => {
  events.push({ signature: String(request.headers['x-everkept-signature']), body: await text(request) });
  response.writeHead(answer).end();
});

beforeAll(async () => {
  service = await startPushService();
  notifier.listen(0, '127.0.0.1');
  await once(notifier, 'listening');
  const url = `http://127.0.0.1:${(notifier.address() as AddressInfo).port}/events`;
  everkept = await createEverkept({
    parts: {
      pusher: openPusher({ vapid, site: 'https://vault.example', isTrial: true, ca: service.ca }),
      webhook: createWebhook({ url, secret, realNowMs: Date.now }),
    },
  });
});
beforeEach(async () => {
  owner = await everkept.signUp();
  await everkept.write(owner);
  await everkept.befriend(owner, { name: 'Priya Shah', email: `priya.${owner.userId}@post.example` });
});
afterEach(async () => {
  await everkept.database.pool.query('delete from users where id = $1', [owner.userId]);
  [service.status, answer] = [201, 204];
  service.received.length = 0;
  events.length = 0;
});
afterAll(async () => {
  await everkept.close();
  await service.close();
  notifier.close();
});

/** Switches reminders on for another browser of the owner. */
async function switchOn(of = owner) {
  devices += 1;
  const browser = subscribedBrowser(service, `device-${devices}`);
  const added = await of.browser.send('POST', path, { body: browser.subscription });
  expect(added.statusCode).toBe(200);
  return browser;
}

const listed = async (of = owner) =>
  (await of.browser.send('GET', path)).json<{ publicKey: string; devices: { id: string; name: string }[] }>();

/** Rows of the owner's first reminder, by channel. */
async function reminderRows() {
  const { rows } = await everkept.database.pool.query<{ channel: string; status: string; attempts: number }>(
    `select channel, status, attempts from notifications where user_id = $1 and kind = 'release.first_reminder' order by channel`,
    [owner.userId],
  );
  return rows;
}

/** Lives until the first reminder was tried once. */
async function fallSilent() {
  for (let step = 0; step < 20 && (await reminderRows()).length === 0; step += 1) {
    const { rows } = await everkept.database.pool.query('select next_step_at from users where id = $1', [owner.userId]);
    const now = await everkept.opened.clock.now();
    await everkept.live(Math.max(0, rows[0].next_step_at - now.getTime()) / dayMs + secondDays);
  }
}

/** Devices as they are stored: a session ends long before a silence. */
const stored = async () =>
  (await everkept.database.pool.query('select id from push_devices where user_id = $1', [owner.userId])).rows;

describe('a reminder', () => {
  test('reaches each device and the webhook, names no person, and counts by neither', async () => {
    const browser = await switchOn();
    everkept.mailer.answer(() => ({ outcome: 'temporary', replyCode: 451 }));
    await fallSilent();
    everkept.mailer.answer(null);
    const [push] = service.received;
    expect(push?.headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400', topic: 'reminder' });
    expect(JSON.parse(browser.read(push?.body ?? Buffer.alloc(0)))).toEqual(pushWords);
    expect(vapidClaims(push?.headers.authorization)).toMatchObject({
      publicKey: vapid.publicKey,
      aud: service.url,
      sub: 'https://vault.example',
    });
    const event = events.find(({ body }) => JSON.parse(body).kind === 'reminder');
    const [, seconds, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(event?.signature ?? '') ?? [];
    expect(mac).toBe(createHmac('sha256', secret).update(`${seconds}.${event?.body}`).digest('hex'));
    expect(Object.keys(JSON.parse(event?.body ?? '{}'))).toEqual(['id', 'kind', 'at']);
    const rows = await reminderRows();
    expect(rows).toMatchObject([
      { channel: 'email', status: 'pending' },
      { channel: 'push', status: 'accepted' },
      { channel: 'webhook', status: 'accepted' },
    ]);
    const { rows: notices } = await everkept.database.pool.query(
      `select email_outcome, text_outcome from release_notices where user_id = $1 and topic = 'first_reminder'`,
      [owner.userId],
    );
    expect(notices).toEqual([{ email_outcome: null, text_outcome: null }]);
  });

  test('that waits for a device is withdrawn when its owner is back', async () => {
    await switchOn();
    service.status = 503;
    await fallSilent();
    expect((await reminderRows()).find(({ channel }) => channel === 'push')).toMatchObject({ status: 'pending' });
    await everkept.signIn(owner);
    expect((await reminderRows()).find(({ channel }) => channel === 'push')).toMatchObject({ status: 'cancelled' });
  });

  test('is tried five times in an hour by a webhook that refuses, and given up', async () => {
    answer = 500;
    await fallSilent();
    await everkept.live(1);
    const tries = Map.groupBy(events, ({ body }) => body).values();
    expect([...tries].at(-1)).toHaveLength(5);
    expect((await reminderRows()).find(({ channel }) => channel === 'webhook')).toMatchObject({ status: 'dead' });
  });

  test.each([404, 410])('removes a device whose push service answers %i', async (status) => {
    await switchOn();
    service.status = status;
    await fallSilent();
    expect(await stored()).toEqual([]);
    const { rows } = await everkept.database.pool.query(
      `select distinct status from notifications where user_id = $1 and channel = 'push'`,
      [owner.userId],
    );
    expect(rows).toEqual([{ status: 'bounced' }]);
  });

  test('follows no redirect', async () => {
    await switchOn();
    service.status = 302;
    await fallSilent();
    expect(service.received.map(({ path: asked }) => asked)).not.toContain('/elsewhere');
    expect(await stored()).toHaveLength(1);
  });
});

describe('devices', () => {
  test('are switched on and off, each by its owner alone, with a line in the log', async () => {
    await switchOn();
    const stranger = await everkept.signUp();
    const { publicKey, devices: mine } = await listed();
    expect(publicKey).toBe(vapid.publicKey);
    const one = `${path}/${mine[0]?.id}`;
    expect((await stranger.browser.send('DELETE', one)).statusCode).toBe(404);
    expect((await listed(stranger)).devices).toEqual([]);
    expect((await owner.browser.send('DELETE', one)).statusCode).toBe(204);
    expect((await owner.browser.send('DELETE', one)).statusCode).toBe(404);
    const { rows } = await everkept.database.pool.query(
      `select action from audit_logs where chain = $1 and action like 'account.push%' order by position`,
      [owner.userId],
    );
    expect(rows.map(({ action }) => action)).toEqual(['account.push_begin', 'account.push_stop']);
  });

  test('are one row for a browser that comes again, and move with it to another account', async () => {
    const { subscription } = await switchOn();
    await owner.browser.send('POST', path, { body: subscription });
    expect((await listed()).devices).toHaveLength(1);
    const second = await everkept.signUp();
    await second.browser.send('POST', path, { body: subscription });
    expect([(await listed()).devices, (await listed(second)).devices]).toMatchObject([[], [{}]]);
  });

  test(`are ${pushDevicesMax} at most`, async () => {
    for (let number = 0; number < pushDevicesMax; number += 1) await switchOn();
    const { subscription } = subscribedBrowser(service, 'one-too-many');
    const refused = await owner.browser.send('POST', path, { body: subscription });
    expect([refused.statusCode, refused.json().message]).toEqual([409, expect.stringContaining('10 devices')]);
  });

  test('are refused with an address to which we do not send', async () => {
    const { subscription } = subscribedBrowser(service, 'refused');
    const refused = await owner.browser.send('POST', path, {
      body: { ...subscription, endpoint: 'https://10.0.0.1/' },
    });
    expect([refused.statusCode, refused.json().message]).toEqual([400, expect.stringContaining('on port 443')]);
  });

  test('go with the account', async () => {
    await switchOn();
    await everkept.database.pool.query('delete from users where id = $1', [owner.userId]);
    const { rows } = await everkept.database.pool.query('select from push_devices where user_id = $1', [owner.userId]);
    expect(rows).toEqual([]);
  });
});
