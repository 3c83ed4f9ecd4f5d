import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { MailKind } from '#server/mails.ts';
import { createMemoryMailer } from '#server/platform/mail/memory-mailer.ts';
import { createSmtpMailer } from '#server/platform/mail/smtp-mailer.ts';
import { users } from '#server/schema/accounts.tables.ts';
import { startMailServer } from '#tests/support/servers/mail-server.ts';
import { enqueueNotification } from './enqueue.ts';
import { mailReactionsOf } from './mail-reactions.ts';
import { dispatchDue } from './notifications.dispatch.ts';
import { returnKeyOf } from './notifications.messages.ts';
import { dayMs, hourMs, never, ok, prepareNotifications, start } from './notifications.test-world.ts';
import { readMailTrouble } from './refusals/mail-trouble.ts';
import { takeBack } from './take-back.ts';

const place = prepareNotifications();
type Built = ReturnType<typeof place.build>;

/** A mailbox of an old and verified account, which accepted our mail before the days that are judged. */
async function knownMailbox(built: Built, address: string): Promise<string> {
  const id = randomUUID();
  const createdAt = new Date(start.getTime() - 400 * dayMs);
  await place.db.insert(users).values({ id, email: address, emailVerified: true, createdAt });
  built.mailer.answer(null);
  await enqueueNotification(built.app, place.db, place.email({ userId: id, to: { address } }));
  await dispatchDue(built.app);
  await place.db.execute(sql`
    update notifications set accepted_at = ${createdAt.toISOString()}, ended_at = ${createdAt.toISOString()}
    where accepted_at >= ${start.toISOString()}`);
  return id;
}

/** Dispatches due messages every six hours. Each day a mailbox of each domain here accepts mail. */
async function liveThrough(built: Built, days: number, domainsThatAccept: readonly string[]): Promise<void> {
  for (let hour = 0; hour < days * 24; hour += 6) {
    const at = await built.clock.now();
    for (const domain of domainsThatAccept) {
      const to = { address: `open@${domain}` };
      await enqueueNotification(built.app, place.db, place.email({ kind: 'billing.receipt', userId: null, to, at }));
    }
    await dispatchDue(built.app);
    built.clock.advance(6 * hourMs);
  }
  await dispatchDue(built.app);
}

async function remind(built: Built, address: string, userId: string): Promise<void> {
  const at = await built.clock.now();
  const kind = 'release.owner_asked';
  await enqueueNotification(built.app, place.db, place.email({ kind, userId, to: { address }, at }));
}

async function statusesOf(kind: string) {
  return (await place.rows()).filter((row) => row.kind === kind).map(({ status }) => status);
}

const refuses = (built: Built, isRefused: (address: string) => boolean) =>
  built.mailer.answer(({ to }) => (isRefused(to.address) ? never : ok));

describe('a mailbox refusal', () => {
  it('on three days closes the mailbox if its own domain accepted other mail on those days', async () => {
    const built = place.build();
    const userId = await knownMailbox(built, 'ann@one.example');
    refuses(built, (address) => address === 'ann@one.example');
    await remind(built, 'ann@one.example', userId);
    await liveThrough(built, 3, ['one.example']);
    expect(await statusesOf('release.owner_asked')).toEqual(['bounced']);
  });

  it('for a letter is reported once while the letter is still tried, and a healthy mailbox then receives it', async () => {
    const built = place.build();
    const refused: string[] = [];
    mailReactionsOf(built.app).refused.set(
      'delivery.letter',
      async (_tx, { subjectId }) => void refused.push(subjectId ?? ''),
    );
    mailReactionsOf(built.app).ended.push({ kindPrefix: 'delivery.letter', react: async () => undefined });
    await enqueueNotification(
      built.app,
      place.db,
      place.email({ kind: 'billing.receipt', to: { address: 'x@two.example' } }),
    );
    await dispatchDue(built.app);
    refuses(built, (address) => address === 'nell@one.example');
    const letter = place.email({ to: { address: 'nell@one.example' } });
    await enqueueNotification(built.app, place.db, letter);
    await dispatchDue(built.app);
    expect(refused).toEqual([letter.subjectId]);
    expect(await statusesOf('delivery.letter')).toEqual(['pending']);
    built.mailer.answer(null);
    built.clock.advance(hourMs);
    await dispatchDue(built.app);
    expect(await statusesOf('delivery.letter')).toEqual(['accepted']);
  });

  it('closes no mailbox if only other domains accept our mail, and after 30 days counts as trouble without an owner', async () => {
    const built = place.build();
    const userId = await knownMailbox(built, 'ann@one.example');
    refuses(built, (address) => address.endsWith('@one.example'));
    await remind(built, 'ann@one.example', userId);
    await liveThrough(built, 20, ['two.example']);
    expect(await statusesOf('release.owner_asked')).toEqual(['pending']);
    await liveThrough(built, 12, ['two.example']);
    expect(await statusesOf('release.owner_asked'), 'ten tries over 30 days').toEqual(['dead']);
  });

  it('for a reason that is not about the mailbox is reported to the operator after half a day, also with a temporary code', async () => {
    const built = place.build();
    const userId = await knownMailbox(built, 'ann@one.example');
    built.mailer.answer(({ to }) =>
      to.address === 'ann@one.example' ? { outcome: 'temporary', replyCode: 451, isTrouble: true } : ok,
    );
    await remind(built, 'ann@one.example', userId);
    const isTold = async () => (await statusesOf('operator.mail-refused')).length > 0;
    const liveHours = async (hours: number) => {
      for (let hour = 0; hour < hours; hour += 1) {
        await dispatchDue(built.app);
        built.clock.advance(hourMs);
      }
    };
    await liveHours(6);
    expect(
      [await isTold(), await readMailTrouble(built.app, place.db, { at: await built.clock.now() })],
      'a few hours',
    ).toEqual([false, []]);
    await liveHours(18);
    expect(await isTold(), 'a day').toBe(true);
    expect(await readMailTrouble(built.app, place.db, { at: await built.clock.now() })).toMatchObject([
      { domain: 'one.example', mails: 1 },
    ]);
  });

  it('by more than three known mailboxes and a twentieth of a domain at once closes none, and is reported to the operator', async () => {
    const built = place.build();
    const names = ['ann', 'ben', 'cat', 'dan', 'eve'].map((name) => `${name}@one.example`);
    const ids: string[] = [];
    for (const name of names) ids.push(await knownMailbox(built, name));
    refuses(built, (address) => names.includes(address));
    for (const [index, name] of names.entries()) await remind(built, name, ids[index] ?? '');
    await liveThrough(built, 6, ['one.example', 'two.example']);
    expect(new Set(await statusesOf('release.owner_asked'))).toEqual(new Set(['pending']));
    const told = built.mailer.sent.filter(({ subject }) => subject.includes('other mail servers refuse'));
    expect(told.length).toBeGreaterThanOrEqual(6);
    expect(told.length, 'once a day').toBeLessThanOrEqual(7);
    expect(told.at(-1)?.text).toContain('one.example:');
    expect(told.at(-1)?.text.replace(/\s+/g, ' ')).toContain('we count none of them as closed for now');
    expect(JSON.stringify(told)).not.toMatch(/ann@|A message|canary/);
    expect(await readMailTrouble(built.app, place.db, { at: await built.clock.now() })).toMatchObject([
      { domain: 'one.example', isMassRefusal: true },
    ]);

    // The bound: mass refusals of 30 days are believed.
    await liveThrough(built, 28, ['one.example']);
    expect(await statusesOf('release.owner_asked')).not.toContain('pending');
  });
});

async function keyOf(id: string): Promise<string> {
  return returnKeyOf((await place.rows()).find((row) => row.id === id)?.messageId ?? '');
}

const madeUp = { writtenAtMs: null, isOfMailbox: true, isTrouble: false, replyCode: 550 };

describe('a provider that refuses all our mail over SMTP as if no mailbox existed', () => {
  it.each([
    ['with 5.1.1', '5.1.1 The email account that you tried to reach does not exist.'],
    ['with a bare 550', 'Requested action not taken: mailbox unavailable'],
  ])('%s closes no owner there while other providers accept our mail', async (_, words) => {
    const server = await startMailServer();
    const mailer = createSmtpMailer({ url: server.url, from: 'hello@everkept.test' });
    const built = { ...place.build({ mailer }), mailer: createMemoryMailer() };
    try {
      const addresses = ['ann@one.example', 'ben@one.example', 'lone@alone.example', 'zoe@two.example'];
      const owners = new Map<string, string>();
      for (const address of addresses) owners.set(address, await knownMailbox(built, address));
      server.behave({ at: 'recipient', replyCode: 550, words, to: '@one.example' });
      for (const address of addresses) await remind(built, address, owners.get(address) ?? '');
      await liveThrough(built, 5, ['one.example', 'two.example', 'three.example']);
      expect((await statusesOf('release.owner_asked')).toSorted()).toEqual([
        'accepted',
        'accepted',
        'pending',
        'pending',
      ]);

      // Now only one mailbox of this provider is refused.
      server.behave({ at: 'recipient', replyCode: 550, words, to: 'ann@one.example' });
      await liveThrough(built, 4, ['one.example', 'two.example']);
      expect((await statusesOf('release.owner_asked')).toSorted()).toEqual([
        'accepted',
        'accepted',
        'accepted',
        'bounced',
      ]);
    } finally {
      await mailer.close();
      await server.close();
    }
  });
});

describe('bounces that a stranger makes up for mails to themselves', () => {
  async function strangersBounce(built: Built, day: number, kind: MailKind, userId: string | null): Promise<void> {
    for (let number = 0; number < 4; number += 1) {
      const at = await built.clock.now();
      const to = { address: `stranger-${day}-${number}@one.example` };
      const id = await enqueueNotification(built.app, place.db, place.email({ kind, userId, to, at }));
      await dispatchDue(built.app);
      expect(await takeBack(built.app, { ...madeUp, key: await keyOf(id), series: 1, at })).toBe(true);
    }
  }

  it.each(['accounts.verification', 'release.owner_welcome_back'] as const)(
    'by %s change nothing for others',
    async (kind) => {
      const built = place.build();
      const userId = await knownMailbox(built, 'ann@one.example');
      const stranger = randomUUID();
      await place.db.insert(users).values({ id: stranger, email: 'stranger@one.example', createdAt: start });
      refuses(built, (address) => address === 'ann@one.example');
      await remind(built, 'ann@one.example', userId);
      for (let day = 0; day < 3; day += 1) {
        await strangersBounce(built, day, kind, stranger);
        await liveThrough(built, 1, ['one.example']);
      }
      expect(await statusesOf('release.owner_asked')).toEqual(['bounced']);
    },
  );

  it('from an old account count once per mailbox, and only if the mailbox accepted mail long ago', async () => {
    const built = place.build();
    const userId = await knownMailbox(built, 'ann@one.example');
    const old = await knownMailbox(built, 'old@one.example');
    refuses(built, (address) => address === 'ann@one.example');
    await remind(built, 'ann@one.example', userId);
    for (let day = 0; day < 3; day += 1) {
      await strangersBounce(built, day, 'release.contact_reply', old);
      await liveThrough(built, 1, ['one.example']);
    }
    expect(await statusesOf('release.owner_asked')).toEqual(['bounced']);
  });
});

describe('mass refusals that an attacker makes up with aged mailboxes', () => {
  it('keep the closed mailbox of another owner open for 30 days at most, however long they go on', async () => {
    const built = place.build();
    const userId = await knownMailbox(built, 'ann@one.example');
    const names = ['a', 'b', 'c', 'd', 'e'].map((name) => `aged-${name}@one.example`);
    const aged: { address: string; id: string }[] = [];
    for (const address of names) aged.push({ address, id: await knownMailbox(built, address) });
    refuses(built, (address) => address === 'ann@one.example');
    await remind(built, 'ann@one.example', userId);
    const closedAfter: number[] = [];
    for (let day = 0; day < 36; day += 1) {
      for (const { address, id: owner } of aged) {
        const at = await built.clock.now();
        const kind = 'release.contact_reply';
        const id = await enqueueNotification(
          built.app,
          place.db,
          place.email({ kind, userId: owner, to: { address }, at }),
        );
        await dispatchDue(built.app);
        await takeBack(built.app, { ...madeUp, key: await keyOf(id), series: 1, at });
      }
      await liveThrough(built, 1, ['one.example']);
      const [status] = await statusesOf('release.owner_asked');
      if (status !== 'pending') closedAfter.push(day);
    }
    expect(closedAfter[0], 'the attack works at first').toBeGreaterThan(3);
    expect(closedAfter[0]).toBeLessThanOrEqual(34);
  });
});

describe('a mail that a server refuses by policy', () => {
  const byPolicy = { outcome: 'temporary', replyCode: 550, isTrouble: true } as const;

  it('is reported to the operator at its beginning and once a day, with the domain and counts', async () => {
    const built = place.build();
    const userId = await knownMailbox(built, 'ann@one.example');
    built.mailer.answer(({ to }) => (to.address === 'ann@one.example' ? byPolicy : ok));
    await remind(built, 'ann@one.example', userId);
    await dispatchDue(built.app);
    const told = () => built.mailer.sent.filter(({ subject }) => subject.includes('other mail servers refuse'));
    expect(told()).toHaveLength(1);
    expect(told()[0]?.to.address).toBe('operator@everkept.test');
    expect(told()[0]?.text).toContain('one.example: 1 email to 1 mailbox');
    await liveThrough(built, 5, ['two.example']);
    expect(told().length).toBeGreaterThanOrEqual(5);
    expect(told().length).toBeLessThanOrEqual(6);
    expect(await readMailTrouble(built.app, place.db, { at: await built.clock.now() })).toEqual([
      { domain: 'one.example', mails: 1, mailboxes: 1, isMassRefusal: false },
    ]);
  });
});
