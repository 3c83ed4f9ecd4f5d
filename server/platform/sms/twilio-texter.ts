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
        // Without an id there is no report to ask for, so it does not count as queued.
        return message.sid ? { outcome: 'queued', providerId: message.sid } : { outcome: 'temporary', replyCode: null };
      } catch (error) {
        return resultOf(error);
      }
    },
    reportOn: async (providerId) => {
      try {
        const { status, errorCode } = await client.messages(providerId).fetch();
        if (deliveredStatuses.has(status)) return { outcome: 'accepted', providerId };
        if (!failedStatuses.has(status)) return { outcome: 'queued', providerId };
        const isPermanent = errorCode !== null && permanentErrors.has(errorCode);
        return { outcome: isPermanent ? 'refused' : 'undelivered', replyCode: errorCode };
      } catch (error) {
        const replyCode = codeOf(error);
        return replyCode === unknownMessage ? { outcome: 'undelivered', replyCode } : { outcome: 'queued', providerId };
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

/** Final statuses of a text (Twilio's "Message resource"). All others may still change. */
const deliveredStatuses: ReadonlySet<string> = new Set(['delivered', 'read']);
const failedStatuses: ReadonlySet<string> = new Set(['undelivered', 'failed', 'canceled']);

/** Twilio has no message of this id. */
const unknownMessage = 20_404;

/**
 * Error codes of numbers that never accept a text: invalid, unreachable, opted out, unknown, not a mobile (Twilio's
 * "Error and warning dictionary").
 */
const permanentErrors: ReadonlySet<number> = new Set([
  21_211, 21_214, 21_217, 21_265, 21_610, 21_612, 21_614, 30_005, 30_006,
]);

function resultOf(error: unknown): TextResult {
  const replyCode = codeOf(error);
  return { outcome: replyCode !== null && permanentErrors.has(replyCode) ? 'refused' : 'temporary', replyCode };
}

function codeOf(error: unknown): number | null {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'number' ? code : null;
}
