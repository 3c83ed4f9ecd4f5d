import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { deliveryEmail } from '#server/features/delivery/mails/delivery.emails.ts';
import { loadMasterKeys } from '#server/platform/crypto/master-key.ts';
import { type Database, openDatabase } from '#server/platform/db/database.ts';
import { startEmbeddedPostgres } from '#server/platform/db/embedded/launcher.ts';
import { type AskedOwner, createAskedOwners } from '#tests/support/asked-owners.ts';
import { type Figure, ms, ratio, ratioBelow } from './figure.ts';
import { createOwners } from './owners.ts';
import { type Site, startSite } from './site.ts';

const lettersEach = 100;
const goals = { mailRatio: 0.7, p99Ratio: 2 };
/** As many as the service has. */
const smtpConnections = 6;
/** With 2,000 reads a p99 stands on the twenty slowest. */
const readsWanted = 2_000;
const readersPerSecond = 40;
const pollMs = 100;
/** A release that is this slow is a broken one. */
const longestMs = 30 * 60_000;

type Sink = { url: string; seen(): Promise<{ taken: number; lastAtMs: number }>; stop(): Promise<void> };

/** Letters of many owners at once: mails a second beside a bare pooled client, and what people at the site feel of it. */
export async function releaseFigures({ letters, isSmall }: { letters: number; isSmall: boolean }): Promise<Figure[]> {
  const quietSeconds = (isSmall ? readsWanted / 10 : readsWanted) / readersPerSecond;
  const sink = await startSink();
  const mail = { SMTP_URL: sink.url, MAIL_FROM: 'Everkept <hello@everkept.example>' };
  const site = await startSite(mail, { apart: true });
  // The site's database: a second starter gets the running one.
  const postgres = await startEmbeddedPostgres({ dataDir: site.dataDir });
  const { db, close } = openDatabase({ connection: postgres.connection, maxConnections: 2, onError: rethrow });
  try {
    const cookies = await createOwners(db, { dataDir: site.dataDir, count: 32 });
    const owners = await createAskedOwners(db, {
      masterKeys: await loadMasterKeys({ dataDir: site.dataDir }),
      count: Math.ceil(letters / lettersEach),
      name: 'bench',
      contactsEach: 1,
      lettersEach,
      at: new Date(),
    });
    await db.execute('analyze');

    const bare = await bareRate(sink, letters);
    await readWhile(site, cookies, sleep(2_000));
    const quiet = await readWhile(site, cookies, sleep(quietSeconds * 1_000));
    const releasing = release(db, { site, sink, owners });
    const busy = await readWhile(site, cookies, releasing);
    return figuresOf({ letters, bare, ours: await releasing, quiet, busy });
  } finally {
    await close();
    await postgres.stop();
    await site.stop();
    await sink.stop();
  }
}

type Rates = { letters: number; bare: number; ours: number; quiet: readonly number[]; busy: readonly number[] };

function figuresOf({ letters, bare, ours, quiet, busy }: Rates): Figure[] {
  const p99 = { quiet: p99Of(quiet), busy: p99Of(busy) };
  return [
    ratio(`${letters} letters released, ratio to nodemailer's pool alone`, ours, bare, goals.mailRatio),
    { what: '  mails a second (alone)', figure: `${ours.toFixed(0)} (${bare.toFixed(0)})` },
    ratioBelow('p99 of GET /api/messages during a release : without', p99.busy, p99.quiet, goals.p99Ratio),
    { what: '  during, without', figure: `${ms(p99.busy)}, ${ms(p99.quiet)}` },
    { what: '  reads measured during, without', figure: `${busy.length}, ${quiet.length}` },
  ];
}

async function startSink(): Promise<Sink> {
  const child = fork('tests/bench/mail-sink.ts');
  const { port } = await said<{ port: number }>(child);
  return {
    url: `smtp://127.0.0.1:${port}`,
    seen() {
      const answer = said<{ taken: number; lastAtMs: number }>(child);
      child.send('count');
      return answer;
    },
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

async function said<Answer>(child: ChildProcess): Promise<Answer> {
  const [answer] = (await once(child, 'message')) as [Answer];
  return answer;
}

/** Rate of these mails with the service's mail client alone. */
async function bareRate(sink: Sink, count: number): Promise<number> {
  const transport = createTransport({ url: sink.url, pool: true, maxConnections: smtpConnections });
  const { subject, html, text } = deliveryEmail({
    sender: { name: 'Olga', firstName: 'Olga' },
    link: 'https://everkept.example/message/an-address-as-long-as-a-real-one-is',
    baseUrl: 'https://everkept.example',
    addressFrom: 'owner',
    readerName: null,
    letters: 1,
    sealed: 0,
    keptUntil: new Date('2026-12-29T10:00:00Z'),
  });
  const startedMs = Date.now();
  const send = (number: number) =>
    transport.sendMail({
      from: 'hello@everkept.example',
      to: `reader-${number}@family.example`,
      subject,
      html,
      text,
      textEncoding: 'quoted-printable',
    });
  await Promise.all(Array.from({ length: count }, (_, number) => send(number)));
  transport.close();
  return (count * 1_000) / (Date.now() - startedMs);
}

/** Every contact says yes, and all letters leave. Gives mails a second, from the first yes to the last mail. */
async function release(
  db: Database,
  { site, sink, owners }: { site: Site; sink: Sink; owners: readonly AskedOwner[] },
): Promise<number> {
  const before = await sink.seen();
  const startedMs = Date.now();
  for (const [index, { portalTokens }] of owners.entries()) {
    await confirm(site, portalTokens[0] ?? '', `198.19.1.${index % 250}`);
  }
  let open = 1;
  while (open > 0) {
    if (Date.now() - startedMs > longestMs) throw new Error(`After half an hour ${open} letters are still waiting.`);
    await sleep(pollMs);
    const { rows } = await db.execute<{ open: number }>(
      "select count(*)::int as open from notifications where status in ('pending', 'sending')",
    );
    open = rows[0]?.open ?? 1;
  }
  const after = await sink.seen();
  return ((after.taken - before.taken) * 1_000) / (after.lastAtMs - startedMs);
}

async function confirm(site: Site, token: string, address: string): Promise<void> {
  const answer = await fetch(`${site.url}/api/trusted-contact-admin/${token}/confirm-release`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: site.url, 'x-forwarded-for': address },
    body: JSON.stringify({ confirmed: true, reason: 'I was at the funeral.' }),
  });
  if (!answer.ok) throw new Error(`A contact was answered ${answer.status}: ${await answer.text()}`);
}

/** Asks for a page's data at a steady rate until something is over. How long each took counts from when it was due. */
async function readWhile(site: Site, cookies: readonly string[], until: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  const over = until.finally(() => {
    isOver = true;
  });
  const reads: Promise<number>[] = [];
  const beginsAt = performance.now();
  for (let index = 0; !isOver; index += 1) {
    const dueAt = beginsAt + (index * 1_000) / readersPerSecond;
    await sleep(Math.max(0, dueAt - performance.now()));
    reads.push(read(site, { cookie: cookies[index % cookies.length] ?? '', number: index, dueAt }));
  }
  await over;
  return Promise.all(reads);
}

async function read(
  { url }: Site,
  { cookie, number, dueAt }: { cookie: string; number: number; dueAt: number },
): Promise<number> {
  const headers = { cookie, 'x-forwarded-for': `198.18.${(number >> 8) & 255}.${number & 255}` };
  const answer = await fetch(`${url}/api/messages`, { headers });
  if (!answer.ok) throw new Error(`A reader was answered ${answer.status}.`);
  await answer.text();
  return performance.now() - dueAt;
}

function p99Of(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? Number.NaN;
}

function rethrow(error: Error): never {
  throw error;
}
