import { startEmbeddedPostgres } from '#server/platform/db/embedded/launcher.ts';

/** Report of a child process to `forkEmbedded`. */
export type ChildReport = { adopted: boolean } | { failure: string };

/**
 * A process that runs the embedded database in the given directory until it is stopped. Tests start several, and kill
 * them.
 */
process.once('message', () => {
  void server.then((running) => running.stop()).then(() => process.disconnect());
});

const server = startEmbeddedPostgres({ dataDir: process.argv[2] ?? '' });
server.then(
  ({ adopted }) => report({ adopted }),
  (error: unknown) => {
    report({ failure: error instanceof Error ? error.message : String(error) });
    process.disconnect();
  },
);

function report(answer: ChildReport): void {
  process.send?.(answer);
}
