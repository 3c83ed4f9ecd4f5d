import { z } from 'zod';
import { withoutEnd } from '#shared/text-ends.ts';
import { PaymentError } from './payments.ts';

export type PayPalClient = {
  /** Calls the REST API and gives the answer as `answer` reads it. @throws PaymentError */
  call<T>(request: PayPalRequest<T>): Promise<T>;
};

export type PayPalRequest<T> = {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
  /** `PayPal-Request-Id`: a repeated call with the same one does nothing twice. */
  requestId?: string;
  answer: z.ZodType<T>;
};

export const payPalLive = 'https://api-m.paypal.com';
const defaultTimeoutMs = 15_000;
/** A token is renewed so long before it ends. */
const tokenMarginMs = 60_000;
/** Calls that can be repeated are tried so often. */
const triesMax = 3;
const retryAfterMs = 250;

const tokenSchema = z.object({ access_token: z.string(), expires_in: z.number() });
const errorSchema = z.object({ name: z.string().optional(), error: z.string().optional() });

type Settings = {
  clientId: string;
  clientSecret: string;
  apiBase?: string | undefined;
  timeoutMs?: number | undefined;
};

/** PayPal's own library knows PayPal's hosts only, so this is `fetch` with a token. https://developer.paypal.com/api/rest */
export function createPayPalClient(settings: Settings): PayPalClient {
  const base = withoutEnd(settings.apiBase ?? payPalLive, '/');
  let token: { value: string; endsAtMs: number } | null = null;

  async function send(path: string, init: RequestInit): Promise<Response> {
    try {
      const signal = AbortSignal.timeout(settings.timeoutMs ?? defaultTimeoutMs);
      return await fetch(`${base}${path}`, { ...init, redirect: 'error', signal });
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new PaymentError('unavailable', cause instanceof Error ? codeOf(cause) : 'unknown');
    }
  }

  async function accessToken(): Promise<string> {
    if (token && token.endsAtMs > Date.now()) return token.value;
    const credentials = Buffer.from(`${settings.clientId}:${settings.clientSecret}`).toString('base64');
    const response = await send('/v1/oauth2/token', {
      method: 'POST',
      headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    });
    const given = await read(response, tokenSchema);
    token = { value: given.access_token, endsAtMs: Date.now() + given.expires_in * 1_000 - tokenMarginMs };
    return token.value;
  }

  async function attempt<T>({ method, path, body, requestId, answer }: PayPalRequest<T>): Promise<T> {
    const headers = {
      authorization: `Bearer ${await accessToken()}`,
      'content-type': 'application/json',
      prefer: 'return=representation',
      ...(requestId ? { 'paypal-request-id': requestId } : {}),
    };
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const response = await send(path, { method, headers, ...(payload === undefined ? {} : { body: payload }) });
    if (response.status === 401) token = null;
    return read(response, answer);
  }

  return {
    async call(request) {
      const isRepeatable = request.method === 'GET' || request.requestId !== undefined;
      for (let tried = 1; ; tried += 1) {
        try {
          return await attempt(request);
        } catch (error) {
          const isWorthIt = error instanceof PaymentError && error.failure === 'unavailable' && isRepeatable;
          if (!isWorthIt || tried === triesMax) throw error;
          await new Promise((resolve) => setTimeout(resolve, retryAfterMs * tried));
        }
      }
    },
  };
}

async function read<T>(response: Response, schema: z.ZodType<T>): Promise<T> {
  const text = await response.text();
  const body = parsed(text);
  if (!response.ok) {
    const { name, error } = errorSchema.safeParse(body).data ?? {};
    const isRefusal = response.status >= 400 && response.status < 500 && ![401, 408, 429].includes(response.status);
    throw new PaymentError(isRefusal ? 'refused' : 'unavailable', name ?? error ?? String(response.status));
  }
  const answer = schema.safeParse(body);
  if (!answer.success) throw new PaymentError('unavailable', 'unexpected_answer');
  return answer.data;
}

function parsed(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
