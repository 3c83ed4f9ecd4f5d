import { type DestinationStream, type Logger, pino } from 'pino';
import { loggerOptions } from '#server/http/logging.ts';
import { connectionTo } from '#server/platform/db/connection.ts';
import { type OpenDatabase, openDatabase } from '#server/platform/db/database.ts';
import { startEmbeddedPostgres } from '#server/platform/db/embedded/launcher.ts';
import { findPooler } from '#server/platform/db/find-pooler.ts';
import type { Pooler } from '#server/platform/db/limits.ts';
import { migrateDatabase, requireTables } from '#server/platform/db/migrate.ts';
import type { Settings } from './settings.ts';

/** A migrated database and the log. Every command needs these two. */
export type Ground = OpenDatabase & { log: Logger };

export type Opening = {
  logTo?: DestinationStream;
  /**
   * `migrated` brings the tables up to this release, for a server and `everkept migrate`. `required` fails unless they are of
   * this release. `any` also accepts tables of an earlier release.
   */
  tables?: 'migrated' | 'required' | 'any';
};

/**
 * Opens the database: the embedded one, unless the settings name another. An empty database gets its tables in each case.
 * The log goes to standard error by default, since other programs may read a command's answer from its standard output.
 */
export async function openGround(
  settings: Settings,
  { logTo = process.stderr, tables = 'required' }: Opening = {},
): Promise<Ground> {
  const log = pino(loggerOptions({ level: settings.logLevel }), logTo);
  const database = await openServer(settings, log);
  let pooler: Pooler;
  try {
    const migration = { connection: database.connection, log: (sentence: string) => log.warn(sentence) };
    if (tables === 'migrated') await migrateDatabase(migration);
    else await requireTables({ ...migration, anyRelease: tables === 'any' });
    pooler = settings.database.pooler ?? (settings.databaseUrl ? await findPooler(database.connection) : 'none');
  } catch (error) {
    await database.stop();
    throw error;
  }
  if (pooler !== 'none') log.info({ pooler }, 'there is a pooler in front of the database');
  const { limits, poolSize: maxConnections } = settings.database;
  const opened = openDatabase({
    connection: database.connection,
    maxConnections,
    limits,
    pooler,
    onError: (err) => log.warn({ err }, 'a database connection broke'),
    onSilent: (connections) =>
      log.error(
        { connections },
        'connections to the database went silent and were closed; their work continues over new ones',
      ),
  });
  return {
    ...opened,
    log,
    async close() {
      await opened.close();
      await database.stop();
    },
  };
}

/** Connects to the configured server, or starts the embedded one. Its database may be of any version, or empty. */
export async function openServer(settings: Settings, log: Logger) {
  if (settings.databaseUrl !== undefined) {
    return { connection: connectionTo(settings.databaseUrl), stop: async () => {} };
  }
  return startEmbeddedPostgres({ dataDir: settings.dataDir, log: (sentence) => log.info(sentence) });
}
