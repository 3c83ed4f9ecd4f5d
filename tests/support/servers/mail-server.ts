import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

/** A mail as the server took it. */
export type ReceivedMail = {
  /** Sender and recipients of the envelope. */
  envelope: { from: string; to: string[] };
  /** Every byte after DATA. */
  raw: string;
  mail: ParsedMail;
};

/** Behaviour in the next conversations. `greylist` refuses each sender and recipient once, temporarily. */
export type Behaviour =
  | { at: 'sender' | 'data'; replyCode: number; words?: string }
  /** `to` is the end of the addresses that it refuses, such as a domain. Without it, the server refuses all. */
  | { at: 'recipient'; replyCode: number; words?: string; to?: string }
  | { at: 'greylist' }
  | null;

export type TestMailServer = {
  /** For `SMTP_URL`. */
  url: string;
  port: number;
  received: ReceivedMail[];
  behave(behaviour: Behaviour): void;
  /** Cuts each connection, as a broken network does. */
  dropConnections(): void;
  close(): Promise<void>;
};

type MailServerOptions = {
  /** Runs before a recipient is taken, which is before the mail itself is asked for. */
  beforeRecipient?: (address: string) => Promise<void>;
  /** Runs when a mail is kept and its sender does not know it yet. */
  beforeAnswer?: (mail: ReceivedMail) => Promise<void>;
};

/** A real mail server on a loopback port that keeps what it is given. */
export async function startMailServer({
  beforeRecipient,
  beforeAnswer,
}: MailServerOptions = {}): Promise<TestMailServer> {
  const received: ReceivedMail[] = [];
  const greylisted = new Set<string>();
  let behaviour: Behaviour = null;

  const refusalAt = (place: 'recipient' | 'sender' | 'data') =>
    behaviour?.at === place ? replyWith(behaviour.replyCode, behaviour.words) : null;

  const server = new SMTPServer({
    // A pool of connections may outlive its test, and is not waited for.
    closeTimeout: 100,
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onMailFrom: (_address, _session, callback) => callback(refusalAt('sender')),
    onRcptTo: async (address, session, callback) => {
      await beforeRecipient?.(address.address);
      const from = session.envelope.mailFrom;
      const pair = `${from ? from.address : ''} ${address.address}`;
      if (behaviour?.at === 'greylist' && !greylisted.has(pair)) {
        greylisted.add(pair);
        callback(replyWith(451));
        return;
      }
      const isRefused = behaviour?.at === 'recipient' && address.address.endsWith(behaviour.to ?? '');
      callback(isRefused ? refusalAt('recipient') : null);
    },
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const refusal = refusalAt('data');
        if (refusal) {
          callback(refusal);
          return;
        }
        const raw = Buffer.concat(chunks);
        const { mailFrom, rcptTo } = session.envelope;
        const mail = {
          envelope: { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) },
          raw: raw.toString('utf8'),
          mail: await simpleParser(raw),
        };
        received.push(mail);
        await beforeAnswer?.(mail);
        callback();
      });
    },
  });
  // A client that goes away in the middle reports here; the test looks at what the client made of it.
  server.on('error', () => {});

  const sockets = new Set<Socket>();
  server.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    received,
    behave: (next) => {
      behaviour = next;
      greylisted.clear();
    },
    dropConnections: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/**
 * A scripted line-based server, for faults that real servers do not have. `answer` gets each line of the client (''
 * for the connection itself, '.' at the end of a mail) and returns the reply, 'close' or 'silence'.
 */
export async function startRawServer(
  answer: (line: string) => string,
): Promise<{ url: string; connections: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  let connections = 0;

  const server: Server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});

    const reply = (line: string) => {
      const words = answer(line);
      if (words === 'close') socket.destroy();
      else if (words !== 'silence' && words !== '') socket.write(`${words}\r\n`);
    };

    let rest = '';
    reply('');
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString('utf8')).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) reply(line);
    });
  });

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    get connections() {
      return connections;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Answers of a correct server, except for the lines that `replace` answers. For `startRawServer`. */
export function politely(replace: (line: string) => string | undefined): (line: string) => string {
  let isInData = false;
  return (line) => {
    if (isInData && line !== '.') return '';
    if (line === '.') isInData = false;
    const own = replace(line);
    if (own !== undefined) return own;
    if (line === '.') return '250 taken';
    if (line === '') return '220 ready';
    if (line === 'DATA') {
      isInData = true;
      return '354 go on';
    }
    return '250 ok';
  };
}

function replyWith(responseCode: number, words = responseCode >= 500 ? 'Not here' : 'Not now'): Error {
  return Object.assign(new Error(words), { responseCode });
}
