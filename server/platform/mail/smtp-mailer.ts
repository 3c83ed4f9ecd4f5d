import { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import { insecureAllowed, isLoopback } from '#server/platform/loopback.ts';
import { parseMailAddress } from './addresses.ts';
import { saysMailboxIsClosed, speaksOfMailbox } from './mail-codes.ts';
import {
  isSendable,
  type Mailer,
  type MailResult,
  type MayLeave,
  type OutgoingMail,
  smtpServiceScheme,
} from './mailer.ts';
import { messageOf } from './smtp-message.ts';

export type SmtpMailerOptions = {
  /** `smtp://user:password@host:port`, or `smtps://…` for TLS from the first byte. */
  url: string;
  /** The sender of mails that name none. */
  from: string;
  timeouts?: Partial<SmtpTimeouts>;
};

export type SmtpTimeouts = {
  connectMs: number;
  greetingMs: number;
  /** The longest silence of the server in the middle of a conversation. */
  silenceMs: number;
  /** The longest a whole mail may take, however slowly the server goes on talking. */
  wholeMs: number;
};

const defaultTimeouts: SmtpTimeouts = { connectMs: 10_000, greetingMs: 15_000, silenceMs: 60_000, wholeMs: 120_000 };

/** Highest number of connections to the server. Further mails wait in this process. */
const smtpConnections = 6;
/** After so many mails a connection is changed for a new one; many servers end it at a hundred. */
const mailsPerConnection = 100;
/** Number of times that a mail changes its connection, if a pooled one turns out closed before any byte was sent. */
const connectionChanges = 2;

type SmtpServer = { url: string; requireTLS: boolean };

/** A provider by a name that the library does not know. */
export class MailServiceError extends Error {
  override readonly name = 'MailServiceError';
  readonly isForOperator = true;

  constructor(service: string) {
    super(
      `SMTP_SERVICE names no mail provider that is known here: ${service}. Set SMTP_URL to the address of its mail server instead.`,
    );
  }
}

/**
 * Server for outgoing mail, and its TLS mode. `smtps://` always uses TLS. `smtp://` to another machine requires
 * STARTTLS (RFC 3207), since mails hold links that open things and an attacker could strip the offer.
 *
 * @throws MailServiceError
 */
function serverOf(url: string): SmtpServer {
  if (url.startsWith(smtpServiceScheme)) return { url: addressOfService(new URL(url)), requireTLS: true };
  const { address, isAllowed } = insecureAllowed(url);
  return { url: address, requireTLS: !isAllowed && !isLoopback(new URL(address).hostname) };
}

/** Host and port as the library knows them by the provider's name. */
function addressOfService({ hostname, username, password }: URL): string {
  const service = decodeURIComponent(hostname);
  const { options: known } = createTransport({ service }).transporter as unknown as {
    options: { host?: string; port?: number; secure?: boolean };
  };
  if (known.host === undefined || known.host === 'localhost') throw new MailServiceError(service);
  return `${known.secure ? 'smtps' : 'smtp'}://${username}:${password}@${known.host}:${known.port ?? 587}`;
}

/** Greets the server, signs in and leaves. Throws where that does not work. */
export async function checkSmtp(url: string): Promise<void> {
  const { connectMs, greetingMs } = defaultTimeouts;
  const transport = createTransport({
    ...serverOf(url),
    connectionTimeout: connectMs,
    greetingTimeout: greetingMs,
    socketTimeout: greetingMs,
  });
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

/**
 * Sends through an SMTP server (RFC 5321), over a few connections that are kept. TLS is used whenever the server
 * offers it, and its certificate is checked; see `serverOf` for where it has to be.
 */
export function createSmtpMailer({ url, from, timeouts = {} }: SmtpMailerOptions): Mailer {
  const { connectMs, greetingMs, silenceMs, wholeMs } = { ...defaultTimeouts, ...timeouts };
  const defaultFrom = parseMailAddress(from);
  const underWay = new Set<Promise<MailResult>>();

  const transport = createTransport({
    ...serverOf(url),
    pool: true,
    maxConnections: smtpConnections,
    maxMessages: mailsPerConnection,
    maxRequeues: connectionChanges,
    connectionTimeout: connectMs,
    greetingTimeout: greetingMs,
    socketTimeout: silenceMs,
  });
  // A failed connection reports to its own mail. An event without a listener would end the process.
  transport.on('error', () => {});

  transport.use('stream', ({ data, message }, done) => {
    const { gate } = data as { gate?: Gate };
    if (gate) message.processFunc((bytes) => Readable.from(behind(gate, bytes)));
    done();
  });

  const send = async (mail: OutgoingMail, mayLeave?: MayLeave): Promise<MailResult> => {
    if (!isSendable(mail)) return { outcome: 'refused', replyCode: null };

    const sender = mail.from ?? defaultFrom;
    const gate: Gate = { mayLeave: mayLeave ?? (async () => true), answer: 'none' };
    const message = {
      ...messageOf(mail, sender),
      envelope: { from: mail.returnPath ?? sender.address, to: [mail.to.address] },
      signal: AbortSignal.timeout(wholeMs),
      gate,
    };

    try {
      await transport.sendMail(message);
      return { outcome: 'accepted' };
    } catch (error) {
      if (gate.answer === 'no') return { outcome: 'withheld' };
      return resultOf(error, gate.answer === 'yes');
    }
  };

  return {
    kind: 'smtp',
    send: async (mail, mayLeave) => {
      const sending = send(mail, mayLeave);
      underWay.add(sending);
      try {
        return await sending;
      } finally {
        underWay.delete(sending);
      }
    },
    close: async () => {
      await Promise.all(underWay);
      transport.close();
    },
  };
}

type Gate = { mayLeave: MayLeave; answer: 'none' | 'yes' | 'no' };

/**
 * Bytes of a mail, gated by the question whether it may leave. The library reads them after the server's 354 to DATA
 * (RFC 5321, section 4.1.1.4), because the steps before may take minutes. If the gate refuses, the connection is
 * dropped without the final line, so that the server has no mail to deliver.
 */
async function* behind(gate: Gate, bytes: Readable): AsyncGenerator<Buffer> {
  gate.answer = (await gate.mayLeave()) ? 'yes' : 'no';
  if (gate.answer === 'no') throw new Error('It is not to leave any more.');
  yield* bytes;
}

type SmtpFailure = { code?: unknown; command?: unknown; responseCode?: unknown; response?: unknown };

/** The enhanced status code behind the reply code, such as 5.1.1 (RFC 2034, section 4). */
const enhancedCodeInReply = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/;

/**
 * A refusal is permanent only if it concerns the mailbox. Others are temporary: wrong password, refused sender,
 * policy, TLS, silence.
 */
function resultOf(error: unknown, hasBegun: boolean): MailResult {
  const { code, command, responseCode, response } = (error ?? {}) as SmtpFailure;
  const replyCode = typeof responseCode === 'number' ? responseCode : null;
  if (replyCode === null) return { outcome: 'temporary', replyCode, ...(hasBegun ? { mayHaveArrived: true } : {}) };
  const enhanced = typeof response === 'string' ? enhancedCodeInReply.exec(response)?.[1] : undefined;
  const at = refusedAt(code, command);
  const reply = { replyCode, enhanced, words: typeof response === 'string' ? response : undefined };
  if (at && saysMailboxIsClosed(reply, at)) return { outcome: 'refused', replyCode };
  const isOfMailbox = at !== null && speaksOfMailbox(reply, at);
  // Greylisting (RFC 6647) says 4.7.1 as well, of one mail, whose next attempt gets through.
  const isGreylisted = typeof response === 'string' && /gr[ae]y/i.test(response);
  const isTooFast = replyCode === 421 || (enhanced?.startsWith('4.7.') === true && !isGreylisted);
  return {
    outcome: 'temporary',
    replyCode,
    ...(isOfMailbox ? {} : { isTrouble: true }),
    ...(isTooFast ? { isTooFast } : {}),
  };
}

/** Null if the server refused something other than the recipient or the mail, such as our sign-in. */
function refusedAt(code: unknown, command: unknown): 'rcpt' | 'data' | null {
  if (code === 'EENVELOPE' && command === 'RCPT TO') return 'rcpt';
  return code === 'EMESSAGE' ? 'data' : null;
}
