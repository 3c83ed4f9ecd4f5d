/** One text to one phone. */
export type OutgoingText = {
  /** E.164, with the plus: +447700900123. */
  to: string;
  text: string;
};

/**
 * - `accepted`: the provider reported the text as delivered.
 * - `queued`: the provider has the text and has not reported its end.
 * - `undelivered`: the provider gave up, and another text may arrive.
 * - `temporary`: the provider did not take the text.
 * - `refused`: this number will never accept a text.
 */
export type TextResult =
  | { outcome: 'accepted'; providerId: string | null }
  | { outcome: 'queued'; providerId: string }
  | Failed<'undelivered'>
  | Failed<'temporary' | 'refused'>;

type Failed<Outcome> = {
  outcome: Outcome;
  /** The provider's error number, such as 21211; null if it gave none. */
  replyCode: number | null;
};

export type Texter = {
  /** Never throws. Every failure is an outcome. */
  send(text: OutgoingText): Promise<TextResult>;
  /** Asks the provider for its report on a queued text. Never throws. It is `queued` if there is no answer. */
  reportOn(providerId: string): Promise<TextResult>;
  /** `outbox`: no text is sent. The operator reads the rows on the page of the outbox. */
  readonly kind: 'twilio' | 'outbox';
  /** True if people can answer. They can't answer a sender name or the outbox. */
  readonly takesAnswers: boolean;
  close(): Promise<void>;
};

export type TexterSettings = {
  /** Without it, texts stay in the outbox. */
  twilio?:
    | {
        accountSid: string;
        authToken: string;
        /** Number or sender name that texts come from. */
        from: string;
        /** Replaces the host https://api.twilio.com, such as in tests. Its path is ignored. */
        apiBase?: string | undefined;
      }
    | undefined;
};

/** Creates the texter for these settings. Twilio's library is loaded only if it is needed. */
export async function openTexter({ twilio }: TexterSettings): Promise<Texter> {
  if (twilio === undefined) return createOutboxTexter();

  const { createTwilioTexter } = await import('./twilio-texter.ts');
  return createTwilioTexter(twilio);
}

/** Accepts every text immediately. The stored rows are the outbox. */
export function createOutboxTexter(): Texter {
  return {
    kind: 'outbox',
    takesAnswers: false,
    send: async ({ to }) =>
      isPhoneNumber(to) ? { outcome: 'accepted', providerId: null } : { outcome: 'refused', replyCode: null },
    reportOn: async (providerId) => ({ outcome: 'accepted', providerId }),
    close: async () => {},
  };
}

/** True for one number in the form of E.164. */
export function isPhoneNumber(phone: string): boolean {
  return /^\+[1-9][0-9]{6,14}$/.test(phone);
}
