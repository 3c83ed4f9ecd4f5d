import { askEveryMs } from './site-watch.rules.ts';

type Log = { error(details: object, message: string): void };

/** Looks about once a minute until it is closed; a look that fails is written down, and the next one comes all the same. */
export function keepLooking(
  watch: { look(): Promise<void> },
  { everyMs = askEveryMs, log }: { everyMs?: number; log: Log },
): { close(): Promise<void> } {
  let looking: Promise<void> | null = null;
  const timer = setInterval(() => {
    looking ??= watch
      .look()
      .catch((err: unknown) => log.error({ err }, 'the watch over the service failed'))
      .finally(() => {
        looking = null;
      });
  }, everyMs);
  return {
    async close() {
      clearInterval(timer);
      await looking;
    },
  };
}
