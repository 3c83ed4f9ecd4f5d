import pg from 'pg';
import { startEmbeddedPostgres } from '#server/platform/db/embedded/launcher.ts';

/** A client with cookies that calls a running installation over the network. */
export type Visitor = {
  /** Sends JSON, or a form as it is. Gives the answer's body. Throws for a refusal, and for a server that is not there. */
  call<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
  cookie(): string;
};

const requestTimeoutMs = 60_000;

/** Budgets are for each network address; who calls very often comes from many, by way of a proxy that is trusted. */
const addresses = 250;

/** `addressOf` is asked before every call: an installation that was started again has another port. */
export function createVisitor(addressOf: () => string): Visitor {
  let cookie = '';
  let calls = 0;
  return {
    cookie: () => cookie,
    async call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
      calls += 1;
      const response = await fetch(addressOf() + path, {
        method,
        redirect: 'manual',
        signal: AbortSignal.timeout(requestTimeoutMs),
        headers: {
          'sec-fetch-site': 'same-origin',
          'x-forwarded-for': `198.18.0.${calls % addresses}`,
          cookie,
          ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
      }).catch((cause: unknown) => {
        throw new Error(`${method} ${path} was not answered.`, { cause });
      });
      const text = await response.text();
      if (response.status >= 400) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
      const [set] = response.headers.getSetCookie();
      if (set) cookie = set.split(';')[0] ?? '';
      return (text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text) as Answer;
    },
  };
}

/** Joins the database of an installation that runs, for as long as `use` takes. */
export async function withDatabaseOf<Result>(
  dataDir: string,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const server = await startEmbeddedPostgres({ dataDir });
  const client = new pg.Client(server.connection);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
    await server.stop();
  }
}
