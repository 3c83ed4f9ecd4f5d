import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFigures } from '#server/metrics.ts';
import { createDatabaseClock } from '#server/platform/clock/clock.ts';
import { createMemoryStore } from '#server/platform/files/memory-store.ts';
import { createTestApp, signedIn, type TestApp } from '#tests/support/app.ts';

const token = 'a-token-for-the-collector';
const store = createMemoryStore();
let world: TestApp;

beforeAll(async () => {
  world = await createTestApp({
    http: {
      metrics: {
        token,
        isPublic: false,
        read: () => {
          const { db, pool, silences } = world.database;
          return readFigures({ db, pool, silences, store, clock: createDatabaseClock(db, { testClock: false }) });
        },
      },
    },
  });
});

afterAll(() => world.close());

const local = { host: 'localhost:3000' };
const ask = (headers: Record<string, string> = local, remoteAddress = '127.0.0.1') =>
  world.app.inject({ method: 'GET', url: '/metrics', headers, remoteAddress });

test('a collector reads requests by route, the state of the installation and of the process', async () => {
  const { person } = await signedIn(world);
  await world.app.inject({ method: 'GET', url: '/api/message-delivery/a-secret-token-of-a-letter', headers: local });
  await world.app.inject({ method: 'GET', url: '/nowhere/at/all?email=ada@people.example' });
  await world.database.pool.query(`insert into task_runs (name, begun_at, ended_at, failed_at, failure) values
    ('erasures', now(), now() - interval '1 day', now(), 'RangeError'), ('sweep', now(), now(), null, null)`);
  const answer = await ask();
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, expect.stringContaining('text/plain')]);
  const { body } = answer;
  expect(body).toMatch(/everkept_http_requests_total\{method="POST",route="\/api\/login",status="200"\} 1/);
  expect(body).toMatch(/everkept_http_request_duration_seconds_count\{method="POST",route="\/api\/login"\} 1/);
  for (const name of [
    'everkept_worker_last_beat_seconds',
    'everkept_healthy_seconds',
    'everkept_site_failing_seconds 0',
    'everkept_site_last_answer_seconds 0',
    'everkept_alerts_open{trouble="worker"} 0',
    'everkept_alerts_open{trouble="site"} 0',
    'everkept_releases_frozen 0',
    'everkept_integrity_broken 0',
    'everkept_task_failed{task="erasures"} 1',
    'everkept_task_failed{task="sweep"} 0',
    'everkept_database_connections{state="open"}',
    'everkept_file_store_ok 1',
    'everkept_database_silences 0',
    'everkept_nodejs_eventloop_lag_seconds',
  ]) {
    expect(body).toContain(name);
  }
  for (const secret of [person.email, 'a-secret-token-of-a-letter', 'ada@people.example', 'nowhere']) {
    expect(body).not.toContain(secret);
  }
  store.failWith(new Error('gone'));
  expect((await ask()).body).toContain('everkept_file_store_ok 0');
});

test('a page that broke the policy is counted by directive, and nothing of what the report says is kept', async () => {
  const report = (type: string, body: unknown) =>
    world.app.inject({
      method: 'POST',
      url: '/csp-reports',
      headers: { ...local, 'content-type': type },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const uri = 'https://vault.example/message/a-secret-token-of-a-letter';
  const answers = [
    await report('application/csp-report', { 'csp-report': { 'document-uri': uri, 'effective-directive': 'img-src' } }),
    await report('application/reports+json', [
      { type: 'csp-violation', body: { documentURL: uri, effectiveDirective: 'img-src' } },
      { type: 'csp-violation', body: { effectiveDirective: `evil"} ${uri}` } },
    ]),
    await report('application/csp-report', '{'),
    await report('application/csp-report', 'x'.repeat(20_000)),
    await report('application/json', {}),
  ];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([204, 204, 204, 413, 415]);
  const { body } = await ask();
  expect(body).toMatch(/everkept_csp_reports_total\{directive="img-src"\} 2/);
  expect(body).toMatch(/everkept_csp_reports_total\{directive="unknown"\} 2/);
  expect(body).not.toMatch(/evil|a-secret-token/);
  expect(world.log.join()).not.toMatch(/evil|a-secret-token/);
});

test('other callers find nothing there, unless they hold the token', async () => {
  const elsewhere = '203.0.113.9';
  const bearer = (given: string) => ({ ...local, authorization: `Bearer ${given}` });
  expect((await ask(local, elsewhere)).statusCode).toBe(404);
  expect((await ask({ ...local, 'x-forwarded-for': '127.0.0.1' })).statusCode).toBe(404);
  expect((await ask({ host: 'vault.example' })).statusCode).toBe(404);
  expect((await ask(bearer('another-token-altogether'), elsewhere)).statusCode).toBe(404);
  expect((await ask(bearer(''), elsewhere)).statusCode).toBe(404);
  expect((await ask(bearer(token), elsewhere)).statusCode).toBe(200);
});
