const limitedStatus = 429;
/** Wait that a person may be asked for: the window of a route's own limit. The limit of a day is an error at once. */
const waitSecondsMax = 60;
const triesMax = 3;

/** Sends a request again once the limit of a minute allows it. A longer wait, or the last answer, is for the caller. */
export async function askAgain(ask: () => Promise<Response>, signal: AbortSignal): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const response = await ask();
    const named = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
    const seconds = Number.isNaN(named) ? waitSecondsMax : named;
    if (response.status !== limitedStatus || tries === triesMax || seconds > waitSecondsMax) return response;
    await pause(seconds * 1_000, signal);
  }
}

/** @throws the reason of `signal` once it is aborted. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
  });
  signal.throwIfAborted();
}
