import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type IncomingWebhook, PaymentError, signatureToleranceSeconds, WebhookRefused } from './payments.ts';

type Settings = { webhookId: string; apiBase: string; timeoutMs?: number | undefined };

const headerNames = {
  algorithm: 'paypal-auth-algo',
  certificate: 'paypal-cert-url',
  id: 'paypal-transmission-id',
  signature: 'paypal-transmission-sig',
  time: 'paypal-transmission-time',
} as const;
type CertifiedKey = { key: KeyObject; endsAtMs: number };
type Signed = Record<keyof typeof headerNames, string>;

const signedWith = 'SHA256withRSA';
const certificatePath = /^\/v1\/notifications\/certs\/[\w-]{1,100}$/;
const defaultTimeoutMs = 5_000;
/** PayPal signs with one at a time, and with a second while it changes them. */
const keysMax = 8;
const certificateCharactersMax = 65_536;
/** Anyone can send a webhook that names a certificate of PayPal, and each unknown one costs a call to PayPal. */
const fetchesPerMinute = 20;
const minuteMs = 60_000;

/**
 * Checks PayPal's signatures locally, so that a webhook needs no call to PayPal first. PayPal signs the id and time
 * of the transmission, the id of the webhook and the CRC of the body. It names the certificate by an address, which
 * must be PayPal's own. https://developer.paypal.com/api/rest/webhooks/rest
 *
 * @throws WebhookRefused; PaymentError if a certificate can't be fetched.
 */
export function createPayPalSignatures(settings: Settings): (webhook: IncomingWebhook) => Promise<void> {
  const { webhookId, timeoutMs = defaultTimeoutMs } = settings;
  const hosts = certificateOrigins(settings.apiBase);
  const keys = new Map<string, CertifiedKey>();
  const fetching = new Map<string, Promise<CertifiedKey>>();
  let minute = { endsAtMs: 0, fetches: 0 };

  async function keyOf(address: string): Promise<KeyObject> {
    const { origin, pathname, search } = addressOf(address);
    if (!hosts.has(origin) || !certificatePath.test(pathname) || search !== '') throw new WebhookRefused('signature');
    const { key, endsAtMs } = keys.get(address) ?? (await (fetching.get(address) ?? fetchOnce(address)));
    if (endsAtMs < Date.now()) throw new WebhookRefused('signature');
    return key;
  }

  function fetchOnce(address: string): Promise<CertifiedKey> {
    if (minute.endsAtMs <= Date.now()) minute = { endsAtMs: Date.now() + minuteMs, fetches: 0 };
    if (minute.fetches === fetchesPerMinute) throw new PaymentError('unavailable', 'too_many_certificates');
    minute.fetches += 1;
    const found = fetchKey(address, timeoutMs)
      .then((key) => keep(address, key))
      .finally(() => fetching.delete(address));
    fetching.set(address, found);
    return found;
  }

  /** Addresses without a certificate take no place here. */
  function keep(address: string, key: CertifiedKey): CertifiedKey {
    keys.set(address, key);
    const [oldest] = keys.keys();
    if (keys.size > keysMax && oldest !== undefined) keys.delete(oldest);
    return key;
  }

  return async ({ body, headers }) => {
    const signed = signedBy(headers);
    const sentAtMs = Date.parse(signed.time);
    if (!(Math.abs(Date.now() - sentAtMs) <= signatureToleranceSeconds * 1_000)) throw new WebhookRefused('old');
    if (signed.algorithm !== signedWith) throw new WebhookRefused('signature');
    const told = Buffer.from(`${signed.id}|${signed.time}|${webhookId}|${crc32(body)}`);
    const key = await keyOf(signed.certificate);
    if (!verify('RSA-SHA256', told, key, Buffer.from(signed.signature, 'base64')))
      throw new WebhookRefused('signature');
  };
}

/** The API, and the older name of the same host that certificates are found under. */
function certificateOrigins(apiBase: string): ReadonlySet<string> {
  const { origin } = new URL(apiBase);
  return new Set([origin, origin.replace('//api-m.', '//api.')]);
}

function signedBy(headers: IncomingWebhook['headers']): Signed {
  const entries = Object.entries(headerNames).map(([name, header]) => [name, headers[header]] as const);
  if (entries.some(([, value]) => typeof value !== 'string')) throw new WebhookRefused('unsigned');
  return Object.fromEntries(entries) as Signed;
}

function addressOf(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new WebhookRefused('signature');
  }
}

async function fetchKey(address: string, timeoutMs: number): Promise<CertifiedKey> {
  const certificate = await fetchCertificate(address, timeoutMs);
  const beginsAtMs = Date.parse(certificate.validFrom);
  if (beginsAtMs > Date.now() || certificate.publicKey.asymmetricKeyType !== 'rsa') {
    throw new WebhookRefused('signature');
  }
  return { key: certificate.publicKey, endsAtMs: Date.parse(certificate.validTo) };
}

async function fetchCertificate(address: string, timeoutMs: number): Promise<X509Certificate> {
  try {
    const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    if (!answer.ok) throw new Error(String(answer.status));
    return new X509Certificate((await answer.text()).slice(0, certificateCharactersMax));
  } catch {
    throw new PaymentError('unavailable', 'no_certificate');
  }
}
