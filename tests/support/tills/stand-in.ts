import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Call = { method: string; path: string; query: URLSearchParams; text: string };
export type Answer = { status?: number; body: object | string | null };

/** A service on this machine: it notes its calls, and can be down. */
export async function createStandIn(answerTo: (call: Call) => Answer) {
  const calls: string[] = [];
  let failures = 0;
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
    const method = request.method ?? '';
    calls.push(`${method} ${path}`);
    const isDown = failures > 0;
    if (isDown) failures -= 1;
    const { status = 200, body } = isDown
      ? { status: 503, body: { error: { type: 'api_error', message: 'down' }, name: 'DOWN' } }
      : answerTo({ method, path, query, text });
    response.writeHead(status, { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' });
    response.end(body === null ? '' : typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    /** Address as given to a browser. */
    pagesUrl: `http://localhost:${port}`,
    calls,
    failNext(count: number) {
      failures = count;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
