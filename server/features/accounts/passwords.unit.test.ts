import { describe, expect, it } from 'vitest';
import { createPasswords, waitingMax } from './passwords.ts';

const passwords = createPasswords();

describe('a stored password', () => {
  it('is an Argon2id PHC string with OWASP’s least or more, and another one each time', async () => {
    const [one, two] = await Promise.all([passwords.hash('twelve lemons'), passwords.hash('twelve lemons')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(two);
  });

  it.each(['twelve lemons', '🐝🐝🐝🐝', `${'x'.repeat(127)}y`, ' leading and trailing '])(
    'is known again: %s',
    async (password) => {
      const stored = await passwords.hash(password);
      expect(await passwords.verify(stored, password)).toBe(true);
      expect(await passwords.verify(stored, `${password.slice(0, -1)}~`)).toBe(false);
      expect(await passwords.verify(stored, `${password} `)).toBe(false);
    },
  );

  it('made by another program is known too', async () => {
    // RFC 9106's reference tool: echo -n "password" | argon2 somesalt -id -t 2 -m 16 -p 1
    const stored = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(await passwords.verify(stored, 'password')).toBe(true);
    expect(passwords.isOutdated(stored)).toBe(true);
  });

  it('that is missing matches nothing, after the same work', async () => {
    expect(await passwords.verify(null, '')).toBe(false);
    expect(await passwords.verify(null, 'anything')).toBe(false);
  });

  it('that is broken is our failure and not a wrong password', async () => {
    await expect(passwords.verify('plain text', 'plain text')).rejects.toThrow('not an Argon2id PHC string');
  });

  it('is outdated when any parameter differs', async () => {
    const stored = await passwords.hash('twelve lemons');
    expect(passwords.isOutdated(stored)).toBe(false);
    expect(createPasswords({ memoryKib: 32_768, passes: 2, lanes: 1 }).isOutdated(stored)).toBe(true);
    expect(createPasswords({ memoryKib: 19_456, passes: 3, lanes: 1 }).isOutdated(stored)).toBe(true);
  });
});

describe('a rush', () => {
  it('is refused beyond what may wait, with a time to come back, and the rest is served', async () => {
    const quick = createPasswords({ memoryKib: 8, passes: 1, lanes: 1 });
    const results = await Promise.allSettled(
      Array.from({ length: waitingMax + 30 }, () => quick.hash('twelve lemons')),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(results.length - refused.length).toBeGreaterThanOrEqual(waitingMax);
    expect(refused.length).toBeGreaterThanOrEqual(20);
    expect(refused[0]?.reason).toMatchObject({ type: 'UNAVAILABLE', details: { retryAfterSeconds: 3 } });
    expect(await quick.hash('twelve lemons')).toBeTypeOf('string');
  });
});
