import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileLedger, createMemoryLedger, type DeletionLedger, ledgerNameOf } from './deletion-ledger.ts';

const at = new Date('2026-11-21T10:00:00Z');
let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'everkept-ledger-'));
  path = join(directory, 'kept', 'deletions.ledger');
});

afterEach(() => rm(directory, { recursive: true, force: true }));

const drivers: [string, () => DeletionLedger][] = [
  ['a file', () => createFileLedger({ path })],
  ['memory', createMemoryLedger],
];

describe.each(drivers)('a ledger of deletions in %s', (_name, openLedger) => {
  it('knows exactly the people who were written into it', async () => {
    const ledger = openLedger();
    expect([...(await ledger.names())]).toEqual([]);
    const [gone, alsoGone, here] = [randomUUID(), randomUUID(), randomUUID()];
    await ledger.append(gone, at);
    await Promise.all([ledger.append(alsoGone, at), ledger.append(gone, at)]);
    const names = await ledger.names();
    expect(names).toEqual(new Set([ledgerNameOf(gone), ledgerNameOf(alsoGone)]));
    expect(names.has(ledgerNameOf(here))).toBe(false);
  });
});

describe('the file of a ledger', () => {
  it('is readable by its owner only, and holds no names', async () => {
    const userId = randomUUID();
    await createFileLedger({ path }).append(userId, at);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const text = await readFile(path, 'utf8');
    expect(text).toBe(`${ledgerNameOf(userId)} 2026-11-21T10:00:00.000Z\n`);
    expect(text).not.toContain(userId);
  });

  it('takes a new line after one that a power cut has torn, and does not count the torn one', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const ledger = createFileLedger({ path });
    await ledger.append(first, at);
    await appendFile(path, ledgerNameOf(randomUUID()).slice(0, 40));
    expect(await ledger.names()).toEqual(new Set([ledgerNameOf(first)]));
    await ledger.append(second, at);
    expect(await createFileLedger({ path }).names()).toEqual(new Set([ledgerNameOf(first), ledgerNameOf(second)]));
  });
});
