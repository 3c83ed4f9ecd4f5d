import { randomUUID, sign } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createCertificate } from '#tests/support/tills/certificate.ts';
import { createStandIn } from '#tests/support/tills/stand-in.ts';
import { createPayPalSignatures } from './paypal-signature.ts';

const { privateKey, pem } = createCertificate('messageverificationcerts.paypal.example');
const webhookId = 'WH-1';

/** A check against a stand-in for PayPal, which has one certificate. */
async function checking() {
  const payPal = await createStandIn(({ path }) =>
    path.endsWith('/CERT-1') ? { body: pem } : { status: 404, body: null },
  );
  onTestFinished(() => payPal.close());
  const check = createPayPalSignatures({ webhookId, apiBase: payPal.url });
  const send = (certificate: string) => {
    const body = Buffer.from('{}');
    const [id, time] = [randomUUID(), new Date().toISOString()];
    const signed = Buffer.from(`${id}|${time}|${webhookId}|${crc32(body)}`);
    const headers = {
      'paypal-auth-algo': 'SHA256withRSA',
      'paypal-cert-url': `${payPal.url}/v1/notifications/certs/${certificate}`,
      'paypal-transmission-id': id,
      'paypal-transmission-time': time,
      'paypal-transmission-sig': sign('RSA-SHA256', signed, privateKey).toString('base64'),
    };
    return check({ body, headers });
  };
  return { send, calls: payPal.calls };
}

test('webhooks with made-up certificates cause twenty calls to PayPal a minute, and keep real webhooks out of none', async () => {
  const { send, calls } = await checking();
  await send('CERT-1');
  const flood = await Promise.allSettled(Array.from({ length: 200 }, (_, number) => send(`MADE-UP-${number}`)));
  expect(flood.every(({ status }) => status === 'rejected')).toBe(true);
  expect(calls.length).toBe(20);
  await send('CERT-1');
  expect(calls.filter((call) => call.endsWith('/CERT-1'))).toHaveLength(1);
});

test('webhooks that come together wait for one certificate', async () => {
  const { send, calls } = await checking();
  await Promise.all(Array.from({ length: 50 }, () => send('CERT-1')));
  expect(calls).toHaveLength(1);
});
