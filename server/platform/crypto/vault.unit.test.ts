import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MasterKeys } from './master-key.ts';
import { createVaults, SealBrokenError, type SealContext, type Vault } from './vault.ts';

function masterKeysOf(...versions: number[]): MasterKeys {
  const keys = new Map(versions.map((version) => [version, randomBytes(32)]));
  const version = Math.max(...versions);
  return { current: { version, key: keys.get(version) ?? Buffer.alloc(0) }, find: (wanted) => keys.get(wanted) };
}

const vaults = createVaults(masterKeysOf(1));

function newVault(ownerId: string = randomUUID()): Vault {
  return vaults.open(ownerId, vaults.create(ownerId));
}

const place: SealContext = { table: 'messages', column: 'title', rowId: 'a' };

const text = fc.string({ unit: 'grapheme', maxLength: 400 }).filter((value) => value.isWellFormed());
const name = fc.string({ maxLength: 20 });
const places = fc.record({ table: name, column: name, rowId: name });

describe('a vault', () => {
  test('gives back every text it sealed, in its place', () => {
    const vault = newVault();
    fc.assert(
      fc.property(text, places, (written, context) => {
        expect(vault.unseal(context, vault.seal(context, written))).toBe(written);
      }),
      { numRuns: 500 },
    );
  });

  test('shows nothing of the text, and never the same twice', () => {
    const vault = newVault();
    const sealed = Array.from({ length: 10_000 }, () => vault.seal(place, 'a recipe for bread'));
    expect(new Set(sealed).size).toBe(10_000);
    expect(new Set(sealed.map((value) => Buffer.from(value, 'base64url').subarray(1, 13).toString('hex'))).size).toBe(
      10_000,
    );
    expect(sealed.filter((value) => Buffer.from(value, 'base64url').includes('bread'))).toEqual([]);
  });

  test('opens nothing in any other place', () => {
    const vault = newVault();
    fc.assert(
      fc.property(text, places, places, (written, from, to) => {
        fc.pre(JSON.stringify(from) !== JSON.stringify(to));
        expect(() => vault.unseal(to, vault.seal(from, written))).toThrow(SealBrokenError);
      }),
      { numRuns: 500 },
    );
  });

  test('keeps the parts of a place apart: a letter moved from one name to the next is another place', () => {
    const vault = newVault();
    const sealed = vault.seal({ table: 'ab', column: 'c', rowId: 'd' }, 'x');
    expect(() => vault.unseal({ table: 'a', column: 'bc', rowId: 'd' }, sealed)).toThrow(SealBrokenError);
    expect(() => vault.unseal({ table: 'ab', column: 'cd', rowId: '' }, sealed)).toThrow(SealBrokenError);
  });

  test('opens nothing of another owner', () => {
    expect(() => newVault().unseal(place, newVault().seal(place, 'mine'))).toThrow(SealBrokenError);
  });

  test('refuses three hundred swaps between rows, columns and owners', () => {
    const owners = Array.from({ length: 5 }, () => newVault());
    const cells = owners.flatMap((vault) =>
      ['one', 'two', 'three', 'four'].flatMap((rowId) =>
        ['title', 'content', 'recipient_email'].map((column) => {
          const context = { table: 'messages', column, rowId };
          return { vault, context, sealed: vault.seal(context, `${rowId} ${column}`) };
        }),
      ),
    );
    const swaps = cells.flatMap((to) => cells.filter((from) => from !== to).map((from) => ({ to, from })));
    expect(swaps.length).toBeGreaterThan(300);
    for (const { to, from } of swaps) {
      expect(() => to.vault.unseal(to.context, from.sealed)).toThrow(SealBrokenError);
    }
  });

  test('refuses every flipped bit, every shortened and every lengthened value', () => {
    const vault = newVault();
    const sealed = Buffer.from(vault.seal(place, 'Dear Priya, the spare key is with Tom.'), 'base64url');
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const touched = Buffer.from(sealed);
      touched[bit >> 3] = (touched[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => vault.unseal(place, touched.toString('base64url'))).toThrow(SealBrokenError);
    }
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => vault.unseal(place, sealed.subarray(0, length).toString('base64url'))).toThrow(SealBrokenError);
    }
    expect(() => vault.unseal(place, Buffer.concat([sealed, Buffer.of(0)]).toString('base64url'))).toThrow(
      SealBrokenError,
    );
  });

  test('refuses every exchanged character, also where it would decode to the same bytes', () => {
    const vault = newVault();
    const sealed = vault.seal(place, 'four');
    for (let index = 0; index < sealed.length; index += 1) {
      for (const character of 'AZaz09-_+/=. \n') {
        if (sealed[index] === character) continue;
        const touched = sealed.slice(0, index) + character + sealed.slice(index + 1);
        expect(() => vault.unseal(place, touched)).toThrow(SealBrokenError);
      }
    }
    expect(() => vault.unseal(place, `${sealed}\n`)).toThrow(SealBrokenError);
    expect(() => vault.unseal(place, 'What was never sealed')).toThrow(SealBrokenError);
  });

  test('says calmly that something does not fit, and where, without a word of it', () => {
    const refused = () => newVault().unseal(place, newVault().seal(place, 'the spare key is with Tom'));
    const error = caught(refused);
    expect(error).toBeInstanceOf(SealBrokenError);
    expect(error).toMatchObject({ type: 'DAMAGED', status: 409, context: place });
    expect(JSON.stringify({ ...error, message: error.message, stack: error.stack })).not.toContain('spare');
  });
});

describe('a vault that is opened when it is needed', () => {
  test('is the same vault', () => {
    const key = vaults.create('sam');
    expect(vaults.openWhenNeeded('sam', key).unseal(place, vaults.open('sam', key).seal(place, 'four'))).toBe('four');
  });

  test('with a damaged key is there, opens nothing, and is reported once', () => {
    const found: SealContext[] = [];
    const keys = masterKeysOf(1);
    const vault = createVaults(keys, (context) => found.push(context)).openWhenNeeded('sam', vaults.create('sam'));
    expect(found).toEqual([]);
    for (const act of [
      () => vault.seal(place, 'four'),
      () => vault.unseal(place, 'four'),
      () => vault.newFileKey(place),
    ])
      expect(act).toThrow(SealBrokenError);
    expect(found).toEqual([{ table: 'vault_keys', column: 'wrapped_key', rowId: 'sam' }]);
  });
});

describe('the key of a vault', () => {
  test('opens for its owner only', () => {
    const key = vaults.create('sam');
    expect(() => vaults.open('priya', key)).toThrow(SealBrokenError);
  });

  test('opens with no other master key, and with no other version', () => {
    const key = vaults.create('sam');
    expect(() => createVaults(masterKeysOf(1)).open('sam', key)).toThrow(SealBrokenError);
    expect(() => vaults.open('sam', { ...key, keyVersion: 2 })).toThrow(SealBrokenError);
  });

  test('is refused when a bit of it was flipped', () => {
    const { keyVersion, wrappedKey } = vaults.create('sam');
    for (let index = 0; index < wrappedKey.length; index += 1) {
      const touched = Buffer.from(wrappedKey);
      touched[index] = (touched[index] ?? 0) ^ 1;
      expect(() => vaults.open('sam', { keyVersion, wrappedKey: touched })).toThrow(SealBrokenError);
    }
  });

  test('is another one for every vault, and appears nowhere in the clear', () => {
    const keys = [vaults.create('sam'), vaults.create('sam')];
    expect(keys[0]?.wrappedKey.equals(keys[1]?.wrappedKey ?? Buffer.alloc(0))).toBe(false);
    expect(() => vaults.open('sam', keys[0] ?? vaults.create('x')).unseal(place, sealedWith(keys[1]))).toThrow(
      SealBrokenError,
    );

    function sealedWith(key = vaults.create('sam')) {
      return vaults.open('sam', key).seal(place, 'text');
    }
  });

  test('is re-wrapped for a newer master key, and everything sealed before still opens', () => {
    const both = masterKeysOf(1, 2);
    const oldKey = both.find(1) ?? Buffer.alloc(0);
    const before = createVaults({ current: { version: 1, key: oldKey }, find: both.find });
    const after = createVaults(both);

    const old = before.create('sam');
    const sealed = before.open('sam', old).seal(place, 'written before');
    const renewed = after.rewrap('sam', old);

    expect(renewed.keyVersion).toBe(2);
    expect(after.open('sam', renewed).unseal(place, sealed)).toBe('written before');
    expect(after.open('sam', old).unseal(place, sealed)).toBe('written before');
  });
});

function caught(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('Nothing was thrown.');
}
