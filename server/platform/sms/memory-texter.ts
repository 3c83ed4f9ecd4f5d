import { isPhoneNumber, type OutgoingText, type Texter, type TextResult } from './texter.ts';

export type TextScript = (text: OutgoingText, attempt: number) => TextResult | Promise<TextResult>;

export type MemoryTexter = Texter & {
  /** Accepted and queued texts, oldest first. */
  readonly sent: readonly OutgoingText[];
  /** Sets the script that decides each further outcome. Without a script, all texts are accepted. */
  answer(script: TextScript | null): void;
  /** Sets the report on queued texts. Without one, all are delivered. */
  report(script: ((providerId: string) => TextResult) | null): void;
  clear(): void;
};

/** Keeps accepted texts in memory, for tests and the simulation. */
export function createMemoryTexter({ kind = 'twilio' }: { kind?: Texter['kind'] } = {}): MemoryTexter {
  const sent: OutgoingText[] = [];
  let script: TextScript | null = null;
  let reports: ((providerId: string) => TextResult) | null = null;
  let attempts = 0;

  return {
    kind,
    takesAnswers: kind === 'twilio',
    sent,
    answer: (next) => {
      script = next;
      attempts = 0;
    },
    report: (next) => {
      reports = next;
    },
    reportOn: async (providerId) => reports?.(providerId) ?? { outcome: 'accepted', providerId },
    clear: () => {
      sent.length = 0;
    },
    send: async (text) => {
      if (!isPhoneNumber(text.to)) return { outcome: 'refused', replyCode: null };

      attempts += 1;
      const result = script
        ? await script(text, attempts)
        : ({ outcome: 'accepted', providerId: `memory-${sent.length + 1}` } as const);
      if (result.outcome === 'accepted' || result.outcome === 'queued') sent.push(text);
      return result;
    },
    close: async () => {},
  };
}
