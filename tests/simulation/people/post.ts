import { isSendable, type Mailer, type MailResult } from '#server/platform/mail/mailer.ts';
import type { Texter } from '#server/platform/sms/texter.ts';
import type { Random } from '#tests/simulation/random.ts';
import type { MailboxTrouble } from '#tests/simulation/scenario.ts';
import type { WorldTime } from '#tests/simulation/time.ts';
import type { Life, Turns } from '#tests/simulation/turns.ts';
import type { When } from './notes.ts';

/**
 * Result of a mail at the mail server. `lost`: accepted, but the answer never came. `later`: refused temporarily. The
 * others concern a mailbox: full, closed, or refusing us by policy.
 */
export type Answer = 'accepted' | 'lost' | 'later' | 'full' | 'never' | 'policy';

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
  /** The post as a whole was in trouble. */
  isStorm: boolean;
  /** Return path for a bounce. */
  returnPath: string | null;
  /** Time when it bounced, and we learned that it no longer counts. */
  bounced: When | null;
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

/** Kinds of messages as people tell them apart: mails by subject, texts by words. */
const signs: readonly [MailKind, RegExp][] = [
  ['last_reminder', /^(Please check|Check) in before|: please check in$|our last reminder/],
  [
    'asked',
    /^We have asked|^Your messages will be delivered soon|have asked your contacts? about you|will be delivered soon\. To/,
  ],
  ['first_reminder', /\bwe have not heard from you for/i],
  ['early', /\b(somebody|a trusted contact) asked for your messages to be released/i],
  ['holding', /^Your messages (will be delivered in \d|are about to be delivered)|Your waiting period begins/],
  ['ask', /please tell us what you know$|you are a trusted contact of/],
  ['letter', /wrote (a message|\d+ messages) for you$/],
  ['unreachable', /^We could not reach somebody/],
];

export function kindOf(words: string): MailKind {
  return signs.find(([, sign]) => sign.test(words))?.[0] ?? 'other';
}

export type Weather = {
  /** Answer to all mail while the mail server as a whole is in trouble. */
  everywhere: Answer | 'silence' | null;
  /** Servers take minutes to answer now and then. */
  isSlow: boolean;
};

/** Time that a silent server delays us before we time out. */
const silenceMs = 60_000;
/** Probability and longest delay of a slow server, below our time-out. */
const slowChance = 0.1;
const slowMaxMs = 2 * 60_000;
const slowStepMs = 20_000;
/** Replies about a mailbox (RFC 3463), after RCPT and so before any byte of the mail. */
const replies: Record<MailboxTrouble['answer'], MailResult> = {
  full: { outcome: 'temporary', replyCode: 452 },
  never: { outcome: 'refused', replyCode: 550 },
  policy: { outcome: 'temporary', replyCode: 550, isTrouble: true },
};
/** Now and then, for no reason, the post is as the post is. */
const mishaps: readonly [Answer, number][] = [
  ['later', 0.03],
  ['lost', 0.02],
];

type PostOptions = {
  turns: Turns;
  time: WorldTime;
  random: Random;
  /** Lots of their own, for servers that are slow. */
  slowness: Random;
  weather: () => Weather;
  /** Present trouble of a mailbox that accepts nothing. */
  troubleOf: (address: string) => MailboxTrouble['answer'] | null;
};

/** The mail server and the provider of texts. They outlive every process, and keep whatever they were given. */
export function createPost({ turns, time, random, slowness, weather, troubleOf }: PostOptions) {
  const handed: Handed[] = [];
  let waits = 0;

  /** Others go on meanwhile, and may do what this very mail is about. */
  async function waitFor(life: Life): Promise<void> {
    if (!weather().isSlow || !slowness.chance(slowChance)) return;
    waits += 1;
    const untilMs = time.trueMs + slowness.below(slowMaxMs);
    // Time that goes by for one of several servers goes by for all of them.
    while (time.trueMs < untilMs) {
      await turns.take(life, 'waits for a slow server', async () =>
        time.pass(Math.max(0, Math.min(slowStepMs, untilMs - time.trueMs)), { isUp: true }),
      );
    }
  }

  function answerTo(address: string): Answer {
    const { everywhere } = weather();
    if (everywhere === 'silence') time.pass(silenceMs, { isUp: true });
    if (everywhere) return everywhere === 'silence' ? 'later' : everywhere;
    const refusal = troubleOf(address);
    if (refusal) return refusal;
    return mishaps.find(([, probability]) => random.chance(probability))?.[0] ?? 'accepted';
  }

  function take(given: Pick<Handed, 'channel' | 'to' | 'subject' | 'text' | 'messageId' | 'returnPath'>): Handed {
    const isStorm = weather().everywhere !== null;
    const answer = answerTo(given.to);
    const isTaken = answer === 'accepted' || answer === 'lost';
    const providerId = given.channel === 'sms' && isTaken ? `SM${handed.length + 1}` : null;
    const { trueMs, upMs, moment } = time;
    const kind = kindOf(given.channel === 'sms' ? given.text : given.subject);
    const at = new Date(time.wallMs()).toISOString();
    const entry = { ...given, moment, at, trueMs, upMs, kind, providerId, answer, isStorm, bounced: null };
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
      await waitFor(life);
      return turns.take(life, 'mail', async (): Promise<MailResult> => {
        const { subject, text, messageId, returnPath = null } = mail;
        const { answer } = take({ channel: 'email', to: mail.to.address, subject, text, messageId, returnPath });
        if (answer === 'accepted') return { outcome: 'accepted' };
        if (answer === 'later') return { outcome: 'temporary', replyCode: 451 };
        if (answer === 'lost') return { outcome: 'temporary', replyCode: null, mayHaveArrived: true };
        return replies[answer];
      });
    },
  });

  const texterOf = (life: Life): Texter => ({
    kind: 'twilio',
    takesAnswers: true,
    close: async () => undefined,
    reportOn: async (providerId) => ({ outcome: 'accepted', providerId }),
    send: ({ to, text }) =>
      turns.take(life, 'text', async () => {
        const { answer, providerId } = take({
          channel: 'sms',
          to,
          subject: '',
          text,
          messageId: null,
          returnPath: null,
        });
        if (answer === 'accepted') return { outcome: 'accepted', providerId };
        return { outcome: answer === 'never' ? 'refused' : 'temporary', replyCode: null };
      }),
  });

  /** `waits`: how often a server was slow. */
  return { handed: handed as readonly Handed[], waits: () => waits, mailerOf, texterOf };
}

export type Post = ReturnType<typeof createPost>;
