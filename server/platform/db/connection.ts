import pg from 'pg';
import { insecureAllowed, isLoopback } from '#server/platform/loopback.ts';
import { DatabaseUnreachableError } from './reach.ts';

/**
 * How to connect to the database that DATABASE_URL names. One on another machine is spoken to over TLS, and its
 * certificate checked, whether the address asks for that or not; `?allowInsecure=1` at its end leaves it to the address.
 * @throws DatabaseUnreachableError where the address turns TLS off and nothing allows that.
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
      'DATABASE_URL leads to another machine, and its sslmode leaves the way there unprotected. Use sslmode=verify-full, or put allowInsecure=1 at the end where nobody else can listen in between.',
    );
  }
  return { ...connection, ssl: true };
}

function verifies(ssl: unknown): boolean {
  if (typeof ssl !== 'object' || ssl === null) return ssl === true;
  return !('rejectUnauthorized' in ssl) || ssl.rejectUnauthorized !== false;
}
