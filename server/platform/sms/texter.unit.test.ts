import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMemoryTexter } from './memory-texter.ts';
import { createOutboxTexter, openTexter, type Texter, type TextResult } from './texter.ts';
import { createTwilioTexter } from './twilio-texter.ts';

type Answer = { status: number; body?: object } | 'close' | 'silence';
type Seen = { path: string; authorization: string; form: Record<string, string> };

const accepted: Answer = { status: 201, body: { sid: 'SM0123456789abcdef0123456789abcdef', status: 'queued' } };

/**
 * Speaks the two calls of Twilio's API that we use: `POST /2010-04-01/Accounts/{sid}/Messages.json`, and `GET` of one of
 * them.
 */
async function startTwilio(answer: Answer = accepted) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const form = Object.fromEntries(new URLSearchParams(await bodyOf(request)));
    seen.push({ path: request.url ?? '', authorization: request.headers.authorization ?? '', form });
    if (answer === 'close') request.socket.destroy();
    else if (answer !== 'silence') {
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body ?? {}));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const texter = createTwilioTexter({
    accountSid: 'AC0123456789abcdef0123456789abcdef',
    authToken: 'secret',
    from: '+447700900000',
    apiBase: `http://127.0.0.1:${port}`,
    // Whatever answers may take as long as it needs: only what never does is given up.
    ...(answer === 'silence' ? { timeoutMs: 300 } : {}),
  });
  return { texter, seen };
}

const sid = 'SM0123456789abcdef0123456789abcdef';

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

const report = (status: string, errorCode: number | null = null): Answer => ({
  status: 200,
  body: { sid, status, error_code: errorCode },
});

const drivers: [string, () => Promise<Texter>][] = [
  ['outbox', async () => createOutboxTexter()],
  ['memory', async () => createMemoryTexter()],
  ['twilio', async () => (await startTwilio()).texter],
];

describe.each(drivers)('the %s texter', (name, open) => {
  it('accepts a text, in any script', async () => {
    const texter = await open();
    const { outcome } = await texter.send({ to: '+447700900123', text: 'Are you well? محمد 李雷' });
    expect(outcome).toBe(name === 'twilio' ? 'queued' : 'accepted');
  });

  it('refuses a recipient that is not one number, without throwing', async () => {
    const texter = await open();
    for (const to of ['', '07700900123', '+44 7700 900123', '+447700900123,+447700900124', '+44\n7700900123', 'Sam']) {
      expect(await texter.send({ to, text: 'Hello' })).toEqual({ outcome: 'refused', replyCode: null });
    }
    await texter.close();
  });
});

describe('the Twilio texter', () => {
  it('posts what Twilio asks for and keeps the id of its answer', async () => {
    const { texter, seen } = await startTwilio();
    expect(await texter.send({ to: '+447700900123', text: 'Are you well? Reply YES.' })).toEqual({
      outcome: 'queued',
      providerId: sid,
    });
    expect(seen).toEqual([
      {
        path: '/2010-04-01/Accounts/AC0123456789abcdef0123456789abcdef/Messages.json',
        authorization: `Basic ${Buffer.from('AC0123456789abcdef0123456789abcdef:secret').toString('base64')}`,
        form: { To: '+447700900123', From: '+447700900000', Body: 'Are you well? Reply YES.' },
      },
    ]);
  });

  it.each<[string, Answer, TextResult]>([
    ['delivered', report('delivered'), { outcome: 'accepted', providerId: sid }],
    ['read', report('read'), { outcome: 'accepted', providerId: sid }],
    ['sent and no more', report('sent'), { outcome: 'queued', providerId: sid }],
    ['still queued', report('queued'), { outcome: 'queued', providerId: sid }],
    ['a status of next year', report('rerouted'), { outcome: 'queued', providerId: sid }],
    [
      'undelivered to a phone that is off',
      report('undelivered', 30_003),
      { outcome: 'undelivered', replyCode: 30_003 },
    ],
    ['failed without a reason', report('failed'), { outcome: 'undelivered', replyCode: null }],
    ['undelivered to a landline', report('undelivered', 30_006), { outcome: 'refused', replyCode: 30_006 }],
    ['unknown', { status: 404, body: { code: 20_404, status: 404 } }, { outcome: 'undelivered', replyCode: 20_404 }],
    ['not to be had while Twilio is down', { status: 503 }, { outcome: 'queued', providerId: sid }],
    ['not to be had while the connection breaks', 'close', { outcome: 'queued', providerId: sid }],
  ])('reports a text as %s', async (_, answer, result) => {
    const { texter, seen } = await startTwilio(answer);
    expect(await texter.reportOn(sid)).toEqual(result);
    expect(seen.map(({ path }) => path)).toEqual([
      `/2010-04-01/Accounts/AC0123456789abcdef0123456789abcdef/Messages/${sid}.json`,
    ]);
  });

  it.each<[string, Answer, 'refused' | 'temporary', number | null]>([
    [
      'the number does not exist',
      { status: 400, body: { code: 21211, message: 'Invalid', status: 400 } },
      'refused',
      21211,
    ],
    [
      'the holder has stopped texts',
      { status: 400, body: { code: 21610, message: 'Stop', status: 400 } },
      'refused',
      21610,
    ],
    ['there are too many', { status: 429, body: { code: 20429, message: 'Slow', status: 429 } }, 'temporary', 20429],
    ['our password is wrong', { status: 401, body: { code: 20003, message: 'Auth', status: 401 } }, 'temporary', 20003],
    ['our sender is wrong', { status: 400, body: { code: 21606, message: 'From', status: 400 } }, 'temporary', 21606],
    ['Twilio is down', { status: 503 }, 'temporary', null],
    ['the answer has no id', { status: 201, body: {} }, 'temporary', null],
    ['the connection breaks', 'close', 'temporary', null],
    ['nothing is answered', 'silence', 'temporary', null],
  ])('after %s', async (_, answer, outcome, replyCode) => {
    const { texter, seen } = await startTwilio(answer);
    expect(await texter.send({ to: '+447700900123', text: 'Hello' })).toEqual({ outcome, replyCode });
    expect(seen, 'nothing is repeated by itself').toHaveLength(1);
  });
});

describe('openTexter', () => {
  it('keeps texts in the outbox until Twilio is set', async () => {
    expect((await openTexter({})).kind).toBe('outbox');
    const twilio = { accountSid: 'AC0123456789abcdef0123456789abcdef', authToken: 'secret', from: '+447700900000' };
    expect((await openTexter({ twilio })).kind).toBe('twilio');
  });
});
