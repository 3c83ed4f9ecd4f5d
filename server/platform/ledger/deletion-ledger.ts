import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Record of deleted people, apart from the database and its backups. An older backup brings deleted accounts back;
 * the ledger lists the accounts to erase again before the service starts. It also names each “no more letters” of a
 * reader and each end of one, which an older backup would forget.
 */
export type DeletionLedger = {
  /**
   * Notes that this owner's data is to be destroyed, or a word of a reader. It is on the disk when this resolves, and is
   * never taken back, so it comes before the change itself.
   */
  append(id: string, at: Date): Promise<void>;
  /** SHA-256 of every noted id, in hexadecimal, as `ledgerNameOf` makes it. */
  names(): Promise<ReadonlySet<string>>;
};

/** Name of a person or a word in the ledger. Ids are random, so the hash reveals nothing to others. */
export function ledgerNameOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

const lineForm = /^([0-9a-f]{64}) \d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** A file with a line for each deletion: the hash, a space, and when it was, in UTC (RFC 3339). */
export function createFileLedger({ path }: { path: string }): DeletionLedger {
  /** Read last. Lines are only added, also by other processes, so a file of the same size holds the same names. */
  let known: { size: number; names: ReadonlySet<string> } = { size: 0, names: new Set() };
  return {
    async append(id, at) {
      await mkdir(dirname(path), { recursive: true });
      const file = await open(path, 'a+', 0o600);
      try {
        const { size } = await file.stat();
        const last = Buffer.alloc(1);
        if (size > 0) await file.read(last, 0, 1, size - 1);
        // A line that a power cut has torn must not swallow the next one.
        const isTorn = size > 0 && last.toString() !== '\n';
        await file.appendFile(`${isTorn ? '\n' : ''}${ledgerNameOf(id)} ${at.toISOString()}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await syncDirectory(dirname(path));
    },

    async names() {
      const file = await openIfThere(path);
      if (!file) return new Set();
      try {
        const { size } = await file.stat();
        if (size !== known.size) known = namesIn(await file.readFile());
        return known.names;
      } finally {
        await file.close();
      }
    },
  };
}

/** A ledger in memory. */
export function createMemoryLedger(): DeletionLedger {
  const names = new Set<string>();
  return {
    append: async (id) => void names.add(ledgerNameOf(id)),
    names: async () => new Set(names),
  };
}

/** A new file is found after a power cut only when its directory was written too. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function namesIn(bytes: Buffer): { size: number; names: ReadonlySet<string> } {
  const lines = bytes.toString('utf8').split('\n');
  // A torn line is of a deletion that was never carried out, and comes again.
  return { size: bytes.length, names: new Set(lines.flatMap((line) => lineForm.exec(line)?.[1] ?? [])) };
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
