import twilio from 'twilio';
import type RequestClient from 'twilio/lib/base/RequestClient.js';
import { isPhoneNumber, type Texter, type TexterSettings, type TextResult } from './texter.ts';

type TwilioSettings = NonNullable<TexterSettings['twilio']> & { timeoutMs?: number };

const defaultTimeoutMs = 20_000;

/** Sends through Twilio's Messages API. A text may be priced by the piece, so nothing is repeated by the library itself. */
export function createTwilioTexter({ timeoutMs = defaultTimeoutMs, ...settings }: TwilioSettings): Texter {
  const httpClient = settings.apiBase
    ? new ClientForBase(settings.apiBase, timeoutMs)
    : new twilio.RequestClient({ timeout: timeoutMs });
  const client = twilio(settings.accountSid, settings.authToken, { httpClient, autoRetry: false });

  return {
    kind: 'twilio',
    takesAnswers: isPhoneNumber(settings.from),
    send: async ({ to, text }) => {
      if (!isPhoneNumber(to)) return { outcome: 'refused', replyCode: null };
      try {
        const message = await client.messages.create({ to, from: settings.from, body: text });
        // Without an id the provider has taken nothing that could be asked for later.
        return message.sid
          ? { outcome: 'accepted', providerId: message.sid }
          : { outcome: 'temporary', replyCode: null };
      } catch (error) {
        return resultOf(error);
      }
    },
    close: async () => {},
  };
}

/** The library knows Twilio's own hosts only; this one keeps path and query and goes to another. */
class ClientForBase extends twilio.RequestClient {
  readonly #base: URL;

  constructor(base: string, timeoutMs: number) {
    super({ timeout: timeoutMs });
    this.#base = new URL(base);
  }

  override async request<TData>(options: RequestClient.RequestOptions<TData>) {
    const target = new URL(options.uri);
    target.protocol = this.#base.protocol;
    target.host = this.#base.host;
    return super.request<TData>({ ...options, uri: target.href });
  }
}

/**
 * Permanent errors of a number (Twilio, "Error and warning dictionary"): invalid, no route, stopped by its holder,
 * not a mobile.
 */
const refusedForGood = new Set([21211, 21214, 21217, 21265, 21610, 21612, 21614]);

function resultOf(error: unknown): TextResult {
  const { code } = (error ?? {}) as { code?: unknown };
  const replyCode = typeof code === 'number' ? code : null;
  return { outcome: replyCode !== null && refusedForGood.has(replyCode) ? 'refused' : 'temporary', replyCode };
}
