import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '#shared/contract/route.ts';
import { ApiError, call, pathOf } from './api.ts';
import { light } from './light-routes.ts';

const realFetch = globalThis.fetch;
const asked: { url: string; init: RequestInit }[] = [];

function answerWith(make: () => Response): void {
  globalThis.fetch = async (url, init) => {
    asked.push({ url: String(url), init: init ?? {} });
    return make();
  };
}

afterEach(() => {
  globalThis.fetch = realFetch;
  asked.length = 0;
});

const json = (body: unknown, init: ResponseInit = {}) =>
  new Response(JSON.stringify(body), { ...init, headers: { 'content-type': 'application/json; charset=utf-8' } });

const getNote = defineRoute({
  method: 'GET',
  path: '/api/notes/:id',
  access: 'session',
  summary: 'A note',
  params: z.object({ id: z.string() }),
  query: z.object({ from: z.string(), size: z.number() }),
  answer: z.object({ text: z.string() }),
});

const putNote = defineRoute({
  method: 'PUT',
  path: '/api/notes/:id',
  access: 'session',
  summary: 'Change a note',
  params: z.object({ id: z.string() }),
  body: z.object({ text: z.string() }),
  status: 204,
});

async function failure(make: () => Response): Promise<ApiError> {
  answerWith(make);
  const error = await call(getNote, { params: { id: '1' } }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

describe('a call', () => {
  it('fills the path, escapes values, leaves out undefined values and carries the cookies', async () => {
    answerWith(() => json({ text: 'hello' }));
    const { text } = await call(getNote, { params: { id: 'a/b c' }, query: { from: 'x&y' } });
    expect(text).toBe('hello');
    expect(asked[0]?.url).toBe('/api/notes/a%2Fb%20c?from=x%26y');
    expect(asked[0]?.init).toMatchObject({ method: 'GET', credentials: 'include' });
    expect(asked[0]?.init.headers).not.toHaveProperty('content-type');
  });

  it('sends a body as JSON and gives nothing where the answer has no body', async () => {
    answerWith(() => new Response(null, { status: 204 }));
    expect(await call(putNote, { params: { id: '1' }, body: { text: 'hi' } })).toBeUndefined();
    expect(asked[0]?.init.body).toBe('{"text":"hi"}');
    expect(asked[0]?.init.headers).toHaveProperty('content-type', 'application/json');
  });

  it('fills every name of a path', () => {
    expect(pathOf('/api/a/:one/b/:two', { one: '1', two: 2 })).toBe('/api/a/1/b/2');
  });
});

describe('a refusal', () => {
  it('carries the message and all that the body says', async () => {
    const body = {
      message: 'Your plan holds 2 messages.',
      type: 'MESSAGE_LIMIT_EXCEEDED',
      upgradeRequired: true,
      current: 2,
      limit: 2,
      issues: [{ path: 'title', message: 'Required' }],
    };
    const error = await failure(() => json(body, { status: 403 }));
    expect(error).toMatchObject({ ...body, status: 403, name: 'ApiError' });
  });

  it('has the status code and text for its message where the body says nothing', async () => {
    const error = await failure(() => json({}, { status: 404, statusText: 'Not Found' }));
    expect(error.message).toBe('404: Not Found');
    expect(error).toMatchObject({ status: 404, upgradeRequired: false, type: undefined, limit: undefined });
  });

  it('has the status text for its message where the body cannot be parsed', async () => {
    const error = await failure(() => new Response('<h1>Bad gateway</h1>', { status: 502, statusText: 'Bad Gateway' }));
    expect(error.message).toBe('Bad Gateway');
    expect(error.status).toBe(502);
  });

  it('says in words what happened where no answer came', async () => {
    const error = await failure(() => {
      throw new TypeError('Failed to fetch');
    });
    expect(error.status).toBe(0);
    expect(error.message).toBe('We could not reach Everkept. What you typed is kept. Try again in a minute.');
  });
});

const listNotes = defineRoute({
  method: 'GET',
  path: '/api/notes',
  access: 'session',
  summary: 'Notes',
  answer: z.array(z.object({ text: z.string() })),
});

const postNote = defineRoute({
  method: 'POST',
  path: '/api/notes',
  access: 'session',
  summary: 'Write a note',
  body: z.object({ text: z.string() }),
  status: 201,
  answer: z.object({ id: z.string(), text: z.string(), word: z.string().optional() }),
});

const page = '<!doctype html><title>Sign in to the hotel</title>';
const html = () => new Response(page, { headers: { 'content-type': 'text/html' } });
const half = () => new Response('{"id":"1","te', { headers: { 'content-type': 'application/json' } });
const cut = () =>
  new Response(
    new ReadableStream({
      start: (controller) => controller.error(new TypeError('network error')),
    }),
    { headers: { 'content-type': 'application/json' } },
  );
const redirected = () => Object.defineProperty(json({ id: '1', text: 'hi' }), 'redirected', { value: true });

describe('an answer that is not the one of the contract', () => {
  const unsure = 'We can’t tell whether this was saved. Your words are still here.';

  it.each([
    ['a page', html],
    ['no body, with status 204', () => new Response(null, { status: 204 })],
    ['no body, with status 200', () => new Response('', { headers: { 'content-type': 'application/json' } })],
    ['half of the JSON', half],
    ['a body that breaks off', cut],
    ['JSON of another service', () => json({ status: 'ok' })],
    ['a list', () => json([])],
    ['null', () => json(null)],
    [
      'JSON without saying so',
      () => new Response('{"id":"1","text":"hi"}', { headers: { 'content-type': 'text/plain' } }),
    ],
    ['an answer of another address', redirected],
    ['502 with the page of a proxy', () => new Response(page, { status: 502, statusText: 'Bad Gateway' })],
  ])('fails a change: %s', async (_, make) => {
    answerWith(make);
    const error = await call(postNote, { body: { text: 'hi' } }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ApiError', message: unsure, isUnclear: true });
  });

  it('fails a change, and a read, if a refusal breaks off', async () => {
    answerWith(() => new Response(cut().body, { status: 409, statusText: 'Conflict' }));
    const change = await call(postNote, { body: { text: 'hi' } }).catch((thrown: unknown) => thrown);
    expect(change).toMatchObject({ name: 'ApiError', message: unsure, isUnclear: true });
    const read = await call(listNotes).catch((thrown: unknown) => thrown);
    expect(read).toMatchObject({ name: 'ApiError', message: expect.stringContaining('could not reach Everkept') });
  });

  it.each([
    ['a page', html],
    ['JSON with status 200', () => json({ status: 'ok' })],
  ])('fails a change that gets no body: %s', async (_, make) => {
    answerWith(make);
    const error = await call(putNote, { params: { id: '1' }, body: { text: 'hi' } }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: unsure, isUnclear: true });
  });

  it.each([
    ['a page', html],
    ['an object', () => json({ status: 'ok' })],
    ['null', () => json(null)],
  ])('is no empty list: %s', async (_, make) => {
    answerWith(make);
    const error = await call(listNotes).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: 'We could not reach Everkept. What you typed is kept. Try again in a minute.',
    });
  });

  it.each([
    ['a list', light.listReaders, { status: 'ok' }],
    ['an object', light.checkin, { status: 'ok' }],
    ['one of several objects', light.login, { status: 'ok' }],
  ])('fails on small pages too: %s', async (_, route, body) => {
    answerWith(() => json(body));
    const error = await call(route, { body: {} } as never).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ isUnclear: true });
  });

  it('may leave out what the contract calls optional', async () => {
    answerWith(() => json({ id: '1', text: 'hi' }, { status: 201 }));
    expect(await call(postNote, { body: { text: 'hi' } })).toEqual({ id: '1', text: 'hi' });
  });

  it('is no failure of a call that its page has given up', async () => {
    const controller = new AbortController();
    answerWith(() => {
      controller.abort();
      return cut();
    });
    const error = await call(postNote, { body: { text: 'hi' }, signal: controller.signal }).catch((e: unknown) => e);
    expect(error).not.toBeInstanceOf(ApiError);
  });
});

it('a change carries its key, so that a repeat is known', async () => {
  answerWith(() => json({ id: '1', text: 'hi' }));
  await call(postNote, { body: { text: 'hi' }, changeKey: 'a-key' });
  expect(asked[0]?.init.headers).toHaveProperty('idempotency-key', 'a-key');
});
