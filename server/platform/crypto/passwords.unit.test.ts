import { describe, expect, it } from 'vitest';
import { beginWork } from '#server/platform/running-work/running-work.ts';
import { rawHashOf } from '#tests/support/passwords.ts';
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
    expect(await passwords.check(stored, 'password')).toBe('outdated');
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
    const checkWith = (memoryKib: number, passes: number) =>
      createPasswords({ memoryKib, passes, lanes: 1 }).check(stored, 'twelve lemons');
    expect(await checkWith(19_456, 2)).toBe('right');
    expect(await checkWith(32_768, 2)).toBe('outdated');
    expect(await checkWith(19_456, 3)).toBe('outdated');
  });

  const composed = 'p\u00e4ssw\u00f6rd caf\u00e9 1';
  it.each([
    ['in one character for each letter', composed, composed],
    ['in a letter and a mark', composed, composed.normalize('NFD')],
    ['in a letter and a mark at first', composed.normalize('NFD'), composed],
    [
      'in full width',
      'twelve lemons 1',
      '\uff54\uff57\uff45\uff4c\uff56\uff45\u3000\uff4c\uff45\uff4d\uff4f\uff4e\uff53\u3000\uff11',
    ],
    ['with a ligature', 'five figs to finish', '\ufb01ve \ufb01gs to \ufb01nish'],
  ])('is known again if it is typed %s', async (_, chosen, typed) => {
    expect(await passwords.check(await passwords.hash(chosen), typed)).toBe('right');
  });

  it('that was hashed as typed is right once more, and outdated', async () => {
    const typed = composed.normalize('NFD');
    expect(await passwords.check(rawHashOf(typed), typed)).toBe('outdated');
    expect(await passwords.verify(rawHashOf(typed), typed)).toBe(true);
    expect(await passwords.check(rawHashOf(typed), `${typed}!`)).toBe('wrong');
  });
});

describe('a rush', () => {
  it('from one network leaves others their turn', async () => {
    const quick = createPasswords({ memoryKib: 8, passes: 1, lanes: 1 });
    const stored = await quick.hash('twelve lemons');
    const from = <Result>(sender: string, act: () => Result) => beginWork('POST /api/login', { sender }).run(act);
    const order: string[] = [];
    const guess = () =>
      from('network 2001:db8:1::/48', () => quick.verify(null, 'guess').then(() => order.push('guess')));
    const guesses = Promise.allSettled(Array.from({ length: waitingMax + 30 }, guess));
    await from('network 203.0.113.0/24', () =>
      quick.check(stored, 'twelve lemons').then((checked) => order.push(checked)),
    );
    await guesses;
    expect(order.indexOf('right')).toBeLessThan(6);
    expect(order.length).toBeGreaterThan(waitingMax - 1);
  });

  it('is refused before anything is counted', async () => {
    const quick = createPasswords({ memoryKib: 8, passes: 1, lanes: 1 });
    let counted = 0;
    const count = async () => {
      counted += 1;
    };
    const results = await Promise.allSettled(
      Array.from({ length: waitingMax + 30 }, () => quick.check(null, 'guess', count)),
    );
    expect(counted).toBe(results.filter(({ status }) => status === 'fulfilled').length);
    expect(counted).toBeLessThan(waitingMax + 30);
  });

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
