import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/node-postgres';
import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditRowKeyName } from '#server/features/audit/audit-keys.ts';
import { loadMasterKeys } from '#server/platform/crypto/master-key.ts';
import { createServiceKeys, tokenKeyName } from '#server/platform/crypto/service-keys.ts';
import { type Installation, startInstallation } from '#tests/e2e/support/installation.ts';
import { check } from '#tests/simulation/oracle/checker.ts';
import { type ReceivedMail, startMailServer, type TestMailServer } from '#tests/support/servers/mail-server.ts';
import { createVisitor, type Visitor, withDatabaseOf } from '#tests/support/visitor.ts';

/** The whole measure is CRASH_LETTERS=2000 CRASH_KILLS=50, and takes many minutes. CRASH_SEED draws other moments. */
const letters = Number(process.env.CRASH_LETTERS ?? 40);
const kills = Number(process.env.CRASH_KILLS ?? 6);
const seed = Number(process.env.CRASH_SEED ?? 20_260_321);
/** Letters that arrive between two kills, at most: all kills come before the last letter has left. */
const lettersBetweenKills = Math.max(1, Math.floor((letters * 0.8) / kills));
/** Five are under way in each process; a clock that is moved on lets another process take those of the living one. */
const repeatsOfKillMax = 12;
/** Longer than a worker holds a message, so that what a killed one held is tried again. */
const afterLeaseMs = 6 * 60_000;
const slowAnswerMs = 60;
const finishTimeoutMs = 60_000 + letters * 100;
const baseUrl = 'http://localhost:4999';

/** A repeatable random generator: 32-bit xorshift (Marsaglia 2003). */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const random = seeded(seed);
let mailServer: TestMailServer;
let site: Installation;
/** A second process beside it, with a worker of its own, on the same database. */
let second: Installation;
/** Action after a letter has arrived and before its sender knows. Without an action, letters wait. */
let onLetter = Promise.withResolvers<() => Promise<void>>();

const settings = () => ({
  SMTP_URL: mailServer.url,
  MAIL_FROM: 'Everkept <hello@everkept.example>',
  BASE_URL: baseUrl,
  TRUST_PROXY: '127.0.0.1',
});
const isLetter = ({ envelope }: ReceivedMail) => envelope.to.some((address) => address.startsWith('reader'));

beforeAll(async () => {
  mailServer = await startMailServer({
    beforeAnswer: async (mail) => {
      if (!isLetter(mail)) return;
      await sleep(slowAnswerMs);
      const act = await onLetter.promise;
      await act();
    },
  });
  site = await startInstallation(settings());
  second = await startInstallation({ ...settings(), DATA_DIR: site.dataDir });
});

afterAll(async () => {
  await second.stop();
  await site.stop();
  await mailServer.close();
  await rm(site.dataDir, { recursive: true, force: true });
});

async function restart(victim: Installation): Promise<void> {
  const started = await startInstallation({ ...settings(), DATA_DIR: site.dataDir });
  if (victim === site) site = started;
  else second = started;
}

async function linkTo(address: string, path: string): Promise<string> {
  for (let tries = 0; tries < 200; tries += 1) {
    const texts = mailServer.received
      .filter(({ envelope }) => envelope.to.includes(address))
      .map(({ mail }) => new RegExp(`${baseUrl}(${path}[^\\s]*)`).exec(mail.text ?? '')?.[1]);
    const link = texts.findLast((text) => text !== undefined);
    if (link) return link;
    await sleep(100);
  }
  throw new Error(`No mail with ${path} reached ${address}.`);
}

/** Letters that are written at once. */
const writing = pLimit(4);

const tokenOf = (link: string) => link.split('/').at(-1) ?? '';

/** A signed-in person with a verified address and room in the plan. */
async function signUp(email: string): Promise<Visitor> {
  const visitor = createVisitor(() => site.url);
  const password = 'twelve lemons in a bowl';
  const person = { email, password, confirmPassword: password, firstName: 'Sam', lastName: 'Ashworth' };
  await visitor.call('POST', '/api/register', person);
  await visitor.call('GET', await linkTo(email, '/api/verify-email'));
  await withDatabaseOf(site.dataDir, (client) =>
    client.query("update users set plan = 'premium' where email = $1", [email]),
  );
  await visitor.call('POST', '/api/login', { email, password });
  return visitor;
}

describe(`a service that is killed again and again (seed ${seed})`, () => {
  test(
    'delivers every letter, to the right person, as the same mail with the same link, and loses no change',
    async () => {
      const owner = await signUp('sam@ashworth.example');
      await owner.call('PUT', '/api/user/release-settings', { releaseMethod: 'trusted_contact', inactivityDays: 90 });
      await writing.map(Array.from({ length: letters }), (_, number) => {
        const letter = { title: `Letter ${number}`, content: `Words for ${number}`, recipientEmail: readerOf(number) };
        return owner.call('POST', '/api/messages', { ...letter, status: 'ready' });
      });
      await owner.call('POST', '/api/trusted-contacts', { name: 'Ada Shah', email: 'ada@friends.example' });
      const anybody = createVisitor(() => site.url);
      const invitation = tokenOf(await linkTo('ada@friends.example', '/trusted-contact-accept/'));
      await anybody.call('POST', `/api/trusted-contact-invitation/${invitation}`, { accept: true });
      await site.everkept('clock', 'advance', '91d');
      const portal = tokenOf(await linkTo('ada@friends.example', '/trusted-contact-admin/'));

      const writer = await startWriter();
      const killed = killWhileSending();
      const reason = { confirmed: true, reason: 'I was at the funeral.' };
      await anybody.call('POST', `/api/trusted-contact-admin/${portal}/confirm-release`, reason);
      await killed;
      const acknowledged = await writer.stop();
      await finish();

      await expectLetters(anybody);
      expect(acknowledged.messages.length).toBeGreaterThan(0);
      const kept = await acknowledged.visitor.call<{ id: string; title: string }[]>('GET', '/api/messages');
      expect(kept.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged.messages));
      const contacts = await acknowledged.visitor.call<{ id: string }[]>('GET', '/api/trusted-contacts');
      expect(contacts.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged.contacts));
    },
    240_000 + letters * 500 + kills * 20_000,
  );

  test('has every message that it said it had saved, also when the database is killed with it', async () => {
    const visitor = await signUp('writer@people.example');
    const saved: string[] = [];
    let isDown = false;
    const lane = async (name: number) => {
      for (let number = 0; !isDown; number += 1) {
        const letter = { title: `Lane ${name}, ${number}`, content: 'Words', recipientEmail: 'reader@people.example' };
        const answer = await visitor.call<{ id: string }>('POST', '/api/messages', letter).catch(() => null);
        if (answer) saved.push(answer.id);
        else isDown = true;
      }
    };
    const lanes = Promise.all([1, 2, 3, 4].map(lane));
    const enough = 5 + random(20);
    while (saved.length < enough && !isDown) await sleep(5);
    const postmaster = await postmasterOf(site.dataDir);
    await second.kill();
    await Promise.all([site.kill(), Promise.resolve(process.kill(postmaster, 'SIGKILL'))]);
    await lanes;
    await restart(site);

    const kept = await visitor.call<{ id: string }[]>('GET', '/api/messages');
    expect(saved.length).toBeGreaterThanOrEqual(enough);
    expect(kept.map(({ id }) => id)).toEqual(expect.arrayContaining(saved));
    // A call that was under way may have been saved unheard, one for each lane.
    expect(kept.length - saved.length).toBeLessThanOrEqual(4);
  });
});

const readerOf = (number: number) => `reader${number}@family.example`;

/** Kills the process after a number of further letters, before or after it learns of the last, and starts it again. */
async function killWhileSending(): Promise<void> {
  for (let kill = 0; kill < kills; kill += 1) {
    let left = 1 + random(lettersBetweenKills);
    const answersFirst = kill % 2 === 1;
    const pauseMs = random(40);
    const victim = random(2) === 0 ? site : second;
    const dead = Promise.withResolvers<void>();
    onLetter.resolve(async () => {
      left -= 1;
      if (left < 0) await dead.promise;
      if (left !== 0) return;
      onLetter = Promise.withResolvers();
      const end = sleep(answersFirst ? pauseMs : 0)
        .then(() => victim.kill())
        .then(dead.resolve, dead.reject);
      // Without an answer the sender never learns that the letter was taken.
      if (!answersFirst) await end;
    });
    await dead.promise;
    await restart(victim);
    await passLease();
  }
  onLetter.resolve(async () => undefined);
}

const passLease = () =>
  withDatabaseOf(site.dataDir, (client) =>
    client.query('update service_health set clock_offset_ms = clock_offset_ms + $1', [afterLeaseMs]),
  );

/** Another owner who writes continuously and records the acknowledged writes. */
async function startWriter() {
  const visitor = await signUp('other@people.example');
  const messages: string[] = [];
  const contacts: string[] = [];
  let isOver = false;
  const write = async () => {
    for (let number = 0; !isOver; number += 1) {
      const letter = { title: `Note ${number}`, content: 'Words', recipientEmail: 'nobody@people.example' };
      await visitor.call<{ id: string }>('POST', '/api/messages', letter).then(({ id }) => messages.push(id), isDown);
      const contact = { name: 'Ben Okri', email: `ben${number}@people.example` };
      if (number % 20 === 0) {
        await visitor
          .call<{ id: string }>('POST', '/api/trusted-contacts', contact)
          .then(({ id }) => contacts.push(id), isDown);
      }
      await sleep(25);
    }
  };
  const writing = write();
  return {
    async stop() {
      isOver = true;
      await writing;
      return { visitor, messages, contacts };
    },
  };
}

/** Unacknowledged writes may be lost. */
const isDown = () => 0;

async function finish(): Promise<void> {
  const deadline = Date.now() + finishTimeoutMs;
  let open = letters;
  while (open > 0 && Date.now() < deadline) {
    await sleep(300);
    open = await withDatabaseOf(site.dataDir, async (client) => {
      const { rows } = await client.query(
        "select count(*)::int as open from message_deliveries where status <> 'accepted'",
      );
      return rows[0]?.open ?? letters;
    });
  }
  expect(open, site.log.slice(-20).join('\n')).toBe(0);
}

async function expectLetters(anybody: Visitor): Promise<void> {
  const { deliveries, messages, requests } = await withDatabaseOf(site.dataDir, async (client) => ({
    deliveries: (await client.query('select status, delivered_at is not null as is_dated from message_deliveries'))
      .rows,
    messages: (
      await client.query(
        "select m.status, m.delivered_at is not null as is_dated from messages m join users u on u.id = m.user_id where u.email = 'sam@ashworth.example'",
      )
    ).rows,
    requests: (
      await client.query(
        "select r.released_at is not null and r.done_at is not null and r.closed_at is null as is_done from release_requests r join users u on u.id = r.user_id where u.email = 'sam@ashworth.example'",
      )
    ).rows,
  }));
  expect(deliveries).toEqual(Array.from({ length: letters }, () => ({ status: 'accepted', is_dated: true })));
  expect(messages).toEqual(Array.from({ length: letters }, () => ({ status: 'delivered', is_dated: true })));
  expect(requests).toEqual([{ is_done: true }]);

  const arrived = mailServer.received.filter(isLetter);
  for (let number = 0; number < letters; number += 1) {
    const mine = arrived.filter(({ envelope }) => envelope.to.includes(readerOf(number)));
    expect(mine.length, readerOf(number)).toBeGreaterThan(0);
    expect(mine.map(({ envelope }) => envelope.to)).toEqual(mine.map(() => [readerOf(number)]));
    expect(new Set(mine.map(({ mail }) => mail.messageId)).size).toBe(1);
    const links = new Set(mine.map(({ mail }) => /\/message\/([\w-]+)/.exec(mail.text ?? '')?.[1]));
    expect(links.size).toBe(1);
    const page = `/api/message-delivery/${[...links][0]}`;
    await anybody.call('POST', `${page}/opened`);
    const letter = await anybody.call<{ title: string; content: string }>('GET', page);
    expect([letter.title, letter.content]).toEqual([`Letter ${number}`, `Words for ${number}`]);
  }
  // Letters whose sender was killed before the answer came arrive twice; without one, the test has tried nothing.
  expect(arrived.length).toBeGreaterThan(letters);
  expect(arrived.length).toBeLessThan(letters + kills * repeatsOfKillMax);
  expect(await checkedFromOutside()).toEqual([]);
}

/** The promises, checked from outside of the service. */
async function checkedFromOutside(): Promise<string[]> {
  const mails = mailServer.received.map(({ envelope, mail }) => ({
    channel: 'email' as const,
    to: envelope.to.join(),
    text: mail.text ?? '',
    messageId: mail.messageId ?? null,
    providerId: null,
    at: null,
    answer: 'accepted' as const,
  }));
  const masterKeys = await loadMasterKeys({ dataDir: site.dataDir });
  return withDatabaseOf(site.dataDir, async (client) => {
    const { derive } = await createServiceKeys(drizzle({ client }), masterKeys);
    const keys = { token: derive(...tokenKeyName), auditRow: derive(...auditRowKeyName) };
    return check(client, { isClockSteady: true, closedAt: null, keys, mails });
  });
}

async function postmasterOf(dataDir: string): Promise<number> {
  return withDatabaseOf(dataDir, async (client) => {
    const { rows } = await client.query("select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)::int as pid");
    return rows[0]?.pid ?? 0;
  });
}
