import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { ComponentType } from 'react';
import { Route, Router } from 'wouter';
import { memoryLocation } from 'wouter/memory-location';
import { dayMs } from '#shared/rules/inactivity.ts';
import { createQueryClient } from '#web/lib/api/query.ts';

/** A moment some days from now, as the service sends it. */
export function daysFromNow(days: number): string {
  return new Date(Date.now() + days * dayMs).toISOString();
}

/** An id that the contract accepts, told apart by its last digits. */
export function idOf(number: number): string {
  return `0b0e7c1e-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** Answer of the service to one call; `unreachable` for none. */
/** The body is an answer’s JSON, or the bytes of a file. */
type Answer = { status: number; body: unknown } | 'unreachable';

export type Service = {
  /** By method and path: `GET /api/…`. */
  answers: Record<string, Answer>;
  /** Answer to a call that has none of its own. */
  answerTo?: (key: string, body: unknown) => Answer | undefined;
  /** Every call so far, in order. */
  calls: { key: string; body: unknown; version?: string }[];
  count(key: string): number;
  stop(): void;
};

/** Stands in for the service, at the one place where the pages reach it. */
export function startService(): Service {
  const realFetch = globalThis.fetch;
  const service: Service = {
    answers: {},
    calls: [],
    count: (key) => service.calls.filter((made) => made.key === key).length,
    stop: () => {
      globalThis.fetch = realFetch;
    },
  };
  globalThis.fetch = async (url, init) => {
    // The version of a deleted item stands beside the call, so that one answer fits all versions.
    const [address, version] = String(url).split('?version=');
    const key = `${init?.method ?? 'GET'} ${address}`;
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
    service.calls.push({ key, body, ...(version === undefined ? {} : { version }) });
    const answer = service.answers[key] ?? service.answerTo?.(key, body);
    if (!answer) throw new Error(`Nobody expected ${key}.`);
    if (answer === 'unreachable') throw new TypeError('Failed to fetch');
    const { status } = answer;
    // A change without an answer has no body.
    if (answer.body === null && status === 200 && !key.startsWith('GET')) return new Response(null, { status: 204 });
    return answer.body instanceof ArrayBuffer
      ? new Response(answer.body, { status })
      : Response.json(answer.body, { status });
  };
  return service;
}

/** Shows a page at an address, as the router would. Gives the addresses that were gone to, the first one included. */
export function openPage(Page: ComponentType, { route, at }: { route: string; at: string }) {
  const [path = at, search = ''] = at.split('?');
  const { hook, searchHook, history } = memoryLocation({ path, searchPath: search, record: true });
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Router hook={hook} searchHook={searchHook}>
        <Route path={route} component={Page} />
      </Router>
    </QueryClientProvider>,
  );
  return { history };
}
