import { isSendable, type Mailer, type MailResult, type OutgoingMail } from './mailer.ts';

/** A test's answer of the server to a mail. It may wait, and it may throw like a broken driver. */
export type MailScript = (mail: OutgoingMail, attempt: number) => MailResult | Promise<MailResult>;

export type MemoryMailer = Mailer & {
  /** Accepted mails, oldest first. A mail that was sent twice appears twice. */
  readonly sent: readonly OutgoingMail[];
  /** Whatever was tried, accepted or not. */
  readonly tried: readonly OutgoingMail[];
  /** From now on every mail meets this script; without one, all are accepted. */
  answer(script: MailScript | null): void;
  clear(): void;
};

/** Keeps what it is given. For tests and the simulation. */
export function createMemoryMailer({ kind = 'smtp' }: { kind?: Mailer['kind'] } = {}): MemoryMailer {
  const sent: OutgoingMail[] = [];
  const tried: OutgoingMail[] = [];
  let script: MailScript | null = null;
  let lastAsked: Promise<unknown> = Promise.resolve();

  return {
    kind,
    sent,
    tried,
    answer: (next) => {
      script = next;
    },
    clear: () => {
      sent.length = 0;
      tried.length = 0;
    },
    send: async (mail, mayLeave) => {
      if (!isSendable(mail)) return { outcome: 'refused', replyCode: null };
      // One after the other, so that parallel mails keep the order in which they were handed over.
      const asked = lastAsked.then(() => mayLeave?.() ?? true);
      lastAsked = asked.catch(() => undefined);
      if (!(await asked)) return { outcome: 'withheld' };

      tried.push(mail);
      const attempt = tried.filter(({ messageId }) => messageId === mail.messageId).length;
      const result = script ? await script(mail, attempt) : ({ outcome: 'accepted' } as const);
      if (result.outcome === 'accepted') sent.push(mail);
      return result;
    },
    close: async () => {},
  };
}
