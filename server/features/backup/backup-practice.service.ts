import type { MasterKeys } from '#server/platform/crypto/master-key.ts';
import { createVaults, unlessBroken, type Vault, type WrappedKey } from '#server/platform/crypto/vault.ts';
import { type BackupFile, readBackup } from './backup-reader.ts';
import { requireSeal } from './backup-seal.ts';

/** Numbers of letters and files that opened. Letters of owners whose keys were destroyed are not counted. */
export type Practice = { letters: number; opened: number; files: number };

type LetterRow = { id: string; user_id: string; title: string; content: string; encrypted_content: string | null };
type KeyRow = { user_id: string; key_version: number; wrapped_key: string };

const sealedWords = ['title', 'content', 'encrypted_content'] as const;

/**
 * Reads a whole backup, checks its sums and opens every letter with these keys, as a restore does. Only the disk space
 * is not checked. Nothing is written. The file is read twice, because the keys come after the letters.
 * @throws BackupError if it is damaged, sealed to a key that is not here, or has no seal of these master keys.
 */
export async function practiseBackup(
  from: BackupFile,
  masterKeys: MasterKeys,
  { acceptsUnproven = false } = {},
): Promise<Practice> {
  const wrapped = new Map<string, WrappedKey>();
  await readBackup(from, {
    async rows(table, lines) {
      if (table !== 'vault_keys') return;
      for (const row of rowsIn<KeyRow>(lines))
        wrapped.set(row.user_id, { keyVersion: row.key_version, wrappedKey: bytesOf(row.wrapped_key) });
    },
  });
  const vaults = createVaults(masterKeys);
  let [letters, opened] = [0, 0];
  const manifest = await readBackup(from, {
    async rows(table, lines) {
      if (table !== 'messages') return;
      for (const row of rowsIn<LetterRow>(lines)) {
        const key = wrapped.get(row.user_id);
        if (!key) continue;
        letters += 1;
        if (doesOpen(() => vaults.open(row.user_id, key), row)) opened += 1;
      }
    },
  });
  if (!acceptsUnproven) requireSeal(manifest, masterKeys);
  return { letters, opened, files: manifest.files.count };
}

function doesOpen(openVault: () => Vault, row: LetterRow): boolean {
  return (
    unlessBroken(() => {
      const vault = openVault();
      for (const column of sealedWords) {
        const sealed = row[column];
        if (sealed) vault.unseal({ table: 'messages', column, rowId: row.id }, sealed);
      }
      return true;
    }) ?? false
  );
}

function rowsIn<Row>(lines: Buffer): Row[] {
  return lines
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

/** As PostgreSQL writes bytes into JSON: `\\x` and hexadecimal. */
function bytesOf(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex');
}
