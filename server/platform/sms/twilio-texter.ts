import twilio from 'twilio';
import type RequestClient from 'twilio/lib/base/RequestClient.js';
import { isPhoneNumber, type Texter, type TexterSettings, type TextResult } from './texter.ts';

type TwilioSettings = NonNullable<TexterSettings['twilio']> & { timeoutMs?: number };

const defaultTimeoutMs = 20_000;

/** Sends texts through Twilio's Messages API. The library must not retry, because each text may cost money. */
export function createTwilioTexter({ timeoutMs = defaultTimeoutMs, ...settings }: TwilioSettings): Texter {
  const httpClient = settings.apiBase
    ? new ClientForOtherHost(settings.apiBase, timeoutMs)
    : new twilio.RequestClient({ timeout: timeoutMs });
  const client = twilio(settings.accountSid, settings.authToken, { httpClient, autoRetry: false });

  return {
    kind: 'twilio',
    takesAnswers: isPhoneNumber(settings.from),
    send: async ({ to, text }) => {
      if (!isPhoneNumber(to)) return { outcome: 'refused', replyCode: null };
      try {
        const message = await client.messages.create({ to, from: settings.from, body: text });
        // Without an id no later report could be matched to this text, so it does not count as accepted.
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

/** Sends Twilio's requests to the host of `base`. The library itself supports only Twilio's hosts. */
class ClientForOtherHost extends twilio.RequestClient {
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

/** Error codes of numbers that never accept a text: invalid, unreachable, opted out, not a mobile (Twilio's "Error and warning dictionary"). */
const permanentErrors = new Set([21211, 21214, 21217, 21265, 21610, 21612, 21614]);

function resultOf(error: unknown): TextResult {
  const { code } = (error ?? {}) as { code?: unknown };
  const replyCode = typeof code === 'number' ? code : null;
  return { outcome: replyCode !== null && permanentErrors.has(replyCode) ? 'refused' : 'temporary', replyCode };
}
