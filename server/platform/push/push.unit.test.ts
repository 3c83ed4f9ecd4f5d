import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PushService, startPushService, subscribedBrowser } from '#tests/support/servers/push-service.ts';
import { createPoster } from './post.ts';
import { openPusher, outsideAgent } from './pusher.ts';
import { isPushEndpoint } from './subscription.ts';
import { vapidKeysOf } from './vapid.ts';

let service: PushService;
beforeAll(async () => {
  service = await startPushService();
});
afterAll(() => service.close());

describe('the address of a push service', () => {
  test.each([
    'https://fcm.googleapis.com/fcm/send/abc',
    'https://updates.push.services.mozilla.com/wpush/v2/abc',
    'https://web.push.apple.com:443/abc',
  ])('may be %s', (endpoint) => {
    expect(isPushEndpoint(endpoint, { isTrial: false })).toBe(true);
  });

  test.each([
    'http://push.example/one',
    'https://push.example:8443/one',
    'https://user:word@push.example/one',
    'https://10.0.0.1/one',
    'https://0x7f000001/one',
    'https://2130706433/one',
    'https://[::1]/one',
    'https://[::ffff:10.0.0.1]/one',
    'https://localhost/one',
    'https://a.localhost/one',
    'ftp://push.example/one',
    'not an address',
  ])('is not %s', (endpoint) => {
    expect(isPushEndpoint(endpoint, { isTrial: false })).toBe(false);
  });

  test('may be one of this machine beside a test clock alone', async () => {
    const endpoint = `${service.url}/one`;
    expect([true, false].map((isTrial) => isPushEndpoint(endpoint, { isTrial }))).toEqual([true, false]);
    expect(isPushEndpoint('https://10.0.0.1/one', { isTrial: true })).toBe(false);
  });
});

test('a name that leads to a private network is not reached', async () => {
  const posting = { url: `${service.url}/one`, headers: {}, body: '' };
  const post = (isTrial: boolean) => createPoster({ agent: outsideAgent({ isTrial, ca: service.ca }) })(posting);
  expect(await post(false)).toBeNull();
  expect(service.received).toEqual([]);
  expect(await post(true)).toBe(201);
});

test('a host without an answer is left alone for a minute', async () => {
  let calls = 0;
  let nowMs = 0;
  const closing = createServer((socket) => {
    calls += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
  const { port } = closing.address() as { port: number };
  const post = createPoster({ nowMs: () => nowMs });
  const posting = { url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' };
  expect([await post(posting), await post(posting), calls]).toEqual([null, null, 1]);
  nowMs = 60_001;
  expect([await post(posting), calls]).toEqual([null, 2]);
  closing.close();
});

test('the keys of an installation follow from its own, and skip a number that is none of the curve', async () => {
  const zero = Buffer.alloc(32).toString('base64url');
  const one = Buffer.alloc(32, 1).toString('base64url');
  const keys = vapidKeysOf({ derive: (_purpose, id) => (id === '1' ? zero : one) });
  expect([keys.privateKey, keys.publicKey]).toEqual([one, expect.stringMatching(/^B[\w-]{86}$/)]);
  const pusher = openPusher({ vapid: keys, site: 'https://vault.example', isTrial: true, ca: service.ca });
  const { subscription } = subscribedBrowser(service, 'one');
  expect(await pusher.send(subscription)).toEqual({ outcome: 'accepted', providerId: null });

  const noPoint = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 255)]).toString('base64url');
  const wrong = { ...subscription, keys: { ...subscription.keys, p256dh: noPoint } };
  expect(await pusher.send(wrong)).toEqual({ outcome: 'refused', replyCode: null });
});
