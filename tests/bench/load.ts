import autocannon from 'autocannon';

export type Load = { requestsPerSecond: number; p50Ms: number; p99Ms: number; refused: number };

const connections = 16;
const warmUpSeconds = 2;
const measuredSeconds = 5;

export type Target = { url: string; method?: 'GET' | 'POST'; headers?: Record<string, string>; body?: string };

/** Loads one address, after a warm-up that is not counted. */
export async function load(target: Target): Promise<Load> {
  await fire(target, warmUpSeconds);
  const result = await fire(target, measuredSeconds);
  return {
    requestsPerSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    refused: result.non2xx + result.errors,
  };
}

let client = 0;

function fire(target: Target, durationSeconds: number): Promise<autocannon.Result> {
  return autocannon({
    url: target.url,
    connections,
    duration: durationSeconds,
    requests: [
      {
        method: target.method ?? 'GET',
        ...(target.body === undefined ? {} : { body: target.body }),
        // Budgets are for each client; behind a trusted proxy every call comes from another one.
        setupRequest: (request) => {
          client = (client + 1) % 65_536;
          const address = `198.18.${client >> 8}.${client & 255}`;
          return { ...request, headers: { ...target.headers, 'x-forwarded-for': address } };
        },
      },
    ],
  });
}
