import pg from 'pg';
import { insecureAllowed, isLoopback } from '#server/platform/loopback.ts';
import { DatabaseUnreachableError } from './reach.ts';

/**
 * Connection settings for `DATABASE_URL`. A remote database is reached over TLS with a checked certificate, whatever
 * the address says. `?allowInsecure=1` at its end leaves that to the address.
 *
 * @throws DatabaseUnreachableError if the address turns TLS off without `allowInsecure`.
 */
export function connectionTo(databaseUrl: string): pg.PoolConfig {
  const { address, isAllowed } = insecureAllowed(databaseUrl);
  const connection = { connectionString: address };
  // The driver reads what the URL standard does not, such as the folder of a socket. Nothing is opened here.
  const { host, ssl } = new pg.Client(connection);
  const isHere = host.startsWith('/') || isLoopback(host);
  if (isHere || isAllowed || verifies(ssl)) return connection;
  if (/[?&]sslmode=/.test(address)) {
    throw new DatabaseUnreachableError(
      'DATABASE_URL leads to another machine, and its sslmode does not protect the connection. Use sslmode=verify-full. If no one else can listen on that network, add allowInsecure=1 at the end instead.',
    );
  }
  return { ...connection, ssl: true };
}

function verifies(ssl: unknown): boolean {
  if (typeof ssl !== 'object' || ssl === null) return ssl === true;
  return !('rejectUnauthorized' in ssl) || ssl.rejectUnauthorized !== false;
}
