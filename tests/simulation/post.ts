import { isSendable, type Mailer, type MailResult } from '#server/platform/mail/mailer.ts';
import type { Texter } from '#server/platform/sms/texter.ts';
import type { Random } from './random.ts';
import type { WorldTime } from './time.ts';
import type { Life, Turns } from './turns.ts';

/** What the post office did with something that was handed over. `lost`: it took it, and its answer never came. */
export type Answer = 'accepted' | 'lost' | 'later' | 'never';

/** One handing over of a mail or text, written down by the post office. */
export type Handed = {
  /** The number of the moment in which it happened. */
  moment: number;
  /** By the clocks of the service, as ISO 8601. */
  at: string;
  trueMs: number;
  upMs: number;
  channel: 'email' | 'sms';
  to: string;
  kind: MailKind;
  subject: string;
  text: string;
  messageId: string | null;
  providerId: string | null;
  answer: Answer;
};

export type MailKind =
  | 'first_reminder'
  | 'last_reminder'
  | 'asked'
  | 'early'
  | 'holding'
  | 'ask'
  | 'letter'
  | 'unreachable'
  | 'other';

/** How a person tells what has come, mails by their subject and texts by their words. */
const signs: readonly [MailKind, RegExp][] = [
  ['last_reminder', /^(Please check|Check) in before|: please check in$|our last reminder/],
  [
    'asked',
    /^We have asked|^Your messages will be delivered soon|have asked your contacts? about you|will be delivered soon\. To/,
  ],
  ['first_reminder', /\bwe have not heard from you for/i],
  ['early', /\b(somebody|a trusted contact) asked for your messages to be released/i],
  ['holding', /^Your messages will be delivered in \d|Your waiting period begins/],
  ['ask', /please tell us what you know$|you are a trusted contact of/],
  ['letter', /wrote a message for you$/],
  ['unreachable', /^We could not reach somebody/],
];

export function kindOf(words: string): MailKind {
  return signs.find(([, sign]) => sign.test(words))?.[0] ?? 'other';
}

export type Weather = {
  /** What happens to everything, while something is wrong with the post as a whole. */
  everywhere: Answer | 'silence' | null;
  /** Mailboxes that take nothing: refused for good, or for now however often it is tried. */
  mailboxes: ReadonlyMap<string, 'later' | 'never'>;
};

/** How long a server that says nothing keeps us waiting before we give up. */
const silenceMs = 60_000;
/** Now and then, for no reason, the post is as the post is. */
const mishaps: readonly [Answer, number][] = [
  ['later', 0.03],
  ['lost', 0.02],
];

type PostOptions = { turns: Turns; time: WorldTime; random: Random; weather: () => Weather };

/** The mail server and the provider of texts. They outlive every process, and keep whatever they were given. */
export function createPost({ turns, time, random, weather }: PostOptions) {
  const handed: Handed[] = [];

  function answerTo(address: string): Answer {
    const { everywhere, mailboxes } = weather();
    if (everywhere === 'silence') time.pass(silenceMs, { isUp: true });
    if (everywhere) return everywhere === 'silence' ? 'later' : everywhere;
    const refusal = mailboxes.get(address);
    if (refusal) return refusal;
    return mishaps.find(([, probability]) => random.chance(probability))?.[0] ?? 'accepted';
  }

  function take(given: Pick<Handed, 'channel' | 'to' | 'subject' | 'text' | 'messageId'>): Handed {
    const answer = answerTo(given.to);
    const isTaken = answer === 'accepted' || answer === 'lost';
    const providerId = given.channel === 'sms' && isTaken ? `SM${handed.length + 1}` : null;
    const { trueMs, upMs, moment } = time;
    const kind = kindOf(given.channel === 'sms' ? given.text : given.subject);
    const at = new Date(time.wallMs()).toISOString();
    const entry = { ...given, moment, at, trueMs, upMs, kind, providerId, answer };
    handed.push(entry);
    turns.note(`  ${given.channel} ${kind} to ${given.to}: ${answer}`);
    return entry;
  }

  const mailerOf = (life: Life): Mailer => ({
    kind: 'smtp',
    close: async () => undefined,
    send: async (mail, mayLeave) => {
      if (!isSendable(mail)) return { outcome: 'refused', replyCode: null };
      if (mayLeave && !(await mayLeave())) return { outcome: 'withheld' };
      return turns.take(life, 'mail', async (): Promise<MailResult> => {
        const { subject, text, messageId } = mail;
        const { answer } = take({ channel: 'email', to: mail.to.address, subject, text, messageId });
        if (answer === 'accepted') return { outcome: 'accepted' };
        if (answer === 'never') return { outcome: 'refused', replyCode: 550 };
        if (answer === 'later') return { outcome: 'temporary', replyCode: 451 };
        return { outcome: 'temporary', replyCode: null, mayHaveArrived: true };
      });
    },
  });

  const texterOf = (life: Life): Texter => ({
    kind: 'twilio',
    takesAnswers: true,
    close: async () => undefined,
    send: ({ to, text }) =>
      turns.take(life, 'text', async () => {
        const { answer, providerId } = take({ channel: 'sms', to, subject: '', text, messageId: null });
        if (answer === 'accepted') return { outcome: 'accepted', providerId };
        return { outcome: answer === 'never' ? 'refused' : 'temporary', replyCode: null };
      }),
  });

  return { handed: handed as readonly Handed[], mailerOf, texterOf };
}

export type Post = ReturnType<typeof createPost>;
