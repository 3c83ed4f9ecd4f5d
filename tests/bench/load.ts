import autocannon from 'autocannon';

export type Load = { requestsPerSecond: number; p50Ms: number; p99Ms: number; refused: number };

/** Calls that are under way at once. */
export const connections = 32;
/** Seconds of a load. The first few warm up and are not counted. */
const pace = { full: { warmUp: 2, measured: 5 }, small: { warmUp: 1, measured: 1 } };

export type Target = {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** Cookies of those who call. Each connection has a share of its own, so no two calls of one owner meet. */
  cookies?: readonly string[];
  /** Its answer to what it took leads elsewhere. */
  isRedirected?: boolean;
};

/** Loads one address, after a warm-up that is not counted. */
export async function load(target: Target, { isSmall = false } = {}): Promise<Load> {
  const { warmUp, measured } = isSmall ? pace.small : pace.full;
  await fire(target, warmUp);
  const result = await fire(target, measured);
  return {
    requestsPerSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    refused: result.non2xx - (target.isRedirected ? result['3xx'] : 0) + result.errors,
  };
}

/** Enough that none spends its budget, and few enough that each is counted in the database at times. */
const clients = 768;
let client = 0;

/** Budgets are for each client; behind a trusted proxy every call comes from another one. */
function nextAddress(): string {
  client = (client + 1) % clients;
  return `198.18.${client >> 8}.${client & 255}`;
}

function fire({ url, method = 'GET', headers, body, cookies }: Target, seconds: number): Promise<autocannon.Result> {
  let opened = 0;
  return autocannon({
    url,
    connections,
    duration: seconds,
    setupClient: (connection) => {
      const share = (cookies ?? []).filter((_, index) => index % connections === opened % connections);
      opened += 1;
      let calls = 0;
      connection.setRequests([
        {
          method,
          ...(body === undefined ? {} : { body }),
          setupRequest: (request) => {
            const cookie = share[calls % Math.max(1, share.length)];
            calls += 1;
            const own = { ...headers, 'x-forwarded-for': nextAddress(), ...(cookie ? { cookie } : {}) };
            return { ...request, headers: own };
          },
        },
      ]);
    },
  });
}
