/** One text to one phone. */
export type OutgoingText = {
  /** E.164, with the plus: +447700900123. */
  to: string;
  text: string;
};

/** `accepted`: the provider answered with an id. `refused`: it will never take a text to this number. */
export type TextResult =
  | { outcome: 'accepted'; providerId: string | null }
  | {
      outcome: 'temporary' | 'refused';
      /** The provider's error number, such as 21211; null when it gave none. */
      replyCode: number | null;
    };

export type Texter = {
  /** Never throws: whatever happens on the way is an outcome. */
  send(text: OutgoingText): Promise<TextResult>;
  /** `outbox`: nothing leaves this machine, the rows are what there is to read. */
  readonly kind: 'twilio' | 'outbox';
  /** True if people can answer: a sender name can't be written to, and neither can the outbox. */
  readonly takesAnswers: boolean;
  close(): Promise<void>;
};

export type TexterSettings = {
  /** Left out, texts stay in the outbox. */
  twilio?:
    | {
        accountSid: string;
        authToken: string;
        /** The number or sender name texts come from. */
        from: string;
        /** Another address than https://api.twilio.com, for a stand-in. */
        apiBase?: string | undefined;
      }
    | undefined;
};

/** The texter these settings ask for. Twilio's library is loaded only when it is needed. */
export async function openTexter({ twilio }: TexterSettings): Promise<Texter> {
  if (twilio === undefined) return createOutboxTexter();

  const { createTwilioTexter } = await import('./twilio-texter.ts');
  return createTwilioTexter(twilio);
}

/** Accepts at once. The rows that hold the texts are the outbox. */
export function createOutboxTexter(): Texter {
  return {
    kind: 'outbox',
    takesAnswers: false,
    send: async ({ to }) =>
      isPhoneNumber(to) ? { outcome: 'accepted', providerId: null } : { outcome: 'refused', replyCode: null },
    close: async () => {},
  };
}

/** True for one number in the form of E.164. */
export function isPhoneNumber(phone: string): boolean {
  return /^\+[1-9][0-9]{6,14}$/.test(phone);
}
