import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dispatchDue } from '#server/features/notifications/notifications.dispatch.ts';
import { exportTraces } from '#server/platform/tracing/export-traces.ts';
import { currentTrace, inSpan } from '#server/platform/tracing/tracing.ts';
import { createEverkept, type Everkept } from '#tests/support/everkept.ts';

type Value = { stringValue?: string; intValue?: number | string };
type Span = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: Value }[];
};

let collector: Server;
let everkept: Everkept;
const received: string[] = [];

beforeAll(async () => {
  collector = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (request.url === '/v1/traces') received.push(body);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  everkept = await createEverkept();
});
afterAll(async () => {
  await everkept.close();
  collector.close();
});

/** Runs the work, and returns the spans that the collector received by then. */
async function traced(work: () => Promise<unknown>): Promise<Span[]> {
  received.length = 0;
  const { port } = collector.address() as AddressInfo;
  const traces = exportTraces({ endpoint: `http://127.0.0.1:${port}`, role: 'all' });
  await work().finally(() => traces.close());
  type Export = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
  return received.flatMap((body) =>
    (JSON.parse(body) as Export).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  );
}

test('a mail stands in the trace of the request that caused it, and neither says whose it is', async () => {
  const email = 'traced@people.example';
  const spans = await traced(async () => {
    await everkept.signUp({ email, firstName: 'Trudy' });
    await dispatchDue(everkept.opened);
  });
  const request = spans.find(({ name }) => name === 'POST /api/register');
  const mail = spans.find(({ name, traceId }) => name.startsWith('send ') && traceId === request?.traceId);
  expect(mail?.parentSpanId).toBe(request?.spanId);
  const facts = Object.fromEntries(mail?.attributes.map(({ key, value }) => [key, Object.values(value)[0]]) ?? []);
  expect(facts).toMatchObject({ 'everkept.channel': 'email', 'everkept.outcome': 'accepted' });
  expect(received.join()).not.toMatch(/traced@|Trudy|people\.example|token|password"/i);
});

test('a request is named by the pattern of its route, and its sender’s word about a trace is not taken', async () => {
  const token = 'a-link-that-nobody-may-see';
  const theirs = '4bf92f3577b34da6a3ce929d0e0e4736';
  const spans = await traced(async () => {
    const headers = { traceparent: `00-${theirs}-00f067aa0ba902b7-01` };
    await everkept.app.inject({ method: 'GET', url: `/api/message-delivery/${token}`, headers });
    await everkept.app.inject({ method: 'GET', url: '/livez' });
  });
  expect(spans.map(({ name }) => name)).toEqual(['GET /api/message-delivery/:token']);
  expect(spans[0]?.traceId).not.toBe(theirs);
  expect(received.join()).not.toContain(token);
});

test('a failure is traced by its kind, without its message', async () => {
  const spans = await traced(async () => {
    const work = inSpan({ name: 'a round' }, async () => {
      throw new TypeError('Dear Nell');
    });
    await expect(work).rejects.toThrow('Dear Nell');
  });
  expect(spans[0]?.attributes).toEqual([{ key: 'error.type', value: { stringValue: 'TypeError' } }]);
  expect(received.join()).not.toContain('Nell');
});

test('without an exporter nothing is traced, and an absent collector harms nothing', async () => {
  expect(await inSpan({ name: 'a round' }, async () => currentTrace())).toBeNull();
  const traces = exportTraces({ endpoint: 'http://127.0.0.1:9', role: 'web' });
  expect(await inSpan({ name: 'a round' }, async () => currentTrace())).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  await traces.close();
  expect(await inSpan({ name: 'a round' }, async () => currentTrace())).toBeNull();
});
