import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { type OpenDatabase, openDatabase } from '#server/platform/db/database.ts';
import { templateDatabase } from './embedded-server.ts';

export type TestDatabase = OpenDatabase & {
  /** For code that opens connections of its own. */
  connection: pg.PoolConfig;
  /** Connection string, for a process that is started beside the test. */
  url: string;
};

const maxConnections = 10;

/** Longer than any test: on a loaded machine a hundred requests in parallel wait for each other, and must still succeed. */
const patientMs = 240_000;
const limits = { statementMs: patientMs, lockMs: patientMs, idleMs: patientMs };

/**
 * A database with all tables and no rows, for one test file. Call it in `beforeAll` and `close` in `afterAll`,
 * which drops it.
 */
export function createTestDatabase(): Promise<TestDatabase> {
  return createFrom(`template ${templateDatabase} strategy file_copy`);
}

/** A database without any table. */
export function createBlankDatabase(): Promise<TestDatabase> {
  return createFrom('template template0');
}

async function createFrom(template: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administer(`create database ${name} ${template}`);

  const connection = connectionTo(name);
  const errors: Error[] = [];
  let isClosing = false;
  const onError = (error: Error) => {
    // The pool says it has ended before its sockets are gone; dropping the database then ends those.
    if (!isClosing) errors.push(error);
  };
  const patient = { ...connection, connectionTimeoutMillis: patientMs };
  const opened = openDatabase({ connection: patient, maxConnections, onError, limits });
  return {
    ...opened,
    connection,
    url: `postgresql://${connection.user}@/${name}?host=${encodeURIComponent(connection.host)}&port=${connection.port}`,
    close: async () => {
      isClosing = true;
      await opened.close();
      await administer(`drop database ${name} with (force)`);
      if (errors.length > 0) throw new AggregateError(errors, 'The database broke connections during the test.');
    },
  };
}

/** Connects to any database of this run's server. */
export function connectionTo(database: string) {
  return { ...inject('postgres'), password: '', ssl: false, database };
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client(connectionTo('postgres'));
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
