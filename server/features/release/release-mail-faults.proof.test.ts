import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Mailer } from '#server/platform/mail/mailer.ts';
import { createSmtpMailer, type SmtpTimeouts } from '#server/platform/mail/smtp-mailer.ts';
import { type Behaviour, politely, startMailServer, startRawServer } from '#tests/support/servers/mail-server.ts';
import { createReleaseWorld, dayMs, type Friend, type Owner, type ReleaseWorld } from './release.test-world.ts';

const minuteMs = 60_000;
/** Time-out of our side for a silent server. One minute in production. */
const silenceMs = 400;
/** Time for which every server fails, in steps of half a minute. */
const faultyMinutes = 16;

/** A mail server with a fault, and the mailer that talks to it. `mend` ends the fault. */
type Faulty = { mailer: Mailer; mend(): void; close(): Promise<void> };

async function replying(behaviour: Behaviour): Promise<Faulty> {
  const server = await startMailServer();
  server.behave(behaviour);
  return withMailer(server, () => server.behave(null));
}

/** Server that is correct except for these answers, until it is repaired. */
async function answering(
  answer: (line: string) => string | undefined,
  timeouts: Partial<SmtpTimeouts> = {},
): Promise<Faulty> {
  let isMended = false;
  const server = await startRawServer(politely((line) => (isMended ? undefined : answer(line))));
  const mend = () => {
    isMended = true;
  };
  return withMailer(server, mend, timeouts);
}

type Server = { url: string; close(): Promise<void> };

function withMailer(server: Server, mend: () => void, timeouts: Partial<SmtpTimeouts> = {}): Faulty {
  const mailer = createSmtpMailer({ url: server.url, from: 'Everkept <hello@everkept.example>', timeouts });
  return {
    mailer,
    mend,
    close: async () => {
      await mailer.close();
      await server.close();
    },
  };
}

/** Faults, each with the outcome of its letter after the repair. `gone` and `never` stay as they are. */
const faults = {
  shutting: () => replying({ at: 'sender', replyCode: 421 }),
  busy: () => replying({ at: 'recipient', replyCode: 451 }),
  undecided: () => replying({ at: 'data', replyCode: 451 }),
  greylisting: () => replying({ at: 'greylist' }),
  closing: () => answering((line) => (line === '.' ? 'close' : undefined)),
  silent: () => answering((line) => (line.startsWith('MAIL FROM') ? 'silence' : undefined), { silenceMs }),
  untrusted: () =>
    answering((line) => {
      if (line.startsWith('EHLO')) return '250-here\r\n250 STARTTLS';
      return line === 'STARTTLS' ? '454 TLS is not to be had now' : undefined;
    }),
  gone: () => replying({ at: 'recipient', replyCode: 550 }),
  never: () => replying({ at: 'recipient', replyCode: 451 }),
} as const;
type Fault = keyof typeof faults;
const names = Object.keys(faults) as Fault[];

let world: ReleaseWorld;
const servers = new Map<string, Faulty>();
const attempts: { name: string; messageId: string; atMs: number }[] = [];

beforeAll(async () => {
  world = await createReleaseWorld();
  for (const name of names) servers.set(name, await faults[name]());
  world.mailer.answer(async (mail) => {
    const name = mail.to.address.match(/^nell@(\w+)\.example$/)?.[1] ?? '';
    const server = servers.get(name);
    if (!server) return { outcome: 'accepted' };
    attempts.push({ name, messageId: mail.messageId, atMs: (await world.clock.now()).getTime() });
    return server.mailer.send(mail);
  });
});
afterAll(async () => {
  for (const server of servers.values()) await server.close();
  await world.close();
});

test('whatever a mail server does, each letter ends accepted, or bounced with the contacts told', async () => {
  const people: { name: Fault; owner: Owner; contact: Friend }[] = [];
  for (const name of names) {
    const owner = await world.newOwner();
    const contact = await world.befriend(owner, 'Priya');
    await world.write(owner, `nell@${name}.example`);
    people.push({ name, owner, contact });
  }
  const statuses = async () => {
    const found = people.map(async ({ name, owner }) => {
      const rows = await world.deliveriesOf(owner);
      return [name, rows.map(({ status }) => status).join()] as const;
    });
    return Object.fromEntries(await Promise.all(found)) as Record<Fault, string>;
  };
  const told = (address: string) => world.subjects(address).filter((subject) => subject.includes('could not reach'));
  await world.writeToNeighbour('nell@gone.example', 100);
  await world.live(91);
  for (const { contact } of people) await world.answer(contact, true);

  const liveHalfMinutes = async (count: number) => {
    for (let step = 0; step < count; step += 1) await world.live(minuteMs / 2 / dayMs);
  };
  await liveHalfMinutes(2 * faultyMinutes);
  const { greylisting, ...waiting } = await statuses();
  expect(greylisting).toBe('accepted');
  for (const [name, status] of Object.entries(waiting)) expect(status, name).toBe('pending');
  for (const name of names) {
    const tried = attempts.filter((attempt) => attempt.name === name);
    expect(new Set(tried.map(({ messageId }) => messageId)).size, `${name}: one letter, one Message-ID`).toBe(1);
    expect(tried.length, name).toBe(name === 'gone' ? 1 : name === 'greylisting' ? 2 : 5);
    for (const [index, { atMs }] of tried.slice(1).entries()) {
      expect(atMs - (tried[index]?.atMs ?? 0), `${name}: attempts in one minute`).toBeGreaterThanOrEqual(minuteMs);
    }
  }

  for (const name of names) if (name !== 'gone' && name !== 'never') servers.get(name)?.mend();
  await world.live(0.5);
  expect(Object.entries(await statuses()).filter(([, status]) => status !== 'accepted')).toEqual([
    ['gone', 'pending'],
    ['never', 'pending'],
  ]);
  const priya = people.find(({ name }) => name === 'gone')?.contact.email ?? '';
  expect(told(priya), 'the contact is asked after the first refusal').toHaveLength(1);

  await world.live(3);
  expect(await statuses(), 'refused on three days').toMatchObject({ gone: 'bounced', never: 'pending' });
  await world.live(28);
  expect(await statuses()).toMatchObject({ gone: 'bounced', never: 'bounced' });
  for (const { name, owner, contact } of people) {
    const isBounced = name === 'gone' || name === 'never';
    expect(told(contact.email), name).toHaveLength(isBounced ? 1 : 0);
    expect(await world.stateOf(owner), name).toBe('released');
  }
  expect(world.logged).toEqual([]);
});
