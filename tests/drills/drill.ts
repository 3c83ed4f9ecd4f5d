import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#server/platform/db/embedded/launcher.ts';
import type { Figure } from '#tests/bench/figure.ts';
import { type SwallowingProxy, startSwallowingProxy } from '#tests/support/servers/swallowing-proxy.ts';

/** A part that others make, and the package of Debian that brings it. */
export type Part = { command: string; package: string };

/** Something that goes wrong around the service, with real parts, and what the service makes of it, in figures. */
export type Drill = {
  name: string;
  shows: string;
  needs: readonly Part[];
  /** Run by hand alone: `npm run prove` has no minutes for it. */
  takesMinutes?: true;
  /** Ends with figures; one with a goal that is not met fails the drill. Words are those given after its name. */
  run(words?: readonly string[]): Promise<Figure[]>;
};

/** Parts that are not installed here. */
export function missingParts({ needs }: Pick<Drill, 'needs'>): readonly Part[] {
  return needs.filter(({ command }) => pathOf(command) === null);
}

/** Path of a command. Server commands are in folders outside of many PATHs. */
export function pathOf(command: string): string | null {
  // PostgreSQL of Debian before any other, because its parts must have one version.
  const folders = [...postgresFolders(), ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, command)).find(isThere) ?? null;
}

/** Debian's folders for PostgreSQL server programs, newest first. */
function postgresFolders(): string[] {
  const all = '/usr/lib/postgresql';
  const versions = existsSync(all) ? readdirSync(all) : [];
  return versions.toSorted((one, other) => Number(other) - Number(one)).map((version) => join(all, version, 'bin'));
}

function isThere(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export type DrillDatabase = {
  connection: EmbeddedPostgres['connection'];
  /** Stands before it on a port of its own. */
  proxy: SwallowingProxy;
  /** The way over the proxy, as DATABASE_URL. */
  url: string;
  stop(): Promise<void>;
};

/** A PostgreSQL for one drill, reached by the drill itself directly, and by the service over a proxy. */
export async function startDatabase(): Promise<DrillDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'everkept-drill-'));
  const postgres = await startEmbeddedPostgres({ dataDir });
  const { host, port, user, database } = postgres.connection;
  const proxy = await startSwallowingProxy({ path: `${host}/.s.PGSQL.${port}` });
  return {
    connection: postgres.connection,
    proxy,
    url: `postgresql://${user}@127.0.0.1:${proxy.port}/${database}`,
    async stop() {
      await proxy.close();
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

/** A figure that has to be no more than the goal. */
export function atMost(what: string, value: number, { goal, unit = '' }: { goal: number; unit?: string }): Figure {
  const shown = Number.isInteger(value) ? String(value) : value.toFixed(1);
  return { what, figure: `${shown}${unit}`, goal: `≤ ${goal}${unit}`, met: value <= goal };
}

/** Failed requests out of a number, by kind; none may fail. */
export function noneFailed(what: string, failed: ReadonlyMap<string, number>): Figure[] {
  const count = [...failed.values()].reduce((total, each) => total + each, 0);
  return [
    atMost(what, count, { goal: 0 }),
    ...[...failed].map(([how, times]) => ({ what: `  ${how}`, figure: String(times) })),
  ];
}

const letter = {
  title: 'To Nell',
  content: 'By the pear tree.',
  recipientEmail: 'nell@family.example',
  status: 'draft',
};

/** Requests of a signed-in owner, in order. */
export const ownersRequests: readonly { path: string; body?: object }[] = [
  { path: '/api/messages' },
  { path: '/api/user' },
  { path: '/api/trusted-contacts' },
  { path: '/api/dashboard/stats' },
  { path: '/api/checkin', body: {} },
  { path: '/api/messages' },
  { path: '/api/user' },
  { path: '/api/messages', body: letter },
];

/** True if something on this machine takes connections at a port. */
export function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
