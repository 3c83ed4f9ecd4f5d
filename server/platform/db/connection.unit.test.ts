import { describe, expect, test } from 'vitest';
import { connectionTo } from './connection.ts';

const there = 'postgresql://everkept:secret@db.internal:5432/everkept';

describe('a database on another machine', () => {
  test('is spoken to over TLS, with its certificate checked', () => {
    expect(connectionTo(there)).toEqual({ connectionString: there, ssl: true });
    for (const mode of ['require', 'verify-ca', 'verify-full']) {
      expect(connectionTo(`${there}?sslmode=${mode}`)).toEqual({ connectionString: `${there}?sslmode=${mode}` });
    }
  });

  test.each(['disable', 'no-verify'])('is refused with sslmode=%s, without a word of its password', (mode) => {
    const connect = () => connectionTo(`${there}?sslmode=${mode}`);
    expect(connect).toThrow(/^DATABASE_URL .*allowInsecure=1.*\.$/);
    expect(connect).not.toThrow(/secret/);
  });

  test('is spoken to in the clear where that is allowed by name, which the driver never sees', () => {
    expect(connectionTo(`${there}?allowInsecure=1`)).toEqual({ connectionString: there });
    expect(connectionTo(`${there}?sslmode=disable&allowInsecure=1&application_name=a`)).toEqual({
      connectionString: `${there}?sslmode=disable&application_name=a`,
    });
    const odd = there.replace('secret', 'sec%3Fret');
    expect(connectionTo(`${odd}?allowInsecure=1`)).toEqual({ connectionString: odd });
    expect(connectionTo(`${there}?allowInsecure=0`)).toEqual({ connectionString: there, ssl: true });
  });
});

test.each([
  'postgresql://everkept:secret@localhost:5432/everkept',
  'postgresql://127.0.0.1/everkept',
  'postgresql://everkept@/everkept?host=%2Frun%2Fpostgresql&port=5432',
])('one on this machine is left as it is: %s', (url) => {
  expect(connectionTo(url)).toEqual({ connectionString: url });
});
