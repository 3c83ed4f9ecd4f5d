import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import fastify from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { enqueueNotification } from '#server/features/notifications/enqueue.ts';
import { dispatchDue } from '#server/features/notifications/notifications.dispatch.ts';
import { minuteMs, prepareNotifications, start } from '#server/features/notifications/notifications.test-world.ts';
import { securityHeaders } from '#server/http/content-security.ts';
import { handleErrors } from '#server/http/errors.ts';
import { letter } from '#server/platform/mail/letter.ts';
import { longDate } from '#server/platform/mail/mail-day.ts';
import { createOutboxMailer } from '#server/platform/mail/mailer.ts';
import { createOutboxTexter } from '#server/platform/sms/texter.ts';
import { type ContainerHost, registerOutbox } from './outbox.routes.ts';

const place = prepareNotifications();
const here = { host: 'localhost:3000' };

async function openOutbox(
  kinds: { mail?: 'smtp' | 'outbox'; sms?: 'twilio' | 'outbox' } = {},
  containerHost: ContainerHost | null = null,
) {
  const built = place.build({ mailer: createOutboxMailer(), texter: createOutboxTexter() });
  const mailer = { ...built.app.mailer, kind: kinds.mail ?? 'outbox' };
  const texter = { ...built.app.texter, kind: kinds.sms ?? 'outbox' };

  const app = fastify();
  app.addHook('onRequest', securityHeaders({ baseUrl: new URL('http://localhost:3000') }));
  handleErrors(app);
  registerOutbox(app, { ...built.app, mailer, texter }, containerHost);
  await app.ready();
  onTestFinished(() => app.close());
  return { app, opened: built.app };
}

function invitation(name: string, minutes = 0) {
  const parts = letter({
    greeting: `Hello ${name},`,
    paragraphs: [],
    action: { label: 'Read', url: 'http://localhost:3000/message/abc' },
    reason: 'Because.',
    baseUrl: 'http://localhost:3000',
  });
  return place.email({
    at: new Date(start.getTime() + minutes * minuteMs),
    to: { address: 'zoe@example.test', name },
    mail: { subject: `For ${name}`, ...parts },
  });
}

describe('the outbox', () => {
  it('lists the entries, newest first, with their state', async () => {
    const { app, opened } = await openOutbox();
    await enqueueNotification(opened, place.db, invitation('Zoë', 1));
    await dispatchDue(opened);
    await enqueueNotification(opened, place.db, invitation('Ada <b>', 2));
    await enqueueNotification(opened, place.db, place.text({ at: new Date(start.getTime() + 3 * minuteMs) }));

    const response = await app.inject({ url: '/outbox', headers: here });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(response.headers['cache-control']).toBe('no-store');
    const order = ['Canary: are you well?', 'For Ada &lt;b&gt;', 'For Zoë'].map((words) =>
      response.body.indexOf(words),
    );
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order[0]).toBeGreaterThan(0);
    expect(response.body).toContain('+447700900123');
    expect(response.body).toContain('20 November 2026 at 09:01');
    expect(response.body).not.toContain('<b>');
  });

  it('names the day that depends on the sending', async () => {
    const { app, opened } = await openOutbox();
    const day = longDate({ notBeforeMs: 0, daysAfterSending: 10 });
    const mail = { subject: `Check in before ${day}`, html: `<p>Before ${day}.</p>`, text: `Before ${day}.` };
    const id = await enqueueNotification(opened, place.db, place.email({ at: start, mail }));
    for (const hasLeft of [false, true]) {
      if (hasLeft) await dispatchDue(opened);
      const page = await app.inject({ url: `/outbox/${id}`, headers: here });
      expect(page.body).toContain('Check in before 30 November 2026');
      const frame = await app.inject({ url: `/outbox/${id}/html`, headers: here });
      expect(frame.body).toContain('<p>Before 30 November 2026.</p>');
    }
  });

  it('shows one message with links to press, and its HTML in a frame that can do nothing else', async () => {
    const { app, opened } = await openOutbox();
    const id = await enqueueNotification(opened, place.db, invitation('Zoë'));

    const page = await app.inject({ url: `/outbox/${id}`, headers: here });
    expect(page.body).toContain('<a href="http://localhost:3000/message/abc">http://localhost:3000/message/abc</a>');
    expect(page.body).toContain(`src="/outbox/${id}/html"`);
    expect(page.body).not.toMatch(/allow-scripts|allow-same-origin|\sstyle="/);
    const policy = String(page.headers['content-security-policy']);
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
    expect(page.body).toContain(`<style nonce="${nonce}">`);
    expect(policy).not.toContain('unsafe');

    const mail = await app.inject({ url: `/outbox/${id}/html`, headers: here });
    expect(mail.headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation",
    );
    expect(mail.headers['x-frame-options']).toBe('SAMEORIGIN');
    expect(mail.body).toContain('<base target="_top">');
    expect(mail.body).toContain('Hello Zoë,');
  });

  it('returns the same to tests as JSON, with the links listed', async () => {
    const { app, opened } = await openOutbox();
    await enqueueNotification(opened, place.db, invitation('Zoë'));
    const response = await app.inject({ url: '/outbox.json', headers: here });
    expect(response.json()).toMatchObject([
      {
        subject: 'For Zoë',
        to: { address: 'zoe@example.test', name: 'Zoë' },
        links: ['http://localhost:3000/message/abc', 'http://localhost:3000/'],
        createdAt: start.toISOString(),
        status: 'pending',
      },
    ]);
    expect(response.json()[0].text).toContain('Hello Zoë,');
  });

  it('has pages, and an empty one says what to do next', async () => {
    const { app, opened } = await openOutbox();
    const empty = await app.inject({ url: '/outbox', headers: here });
    expect(empty.body).toContain('href="/register"');

    for (let count = 0; count < 51; count += 1)
      await enqueueNotification(opened, place.db, invitation(`P${count}`, count));
    const first = await app.inject({ url: '/outbox', headers: here });
    expect(first.body).toContain('href="/outbox?page=2"');
    expect(first.body.match(/class="row"/g)).toHaveLength(50);
    const second = await app.inject({ url: '/outbox?page=2', headers: here });
    expect(second.body).toContain('For P0');
    expect(second.body).not.toContain('page=3');
    for (const page of ['0', '-1', 'x', '999999', '1e9']) {
      const response = await app.inject({ url: `/outbox?page=${page}`, headers: here });
      expect(response.body).toContain('For P50');
    }
  });

  it('continues after a message that no longer opens', async () => {
    const { app, opened } = await openOutbox();
    await enqueueNotification(opened, place.db, invitation('Zoë'));
    const id = await enqueueNotification(opened, place.db, invitation('Ada'));
    await place.db.execute(sql`update notifications set payload = '\\x01020304' where id = ${id}`);
    const response = await app.inject({ url: '/outbox', headers: here });
    expect(response.body).toContain('For Zoë');
    expect(response.body).toContain('This message could not be opened');
    expect((await app.inject({ url: `/outbox/${id}/html`, headers: here })).statusCode).toBe(404);
  });

  it('knows nothing of ids that are not there', async () => {
    const { app } = await openOutbox();
    for (const id of [randomUUID(), 'x', '..%2f..', "'"]) {
      for (const path of [`/outbox/${id}`, `/outbox/${id}/html`]) {
        expect((await app.inject({ url: path, headers: here })).statusCode).toBe(404);
      }
    }
  });
});

describe('callers of the outbox', () => {
  const pathsOf = (id: string) => ['/outbox', '/outbox.json', `/outbox/${id}`, `/outbox/${id}/html`];

  it.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('a peer at %s', async (remoteAddress) => {
    const { app } = await openOutbox();
    for (const host of ['localhost', 'localhost:3000', '127.0.0.1:3000', '[::1]:3000', 'LOCALHOST']) {
      expect((await app.inject({ url: '/outbox', remoteAddress, headers: { host } })).statusCode).toBe(200);
    }
  });

  it.each<[string, string, Record<string, string>]>([
    ['a peer elsewhere', '192.168.1.20', here],
    ['a peer elsewhere who says it is here', '203.0.113.9', { ...here, 'x-forwarded-for': '127.0.0.1' }],
    ['a peer with an odd address', '127.0.0.1.example.test', here],
    ['a name that was made to lead here', '127.0.0.1', { host: 'evil.test:3000' }],
    ['a name that begins like ours', '127.0.0.1', { host: 'localhost.evil.test' }],
    ['a name like an address', '127.0.0.1', { host: '127.0.0.1.evil.test' }],
    ['another address of this machine', '127.0.0.1', { host: '192.168.1.20:3000' }],
    ['a proxy on this machine', '127.0.0.1', { ...here, 'x-forwarded-for': '203.0.113.9' }],
    ['another proxy on this machine', '127.0.0.1', { ...here, forwarded: 'for=203.0.113.9' }],
    ['a third proxy on this machine', '127.0.0.1', { ...here, via: '1.1 proxy' }],
  ])('not %s', async (_, remoteAddress, headers) => {
    const { app, opened } = await openOutbox();
    const id = await enqueueNotification(opened, place.db, invitation('Zoë'));
    for (const url of pathsOf(id)) {
      expect((await app.inject({ url, headers: here })).statusCode).toBe(200);
      const response = await app.inject({ url, remoteAddress, headers });
      expect(response.statusCode).toBe(404);
      expect(response.body).not.toContain('Zoë');
    }
  });

  describe('in a container', () => {
    const containerHost = { gateway: '172.17.0.1', key: 'k'.repeat(22) };
    const ask = async (url: string, headers: Record<string, string> = {}, remoteAddress = '172.17.0.1') => {
      const { app } = await openOutbox({}, containerHost);
      return app.inject({ url, remoteAddress, headers: { ...here, ...headers } });
    };

    it('the machine that runs it, once it has shown the key', async () => {
      const shown = await ask(`/outbox?key=${containerHost.key}`);
      expect([shown.statusCode, shown.headers.location]).toEqual([302, '/outbox']);
      const [kept] = shown.cookies;
      expect(kept).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/outbox' });
      const cookie = `other=1; ${kept?.name}=${kept?.value}`;
      expect((await ask('/outbox', { cookie })).statusCode).toBe(200);
      expect((await ask('/outbox.json', { cookie }, '::ffff:172.17.0.1')).statusCode).toBe(200);
    });

    it.each<[string, string, Record<string, string>, string]>([
      ['a stranger from its address, without the key', '/outbox', {}, '172.17.0.1'],
      ['a wrong key', '/outbox?key=guess', {}, '172.17.0.1'],
      ['a wrong cookie', '/outbox', { cookie: 'outbox-key=guess' }, '172.17.0.1'],
      ['another container that has the key', `/outbox?key=${containerHost.key}`, {}, '172.17.0.9'],
      ['another name', `/outbox?key=${containerHost.key}`, { host: 'vault.example' }, '172.17.0.1'],
      ['a proxy', `/outbox?key=${containerHost.key}`, { 'x-forwarded-for': '203.0.113.9' }, '172.17.0.1'],
    ])('not %s', async (_, url, headers, peer) => {
      expect((await ask(url, headers, peer)).statusCode).toBe(404);
    });
  });

  it('get 404 when both mail and texts are really sent', async () => {
    const { app, opened } = await openOutbox({ mail: 'smtp', sms: 'twilio' });
    const id = await enqueueNotification(opened, place.db, invitation('Zoë'));
    for (const url of pathsOf(id)) expect((await app.inject({ url, headers: here })).statusCode).toBe(404);
  });

  it('with texts only, when mail is sent for real', async () => {
    const { app, opened } = await openOutbox({ mail: 'smtp' });
    const mailId = await enqueueNotification(opened, place.db, invitation('Zoë'));
    await enqueueNotification(opened, place.db, place.text());
    const response = await app.inject({ url: '/outbox', headers: here });
    expect(response.body).toContain('Canary');
    expect(response.body).not.toContain('Zoë');
    expect((await app.inject({ url: `/outbox/${mailId}`, headers: here })).statusCode).toBe(404);
  });
});
