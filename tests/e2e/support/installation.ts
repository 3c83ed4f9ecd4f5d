import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A mail or text as the outbox shows it. */
export type Sent = {
  id: string;
  to: { address: string; name?: string };
  subject: string;
  text: string;
  links: string[];
  createdAt: string;
};

/** A whole Everkept of its own: server, worker and database, in a directory that goes away with it. */
export type Installation = {
  url: string;
  dataDir: string;
  /** Output of the process so far, by line. */
  log: readonly string[];
  /** Everything sent so far, newest first. */
  outbox(): Promise<Sent[]>;
  /** Waits for a mail to this address whose subject matches; the newest one wins. */
  mailTo(address: string, subject: RegExp): Promise<Sent>;
  /** Runs the operator's command against the same data directory; rejects when it fails. */
  everkept(...words: string[]): Promise<string>;
  /** Ends the process and leaves the data where it is. */
  end(signal: NodeJS.Signals): Promise<void>;
  kill(): Promise<void>;
  /** Ends the process and removes its data. */
  stop(): Promise<void>;
};

/** Empty values win over a developer's `.env`: a journey must never send real mail or write to a real database. */
const noRealDoors = Object.fromEntries(
  [
    'DATABASE_URL',
    'SMTP_URL',
    'SMTP_SERVICE',
    'TWILIO_ACCOUNT_SID',
    'TWILIO_AUTH_TOKEN',
    'TWILIO_FROM',
    'GOOGLE_CLIENT_ID',
    'GOOGLE_CLIENT_SECRET',
    'GOOGLE_ISSUER',
    'BASE_URL',
    'ROLE',
  ].map((name) => [name, '']),
);

/** Support address on the pages of a journey. */
export const operatorEmail = 'hello@vault.example';

/** A first start builds the web pages. */
const startTimeoutMs = 300_000;
const mailTimeoutMs = 120_000;
const pollMs = 150;

/** Starts at a free port, unless a certain one is expected. */
export async function startInstallation(
  extra: Record<string, string> = {},
  { at }: { at?: number } = {},
): Promise<Installation> {
  const dataDir = extra.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'everkept-e2e-')));
  const port = at ?? (await freePort());
  const url = `http://localhost:${port}`;
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    NODE_ENV: 'production',
    PORT: String(port),
    DATA_DIR: dataDir,
    TEST_CLOCK: '1',
    TICK_SECONDS: '1',
    DRAIN_SECONDS: '0',
    LOG_LEVEL: 'warn',
    MAIL_FROM: `Everkept <${operatorEmail}>`,
    ...noRealDoors,
    ...extra,
  };
  const child = spawn(process.execPath, ['server/start.mjs', 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => output.push(line));
  await ready(url, child, output);

  /** The outbox has pages, and a journey's mail may be on an older one. */
  async function outbox(): Promise<Sent[]> {
    const all = new Map<string, Sent>();
    for (let page = 1; ; page += 1) {
      const response = await fetch(`${url}/outbox.json?page=${page}`);
      if (!response.ok) throw new Error(`The outbox answered ${response.status}.`);
      const sent = (await response.json()) as Sent[];
      if (sent.length === 0) return [...all.values()];
      // New mails move others to the next page, where they are seen again.
      for (const mail of sent) all.set(mail.id, mail);
    }
  }

  async function mailTo(address: string, subject: RegExp): Promise<Sent> {
    const deadline = Date.now() + mailTimeoutMs;
    while (Date.now() < deadline) {
      const found = (await outbox()).find((mail) => mail.to.address === address && subject.test(mail.subject));
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
    const seen = (await outbox()).map((mail) => `${mail.to.address}: ${mail.subject}`).join('\n');
    throw new Error(`No mail to ${address} matching ${subject}. Seen:\n${seen}\n${output.slice(-20).join('\n')}`);
  }

  async function everkept(...words: string[]): Promise<string> {
    const command = spawn(process.execPath, ['server/start.mjs', ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    command.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    command.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const [code] = (await once(command, 'close')) as [number | null];
    if (code !== 0) throw new Error(`everkept ${words.join(' ')} ended with ${code}:\n${text}`);
    return text;
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.kill(signal);
    await closed;
  }

  return {
    url,
    dataDir,
    log: output,
    outbox,
    mailTo,
    everkept,
    end,
    kill: () => end('SIGKILL'),
    stop: async () => {
      await end('SIGTERM');
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

async function ready(url: string, child: ChildProcess, output: string[]): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`The server ended while starting:\n${output.join('\n')}`);
    const answered = await fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  child.kill('SIGKILL');
  throw new Error(`The server was not ready in time:\n${output.join('\n')}`);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port was given.');
  server.close();
  await once(server, 'close');
  return address.port;
}
