import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '#shared/contract/route.ts';
import { ApiError, call, pathOf } from './api.ts';

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
